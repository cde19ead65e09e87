package org.allocsim.workloads.program;

import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * A program that makes traces. A new one is a class that implements this and a line that names it
 * in {@code META-INF/services/org.allocsim.workloads.program.ProgramProvider}.
 */
public interface ProgramProvider {
  /** The name by which users ask for it. */
  String id();

  /** What it does, in one line. */
  String summary();

  /** Its knobs. */
  List<ProgramOption> options();

  /**
   * What the program asks of its allocators; the same values and seed give the same trace.
   *
   * @param seed of what the program draws by chance
   * @throws ProgramOptionException for values that make no program
   */
  AllocationTrace generate(ProgramValues values, long seed);
}
