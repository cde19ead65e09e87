package org.allocsim.workloads.format.umpire;

import java.nio.file.Path;
import java.util.Optional;
import org.allocsim.workloads.format.DescribedFormat;
import org.allocsim.workloads.format.FileStart;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceWriter;

/**
 * The JSON lines that Umpire writes where {@code UMPIRE_REPLAY} is set: events with a category
 * since 2022 (LLNL/Umpire 5bf5bc1, 2024-10), and those of kind "replay" before.
 *
 * <p>Every memory resource that the program used is a device of the trace, those whose names begin
 * with DEVICE first; the requests to all allocators above a resource are the requests to that
 * device. A pool's own requests to its resource are not logged. Everything is on one stream.
 */
public final class UmpireReplayFormat extends DescribedFormat {
  /** The format's id. */
  public static final String ID = "umpire-replay";

  /** A format; the service loader makes it. */
  public UmpireReplayFormat() {
    super(ID, "replay log of Umpire, UMPIRE_REPLAY=On", "replay", "stats", "json");
  }

  @Override
  public boolean recognises(FileStart start) {
    String line =
        start
            .text()
            .lines()
            .map(String::strip)
            .filter(each -> !each.isEmpty() && !each.startsWith("#"))
            .findFirst()
            .orElse("")
            .replace(" ", "");
    return line.startsWith("{")
        && (line.contains("\"kind\":\"replay\"")
            || line.contains("\"category\":\"operation\"")
            || line.contains("\"category\":\"metadata\""));
  }

  @Override
  public TraceFile read(Path file, Progress progress) throws TraceFormatException {
    return UmpireReplayReader.read(file, progress);
  }

  @Override
  public Optional<TraceWriter> writer() {
    return Optional.of(new UmpireReplayWriter());
  }
}
