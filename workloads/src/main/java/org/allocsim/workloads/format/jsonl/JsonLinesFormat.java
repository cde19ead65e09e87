package org.allocsim.workloads.format.jsonl;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceWriter;
import org.allocsim.workloads.format.pytorch.RecordedFormat;
import org.allocsim.workloads.format.pytorch.derive.SnapshotFormat;

/** Our own format; the package describes it. */
public final class JsonLinesFormat implements RecordedFormat {
  /** The format's id. */
  public static final String ID = "jsonl";

  /** Version of files that hold requests. */
  static final int VERSION = 1;

  /** Version of files that hold a recording, too. */
  static final int RECORDED_VERSION = 2;

  /** Whether the program runs on PyTorch, in the first line; false if missing. */
  static final String PYTORCH = "pytorch";

  /**
   * What was live and asked for when a request failed that the program made, in the first line; no
   * request failed where it is missing.
   */
  static final String REFUSED = "refused_bytes";

  /** Op of the last line of a file with a recording; its checksum covers the requests. */
  static final String END_MARK = "trace_end";

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
    return "allocsim's own JSON Lines, versions 1 and 2; contains everything that a trace or a"
        + " recording has";
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
    return switch (readContent(file, progress)) {
      case Requests requests -> requests.file();
      case Recorded recorded -> SnapshotFormat.requests(recorded.snapshot(), ID);
    };
  }

  @Override
  public Content readContent(Path file, Progress progress) throws TraceFormatException {
    return JsonLinesReader.read(file, progress);
  }

  @Override
  public Optional<TraceWriter> writer() {
    return Optional.of(new JsonLinesWriter());
  }
}
