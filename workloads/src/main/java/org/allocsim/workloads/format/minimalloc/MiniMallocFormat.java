package org.allocsim.workloads.format.minimalloc;

import java.nio.file.Path;
import java.util.Optional;
import org.allocsim.workloads.format.DescribedFormat;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceWriter;

/** MiniMalloc's CSV; the package describes it. */
public final class MiniMallocFormat extends DescribedFormat {
  /** The format's id. */
  public static final String ID = "minimalloc";

  /** A format; the service loader makes it. */
  public MiniMallocFormat() {
    super(ID, "lifetimes and sizes as CSV: MiniMalloc and idealloc problems, 2023 to 2026", "csv");
  }

  @Override
  public boolean recognises(FileStart start) {
    return MiniMallocHeader.isHeader(start.firstLine());
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return MiniMallocReader.read(file, progress);
  }

  @Override
  public Optional<TraceWriter> writer() {
    return Optional.of(new MiniMallocWriter());
  }
}
