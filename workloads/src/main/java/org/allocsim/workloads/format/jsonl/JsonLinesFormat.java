package org.allocsim.workloads.format.jsonl;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormat;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceWriter;

/** Our own format; the package describes it. */
public final class JsonLinesFormat implements TraceFormat {
  /** The format's id. */
  public static final String ID = "jsonl";

  /** Version that is read and written. */
  static final int VERSION = 1;

  /** Stands for every device where the format's writer is given the one to write. */
  public static final int ALL_DEVICES = -1;

  /** A format; the service loader makes it. */
  public JsonLinesFormat() {}

  @Override
  public String id() {
    return ID;
  }

  @Override
  public String summary() {
    return "allocsim's own JSON Lines, version " + VERSION + "; holds everything a trace has";
  }

  @Override
  public List<String> extensions() {
    return List.of("jsonl");
  }

  @Override
  public boolean recognises(FileStart start) {
    String line = start.firstLine();
    return line.startsWith("{") && line.contains("\"allocsim\"");
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return JsonLinesReader.read(file, progress);
  }

  @Override
  public Optional<TraceWriter> writer() {
    return Optional.of(new JsonLinesWriter());
  }
}
