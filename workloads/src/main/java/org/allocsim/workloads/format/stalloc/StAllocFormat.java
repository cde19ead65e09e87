package org.allocsim.workloads.format.stalloc;

import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;
import org.allocsim.workloads.format.DescribedFormat;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceWriter;

/** STAlloc's text traces; the package describes them. */
public final class StAllocFormat extends DescribedFormat {
  /** The format's id. */
  public static final String ID = "stalloc";

  /** Begin of lines that begin an iteration, and of their markers' names. */
  static final String ITERATION = "Iteration Index : ";

  /** What follows it after the last iteration. */
  static final String END = "end";

  /** Begin of lines that begin a micro-batch, and of their markers' names. */
  static final String MICRO_BATCH = "micro-batch : ";

  /** What all names of layer markers contain. */
  static final String LAYER = " Layer : ";

  private static final Pattern CALL = Pattern.compile("[01] (0x[0-9a-f]{1,16}|0) [0-9]+ \\w+");

  /** A format; the service loader makes it. */
  public StAllocFormat() {
    super(ID, "STAlloc's mem_log_dev<N>.txt, infinigence/STAlloc of 2025-09", "txt");
  }

  @Override
  public boolean recognises(FileStart start) {
    String line = start.firstLine();
    return line.startsWith(ITERATION)
        || line.startsWith(MICRO_BATCH)
        || CALL.matcher(line).matches();
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return StAllocReader.read(file, progress);
  }

  @Override
  public Optional<TraceWriter> writer() {
    return Optional.of(new StAllocWriter());
  }
}
