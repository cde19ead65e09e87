package org.allocsim.workloads.format.kineto;

import java.nio.file.Path;
import org.allocsim.workloads.format.DescribedFormat;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;

/**
 * Chrome traces of the PyTorch profiler (Kineto), recorded with {@code profile_memory=True}.
 *
 * <p>Memory events carry device, address, bytes of the block (after rounding, and with what was not
 * split off it: PyTorch 2.11) and the totals after them, but no stream: everything happens on
 * stream 0. What was live before the profiler began shows only when it is freed, and as a
 * difference of totals: the former become allocations of the prologue, the rest one more. User
 * annotations become markers, operators that enclose an event its stack.
 */
public final class KinetoFormat extends DescribedFormat {
  /** The format's id. */
  public static final String ID = "kineto";

  /** A format; the service loader makes it. */
  public KinetoFormat() {
    super(
        ID,
        "Chrome trace of the PyTorch profiler with profile_memory=True, PyTorch 1.8 to 2.11",
        "json");
  }

  @Override
  public boolean recognises(FileStart start) {
    return start.firstLine().startsWith("{")
        && (start.text().contains("\"traceEvents\"") || start.text().contains("\"schemaVersion\""));
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return KinetoReader.read(file, progress);
  }
}
