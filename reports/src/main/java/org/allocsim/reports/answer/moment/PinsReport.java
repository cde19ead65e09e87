package org.allocsim.reports.answer.moment;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.moment.FitTrial;
import org.allocsim.analysis.moment.FitTrial.Remedy;
import org.allocsim.analysis.moment.FitTrial.Way;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.Origins;
import org.allocsim.analysis.moment.Pins;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * Shows which blocks pin which segments.
 *
 * @param program whose memory it is
 * @param moment when
 * @param pins the pinned segments, ranked
 * @param trial trials at the moment of a failed request, else null
 * @param remedies what the trials found
 * @param steps the program's steps, empty where it has none
 * @param limits how much is shown
 */
public record PinsReport(
    ReplayedProgram program,
    MemoryMoment moment,
    List<Pins.Segment> pins,
    FitTrial trial,
    List<Remedy> remedies,
    Optional<Iterations> steps,
    TableLimits limits) {
  private static final int BLOCKS_SHOWN = 3;

  /** Columns that are left out where lines are short, the first one first. */
  private static final List<String> EXPENDABLE =
      List.of("free/used", "in use", "blocks", "request", "at");

  public void print(PrintWriter out) {
    MomentText.printHeader(program, moment, out);
    if (trial != null) {
      printFit(out);
      printInferredLimit(out);
      out.println();
    }
    printPins(out);
    out.println();
    MomentText.printMemory(program, moment, out);
    if (!program.inferences().isEmpty() || !program.notes().isEmpty()) {
      out.println();
    }
    InferenceText.print(program.inferences(), program.notes(), out, "");
  }

  // What would have let the request fit.

  private void printFit(PrintWriter out) {
    if (trial.missingBytes() <= 0) {
      WrappedText.print(
          out,
          "",
          "",
          "The device had enough free memory for the failed request; pinned segments are not why it"
              + " failed.");
    }
    if (remedies.isEmpty()) {
      WrappedText.print(
          out,
          "",
          "",
          "Without all blocks that pin segments the failed request would still not have fitted:"
              + " pinned memory is not why it failed.");
    }
    for (Remedy remedy : remedies) {
      WrappedText.print(out, "", "  ", sentence(remedy));
      TextTable table = TextTable.of(">block", "", ">at", ">request", "age", "allocated at");
      for (Pins.Block block : remedy.blocks().subList(0, shown(remedy.blocks().size()))) {
        table.row(
            ByteFormat.human(block.bytes()),
            block.awaiting() ? "awaits its free" : "",
            hex(block.address()),
            request(block),
            age(block),
            stack(block));
      }
      table.print(out, "  ");
      if (remedy.blocks().size() > limits.top()) {
        out.println("  and " + Numbers.count(remedy.blocks().size() - limits.top()) + " more");
      }
    }
  }

  private void printInferredLimit(PrintWriter out) {
    if (trial.isLimitInferred()) {
      WrappedText.print(
          out,
          "",
          "",
          "The recording does not hold the memory limit, and the largest one that explains the"
              + " failure is assumed; with the real one more may have been missing: give it with"
              + " --memory-fraction or --memory-limit.");
    }
  }

  private int shown(int count) {
    return Math.min(count, limits.top());
  }

  private String sentence(Remedy remedy) {
    String blocks =
        "Without "
            + (remedy.blocks().size() == 1
                ? "one block"
                : "these " + Numbers.count(remedy.blocks().size()) + " blocks")
            + " of "
            + ByteFormat.human(remedy.bytes())
            + " the failed request of "
            + ByteFormat.human(moment.failure().requestedBytes());
    String gain =
        remedy.way() == Way.HOLE
            ? "a hole of "
                + ByteFormat.human(remedy.gainedBytes())
                + " opens in the segment at "
                + hex(moment.layout().segmentAddress(remedy.segments().getFirst()))
            : ByteFormat.human(remedy.gainedBytes())
                + " of "
                + Numbers.count(remedy.segments().size(), "segment")
                + " can be released, "
                + (trial.isLimitInferred() ? "at least " : "")
                + ByteFormat.human(trial.missingBytes())
                + " being short";
    return blocks
        + (remedy.confirmed()
            ? " fits, as the simulation confirms: "
            : " does not fit, as the simulation shows, although ")
        + gain
        + switch (remedy.minimum()) {
          case BYTES -> "; no other blocks of fewer bytes do that.";
          case BLOCKS -> "; no fewer blocks do that.";
          case NOTHING -> "; there may be fewer blocks that do that.";
        };
  }

  // What pins what.

  private void printPins(PrintWriter out) {
    long free = pins.stream().mapToLong(Pins.Segment::freeBytes).sum();
    long pinning = pins.stream().mapToLong(Pins.Segment::pinningBytes).sum();
    WrappedText.printLine(
        out,
        ByteFormat.human(free)
            + " are pinned in "
            + Numbers.count(pins.size(), "segment")
            + " by blocks of "
            + ByteFormat.human(pinning));
    if (pins.isEmpty()) {
      return;
    }
    List<String> headings =
        new ArrayList<>(
            List.of(">segment", ">at", ">free", ">in use", ">free/used", ">blocks", ">block"));
    if (!program.isEndOnly()) {
      headings.addAll(List.of(">request", "age"));
    }
    if (trial != null) {
      headings.add("fits without");
    }
    headings.add("allocated at");
    TextTable table = TextTable.of(headings.toArray(String[]::new));
    for (Pins.Segment segment : pins.subList(0, shown(pins.size()))) {
      List<Pins.Block> blocks = largestFirst(segment);
      for (int i = 0; i < Math.min(BLOCKS_SHOWN, blocks.size()); i++) {
        table.row(row(segment, blocks.get(i), i == 0));
      }
    }
    table.expendable("--csv FILE has all", EXPENDABLE).print(out, "");
    if (pins.size() > limits.top()) {
      WrappedText.printLine(
          out, "and " + Numbers.count(pins.size() - limits.top(), "more segment"));
    }
    if (pins.stream().anyMatch(segment -> segment.blocks().size() > BLOCKS_SHOWN)) {
      WrappedText.printLine(
          out,
          "Of each segment the " + BLOCKS_SHOWN + " largest blocks are shown; --json has all.");
    }
  }

  private static List<Pins.Block> largestFirst(Pins.Segment segment) {
    List<Pins.Block> blocks = new ArrayList<>(segment.blocks());
    blocks.sort(
        Comparator.comparingLong(Pins.Block::bytes).reversed().thenComparingInt(Pins.Block::index));
    return blocks;
  }

  private Object[] row(Pins.Segment segment, Pins.Block block, boolean first) {
    List<Object> cells = new ArrayList<>();
    cells.add(first ? ByteFormat.human(segment.bytes()) : "");
    cells.add(first ? hex(segment.address()) : "");
    cells.add(first ? ByteFormat.human(segment.freeBytes()) : "");
    cells.add(first ? ByteFormat.human(segment.pinningBytes()) : "");
    cells.add(first ? String.format(Locale.ROOT, "%.2f", segment.freePerByte()) : "");
    cells.add(first ? Numbers.count(segment.blocks().size()) : "");
    cells.add(ByteFormat.human(block.bytes()));
    if (!program.isEndOnly()) {
      cells.add(request(block));
      cells.add(age(block));
    }
    if (trial != null) {
      cells.add(first ? (trial.fitsWithoutAllOf(segment) ? "yes" : "no") : "");
    }
    cells.add(stack(block));
    return cells.toArray();
  }

  private String request(Pins.Block block) {
    if (program.isEndOnly()) {
      return "";
    }
    long request = program.origins().request(block.allocation());
    return request < 0 ? "before" : Numbers.count(request);
  }

  /** Begins of steps since an allocation, −1 where the program has no steps. */
  private long ageInSteps(Pins.Block block) {
    if (steps.isEmpty()) {
      return -1;
    }
    Origins origins = program.origins();
    return (long) stepOf(moment.requestIndex()) - stepOf(origins.request(block.allocation()));
  }

  private int stepOf(long request) {
    int row = program.origins().rowOfRequest(request).orElseThrow();
    return steps.orElseThrow().iterationOf(row);
  }

  /** Age in steps where there are any, in requests and, where times are known, in seconds. */
  private String age(Pins.Block block) {
    Origins origins = program.origins();
    if (program.isEndOnly() || origins.request(block.allocation()) < 0) {
      return "";
    }
    long requests = moment.requestIndex() - origins.request(block.allocation());
    long nanos = moment.timeNanos() - origins.timeNanos(block.allocation());
    long ageInSteps = ageInSteps(block);
    return (ageInSteps < 0 ? "" : Numbers.count(ageInSteps, "step") + ", ")
        + Numbers.count(requests, "request")
        + (moment.elapsedNanos() > 0 ? ", " + Numbers.seconds(nanos) : "");
  }

  private String stack(Pins.Block block) {
    String label =
        new StackLabels(program.origins().stackTable(), limits.frames())
            .label(program.origins().stack(block.allocation()));
    return label.isEmpty() ? "no stack recorded" : label;
  }

  private static String hex(long address) {
    return "0x" + Long.toHexString(address);
  }

  // JSON.

  public Map<String, Object> toMap() {
    Map<String, Object> map = MomentText.headerMap(program);
    map.put("moment", MomentText.toMap(program, moment));
    List<Object> segments = new ArrayList<>();
    pins.forEach(segment -> segments.add(toMap(segment)));
    map.put("segments", segments);
    if (trial != null) {
      map.put("missing_bytes", trial.missingBytes());
      map.put("limit_inferred", trial.isLimitInferred());
      List<Object> found = new ArrayList<>();
      remedies.forEach(remedy -> found.add(toMap(remedy)));
      map.put("fits_without", found);
    }
    return map;
  }

  private Map<String, Object> toMap(Pins.Segment segment) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("address", Long.toUnsignedString(segment.address()));
    map.put("bytes", segment.bytes());
    map.put("stream", program.stream(segment.stream()));
    map.put("pool", segment.pool());
    map.put("expandable", segment.expandable());
    map.put("free_bytes", segment.freeBytes());
    map.put("pinning_bytes", segment.pinningBytes());
    if (trial != null) {
      map.put("request_fits_without", trial.fitsWithoutAllOf(segment));
    }
    map.put("blocks", blocks(segment.blocks()));
    return map;
  }

  /** Columns of CSV: the segment, and keys of a block as JSON. */
  private static final List<String> CSV =
      List.of(
          "segment_address",
          "segment_bytes",
          "stream",
          "pool",
          "expandable",
          "free_bytes",
          "pinning_bytes",
          "request_fits_without",
          "address",
          "bytes",
          "requested_bytes",
          "awaiting_free",
          "request_index",
          "age_steps",
          "age_requests",
          "age_nanos",
          "stack");

  /** Writes every block that pins a segment as a row. */
  public void writeCsv(OutputStream out) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (Pins.Segment segment : pins) {
      Map<String, Object> of = toMap(segment);
      for (Map<String, Object> block : blocks(segment.blocks())) {
        Map<String, Object> row = new LinkedHashMap<>(of);
        row.put("segment_address", of.get("address"));
        row.put("segment_bytes", of.get("bytes"));
        row.putAll(block);
        rows.add(row);
      }
    }
    CsvText.write(CSV, rows, out);
  }

  private List<Map<String, Object>> blocks(List<Pins.Block> blocks) {
    List<Map<String, Object>> list = new ArrayList<>();
    for (Pins.Block block : blocks) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("address", Long.toUnsignedString(block.address()));
      map.put("bytes", block.bytes());
      map.put("requested_bytes", block.requestedBytes());
      map.put("awaiting_free", block.awaiting());
      if (!program.isEndOnly()) {
        long request = program.origins().request(block.allocation());
        map.put("request_index", request < 0 ? null : request);
        map.put("age_steps", request < 0 || steps.isEmpty() ? null : ageInSteps(block));
        map.put("age_requests", request < 0 ? null : moment.requestIndex() - request);
        map.put(
            "age_nanos",
            request < 0
                ? null
                : moment.timeNanos() - program.origins().timeNanos(block.allocation()));
      }
      map.put("stack", stack(block));
      list.add(map);
    }
    return list;
  }

  private Map<String, Object> toMap(Remedy remedy) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("way", remedy.way().name().toLowerCase(Locale.ROOT));
    map.put("confirmed", remedy.confirmed());
    map.put("bytes", remedy.bytes());
    map.put("gained_bytes", remedy.gainedBytes());
    map.put("minimum", remedy.minimum().name().toLowerCase(Locale.ROOT));
    map.put("blocks", blocks(remedy.blocks()));
    return map;
  }
}
