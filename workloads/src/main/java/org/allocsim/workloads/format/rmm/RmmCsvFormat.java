package org.allocsim.workloads.format.rmm;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.allocsim.workloads.format.DescribedFormat;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceWriter;

/**
 * The log that RMM's {@code logging_resource_adaptor} writes, or an application whose {@code
 * RMM_LOG_FILE} is set: one row per call, of one device (rapidsai/rmm 5d50a37, 2026-07).
 *
 * <p>The header names the columns. Action, Pointer and Size are needed; without Stream everything
 * is on the null stream, without Time every row is at 0; older versions wrote no Thread. Sizes are
 * those of the requests. Times have no date: one that lies more than half a day back is of the next
 * day.
 */
public final class RmmCsvFormat extends DescribedFormat {
  /** The format's id. */
  public static final String ID = "rmm-csv";

  /** Handle of the per-thread default stream ({@code cudaStreamPerThread}). */
  static final long PER_THREAD_HANDLE = 2;

  /** Where in a handle the reader puts which thread's per-thread default stream it is. */
  static final int THREAD_SHIFT = 32;

  /** A format; the service loader makes it. */
  public RmmCsvFormat() {
    super(ID, "log of RMM's logging_resource_adaptor or RMM_LOG_FILE", "csv", "txt", "log");
  }

  @Override
  public boolean recognises(FileStart start) {
    List<String> names =
        Arrays.stream(start.firstLine().split(",", -1)).map(String::strip).toList();
    return names.containsAll(List.of("Action", "Pointer", "Size"));
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return RmmCsvReader.read(file, progress);
  }

  @Override
  public Optional<TraceWriter> writer() {
    return Optional.of(new RmmCsvWriter());
  }
}
