package org.allocsim.reports.answer.moment;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.RecordingMaps;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;

/** Shows a moment of a program: when it is, and where its memory lies. */
public final class MomentText {
  private MomentText() {}

  /** Prints file, settings and moment. */
  public static void printHeader(ReplayedProgram program, MemoryMoment moment, PrintWriter out) {
    WrappedText.printField(out, "trace   ", program.name() + ": device " + program.device());
    WrappedText.printField(
        out, "replay  ", "PYTORCH_CUDA_ALLOC_CONF=\"" + program.conf() + "\"" + addresses(program));
    WrappedText.printField(out, "moment  ", moment(program, moment));
    out.println();
  }

  private static String addresses(ReplayedProgram program) {
    return program
        .landmarks()
        .map(landmarks ->
            ", addresses " + (landmarks.hasRecordedAddresses() ? "recorded" : "modelled"))
        .orElse(", not replayed");
  }

  private static String moment(ReplayedProgram program, MemoryMoment moment) {
    StringBuilder text = new StringBuilder(moment.kind().phrase());
    if (program.isEndOnly()) {
      return text.toString();
    }
    if (moment.requestIndex() < 0) {
      return text.append(", before the first allocation request").toString();
    }
    text.append(moment.kind() == Kind.FIRST_OOM ? ": " : ", after ")
        .append("allocation request ")
        .append(Numbers.count(moment.requestIndex()))
        .append(" (counted from 0)");
    if (moment.elapsedNanos() > 0) {
      text.append(", ").append(Numbers.seconds(moment.elapsedNanos())).append(" after the start");
    }
    if (moment.kind() == Kind.FIRST_OOM) {
      text.append(", asked for ").append(Numbers.bytes(moment.failure().requestedBytes()));
    }
    return text.toString();
  }

  /** Prints reserved memory and its parts, with slack split. */
  public static void printMemory(ReplayedProgram program, MemoryMoment moment, PrintWriter out) {
    MemoryMoment.Totals bytes = moment.bytes();
    SlackSplit slack = moment.slack();
    TextTable table = TextTable.of("where reserved memory lies", ">", ">bytes", ">");
    long reserved = bytes.reservedBytes();
    row(table, "requested by the program", bytes.requestedBytes(), reserved);
    row(table, "+ lost to rounding", bytes.roundingBytes(), reserved);
    row(table, "= allocated", bytes.allocatedBytes(), reserved);
    forEachPart(
        slack,
        slack,
        "other streams than " + program.stream(moment.stream()),
        (name, part, _) -> row(table, name, part, reserved));
    row(table, "= reserved", reserved, reserved);
    table.print(out, "");
  }

  /** A part of the slack at two moments. */
  @FunctionalInterface
  public interface PartRow {
    /** Takes a part under the name that tables give it. */
    void row(String name, long first, long second);
  }

  /**
   * Names the parts of the slack at two moments: what is free in whole segments and in segments in
   * use, and of the others those that there are.
   *
   * @param others whom the caches of other streams are for
   */
  public static void forEachPart(SlackSplit first, SlackSplit second, String others, PartRow rows) {
    rows.row(
        "+ whole free segments (releasable)", first.releasableBytes(), second.releasableBytes());
    rows.row("+ free parts of segments in use (stuck)", first.stuckBytes(), second.stuckBytes());
    PartRow present =
        (name, one, two) -> {
          if (one != 0 || two != 0) {
            rows.row(name, one, two);
          }
        };
    present.row(
        "+ given back, in use on another stream", first.awaitingBytes(), second.awaitingBytes());
    String cached = "+ cached for " + others;
    present.row(
        cached + ", releasable", first.otherReleasableBytes(), second.otherReleasableBytes());
    present.row(cached + ", stuck", first.otherStuckBytes(), second.otherStuckBytes());
    present.row("+ free in private pools", first.privateBytes(), second.privateBytes());
  }

  private static void row(TextTable table, String name, long bytes, long whole) {
    table.row(name, ByteFormat.human(bytes), Numbers.count(bytes), Numbers.share(bytes, whole));
  }

  /** The moment as JSON. */
  public static Map<String, Object> toMap(ReplayedProgram program, MemoryMoment moment) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("kind", moment.kind().name().toLowerCase(Locale.ROOT));
    map.put("request_index", moment.requestIndex());
    map.put("elapsed_nanos", moment.elapsedNanos());
    map.put("stream", program.stream(moment.stream()));
    map.put("requested_bytes", moment.bytes().requestedBytes());
    map.put("rounding_bytes", moment.bytes().roundingBytes());
    map.put("allocated_bytes", moment.bytes().allocatedBytes());
    map.put("reserved_bytes", moment.bytes().reservedBytes());
    map.put("slack_bytes", moment.bytes().slackBytes());
    map.put("slack", toMap(moment.slack()));
    if (moment.failure() != null) {
      map.put("failed_request_bytes", moment.failure().requestedBytes());
    }
    return map;
  }

  /** Parts of the slack under the names of the JSON output. */
  public static Map<String, Object> toMap(SlackSplit slack) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("whole_free_segments_bytes", slack.releasableBytes());
    map.put("free_parts_of_live_segments_bytes", slack.stuckBytes());
    map.put("awaiting_other_streams_bytes", slack.awaitingBytes());
    map.put("other_streams_releasable_bytes", slack.otherReleasableBytes());
    map.put("other_streams_stuck_bytes", slack.otherStuckBytes());
    map.put("private_pools_bytes", slack.privateBytes());
    return map;
  }

  /** What names a result in JSON: file, settings, device, where addresses come from. */
  public static Map<String, Object> headerMap(ReplayedProgram program) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", program.name());
    map.put("sha256", program.sha256());
    map.put("conf", program.conf());
    map.put("device", program.device());
    map.put(
        "addresses",
        program
            .landmarks()
            .map(landmarks -> landmarks.hasRecordedAddresses() ? "recorded" : "modelled")
            .orElse(null));
    map.put("inferences", RecordingMaps.inferences(program.inferences()));
    map.put("notes", List.copyOf(program.notes()));
    return map;
  }
}
