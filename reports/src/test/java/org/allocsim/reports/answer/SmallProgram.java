package org.allocsim.reports.answer;

import java.util.List;
import java.util.function.Consumer;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.source.TraceSource;

/**
 * A program of five requests, for tests of answers: its figures under PyTorch's allocator follow
 * from the rules by hand. 30 MiB get a segment of their own and are given back; 4 MiB get a segment
 * of 20 MiB; 1000 bytes get 1 KiB of a segment of 2 MiB; 12 MiB are the best fit in what is left of
 * the 20; 32 MiB fit nowhere and get a segment of their own. Then all but the 1000 bytes are given
 * back.
 */
public final class SmallProgram {
  public static final long MIB = 1L << 20;

  /** Allocated when the last request is served: 4 MiB, 1 KiB, 12 MiB and 32 MiB. */
  public static final long ALLOCATED_BYTES = 48 * MIB + 1024;

  /** The same as it was requested. */
  public static final long REQUESTED_BYTES = 48 * MIB + 1000;

  /** Reserved then: segments of 30, 20, 2 and 32 MiB. */
  public static final long RESERVED_BYTES = 84 * MIB;

  /** Needed at least: the cached segment of 30 MiB is released before the last request fails. */
  public static final long NEEDED_BYTES = 54 * MIB;

  private SmallProgram() {}

  /** The program, whose last request has a given size. */
  public static AskedTrace ending(long lastBytes, Conditions conditions) {
    return trace(
        conditions,
        program -> {
          int cached = program.allocate(30 * MIB, 0, PoolId.DEFAULT);
          int small = program.allocate(4 * MIB, 0, PoolId.DEFAULT);
          program.allocate(1000, 0, PoolId.DEFAULT);
          program.free(cached);
          int fitting = program.allocate(12 * MIB, 0, PoolId.DEFAULT);
          int last = program.allocate(lastBytes, 0, PoolId.DEFAULT);
          program.free(small);
          program.free(fitting);
          program.free(last);
        });
  }

  /** Who is asked about the program. */
  public static Asked asked(Conditions conditions) {
    return new Asked(List.of(ending(32 * MIB, conditions)));
  }

  /** Requests as a trace. */
  public static AskedTrace trace(
      Conditions conditions, Consumer<AllocationTrace.Builder> requests) {
    AllocationTrace.Builder program = new AllocationTrace.Builder();
    program.at(0, 0, StackTable.NONE);
    requests.accept(program);
    return AskedTrace.of(
        TraceSource.of("small", program.build(new StackTable.Builder().build())).source(),
        conditions);
  }
}
