package org.allocsim.benchmarks.suite;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.io.StoredInput;
import org.allocsim.workloads.program.Programs;
import org.allocsim.workloads.transform.Timestamps;

/**
 * What benchmarks work on. Inputs have names, because JMH hands them to processes of its own: that
 * of a program that makes the trace, or the path of a file.
 */
final class Inputs {
  private static final String SAMPLE_FILE = "gpt_oom.pickle.xz";
  private static final long SEED = 1;

  private Inputs() {}

  /**
   * A program's requests, and the work between them where there is any.
   *
   * @throws IllegalArgumentException with a sentence where there is no such program or file
   */
  static AllocationTrace program(String name) {
    if (Programs.find(name).isPresent()) {
      return Programs.generate(name, Map.of(), SEED);
    }
    try {
      Path file = Path.of(name);
      return TraceFormats.of(file).read(file, Progress.NONE).trace();
    } catch (TraceFormatException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
  }

  /**
   * A program's requests of one device as a recording has them: without the work between them, with
   * rows where stream uses end.
   *
   * @throws IllegalArgumentException with a sentence where there is no such program or file
   */
  static AllocationTrace requests(String name) {
    AllocationTrace trace = program(name);
    return trace.workCount() == 0
        ? trace
        : withoutWork(Timestamps.onto(trace, firstDevice(trace), DeviceProfiles.defaultProfile()));
  }

  /** The device of the first row, which is the one that is measured. */
  static int firstDevice(AllocationTrace trace) {
    return trace.eventCount() == 0 ? 0 : trace.device(0);
  }

  private static AllocationTrace withoutWork(AllocationTrace trace) {
    AllocationTrace.Builder rows = new AllocationTrace.Builder();
    for (int stream = 0; stream < trace.streamCount(); stream++) {
      rows.declareStream(trace.streamHandle(stream));
    }
    int[] ids = new int[trace.allocationCount()];
    for (int event = 0; event < trace.eventCount(); event++) {
      rows.at(trace.device(event), trace.timeNanos(event), 0);
      int id = trace.allocation(event);
      PoolId pool = trace.poolId(trace.pool(event));
      switch (trace.kind(event)) {
        case ALLOCATE ->
            ids[id] =
                rows.allocate(trace.bytes(event), trace.streamHandle(trace.stream(event)), pool);
        case FREE -> rows.free(ids[id]);
        case USE_STREAM ->
            rows.useStream(
                ids[id], trace.streamHandle(trace.stream(event)), trace.completionRank(event));
        case USE_COMPLETE -> {
          if (trace.stream(event) == AllocationTrace.ANY_STREAM) {
            rows.useComplete(ids[id]);
          } else {
            rows.useComplete(ids[id], trace.streamHandle(trace.stream(event)));
          }
        }
        case SYNCHRONIZE -> rows.synchronize();
        case EMPTY_CACHE -> rows.emptyCache();
        case RELEASE_POOL -> rows.releasePool(pool);
        case EMPTY_POOL -> rows.emptyPool(pool);
        default -> {}
      }
    }
    return rows.build(new StackTable.Builder().build());
  }

  /**
   * Writes a snapshot without compression.
   *
   * @param name {@link BenchmarkPlan#SAMPLE} or the path of a snapshot, which may be compressed
   * @return its length
   */
  static long writePlain(String name, Path target) {
    try (InputStream stored =
            name.equals(BenchmarkPlan.SAMPLE)
                ? Inputs.class.getResourceAsStream(SAMPLE_FILE)
                : Files.newInputStream(Path.of(name));
        StoredInput input = StoredInput.of(stored);
        OutputStream out = Files.newOutputStream(target)) {
      byte[] buffer = new byte[1 << 16];
      long length = 0;
      for (int got = input.read(buffer, 0, buffer.length);
          got >= 0;
          got = input.read(buffer, 0, buffer.length)) {
        out.write(buffer, 0, got);
        length += got;
      }
      return length;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
