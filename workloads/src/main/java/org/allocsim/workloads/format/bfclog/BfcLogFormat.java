package org.allocsim.workloads.format.bfclog;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.workloads.format.DescribedFormat;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;

/** The verbose log of the BFC allocator. */
public final class BfcLogFormat extends DescribedFormat {
  /** The format's id. */
  public static final String ID = "bfc-log";

  private static final List<String> SIGNS =
      List.of("new BFCAllocator named: ", "[mem-debug] AllocateRaw,", "bfc_allocator.cc:");

  /** A format; the service loader makes it. */
  public BfcLogFormat() {
    super(ID, "log of JAX or TensorFlow with TF_CPP_VMODULE=bfc_allocator=5 (JAX 0.11.2)", "log");
  }

  @Override
  public boolean recognises(FileStart start) {
    return SIGNS.stream().anyMatch(start.text()::contains);
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    BfcLog log = BfcLogReader.read(file, false, progress);
    return new TraceFile(file.toString(), log.sha256(), ID, log.trace(), log.notes());
  }
}
