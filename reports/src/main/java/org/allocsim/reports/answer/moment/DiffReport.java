package org.allocsim.reports.answer.moment;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.moment.LiveSet.Group;
import org.allocsim.analysis.moment.MemoryMoment;
import org.allocsim.analysis.moment.PeakDifference;
import org.allocsim.analysis.moment.PeakDifference.Row;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * Shows how the peaks of two programs differ.
 *
 * @param before the first program
 * @param after the second program
 * @param difference what differs
 * @param limits how much is shown
 */
public record DiffReport(
    ReplayedProgram before, ReplayedProgram after, PeakDifference difference, TableLimits limits) {

  public void print(PrintWriter out) {
    WrappedText.printField(out, "before  ", moment(before, difference.before()));
    WrappedText.printField(out, "after   ", moment(after, difference.after()));
    out.println();
    printParts(out);
    out.println();
    printRows(out);
    printRemarks(before, out);
    printRemarks(after, out);
  }

  private static String moment(ReplayedProgram program, MemoryMoment moment) {
    return program.name()
        + ": device "
        + program.device()
        + ", "
        + moment.kind().phrase()
        + (moment.requestIndex() < 0
            ? ""
            : ", after allocation request " + Numbers.count(moment.requestIndex()));
  }

  private void printParts(PrintWriter out) {
    MemoryMoment.Totals first = difference.before().bytes();
    MemoryMoment.Totals second = difference.after().bytes();
    SlackSplit one = difference.before().slack();
    SlackSplit two = difference.after().slack();
    TextTable table = TextTable.of("", ">before", ">after", ">change", ">bytes");
    row(table, "program: requested", first.requestedBytes(), second.requestedBytes());
    row(table, "allocator: rounding", first.roundingBytes(), second.roundingBytes());
    row(table, "allocator: whole free segments", one.releasableBytes(), two.releasableBytes());
    row(table, "allocator: free parts of segments in use", one.stuckBytes(), two.stuckBytes());
    optionalRow(
        table,
        "allocator: given back, in use on another stream",
        one.awaitingBytes(),
        two.awaitingBytes());
    optionalRow(
        table,
        "allocator: cached for other streams",
        one.otherReleasableBytes() + one.otherStuckBytes(),
        two.otherReleasableBytes() + two.otherStuckBytes());
    optionalRow(table, "allocator: free in private pools", one.privateBytes(), two.privateBytes());
    row(table, "reserved", first.reservedBytes(), second.reservedBytes());
    table.print(out, "");
    out.println();
    WrappedText.printLine(
        out,
        "Reserved memory changes by "
            + signed(difference.reservedBytes())
            + ": "
            + signed(difference.programBytes())
            + " by the program, "
            + signed(difference.allocatorBytes())
            + " by the allocator.");
  }

  private static void optionalRow(TextTable table, String name, long one, long two) {
    if (one != 0 || two != 0) {
      row(table, name, one, two);
    }
  }

  private static void row(TextTable table, String name, long one, long two) {
    table.row(
        name,
        ByteFormat.human(one),
        ByteFormat.human(two),
        signed(two - one),
        signedCount(two - one));
  }

  private static String signed(long bytes) {
    return (bytes > 0 ? "+" : "") + ByteFormat.human(bytes);
  }

  private static String signedCount(long bytes) {
    return (bytes > 0 ? "+" : bytes < 0 ? "-" : "") + Numbers.count(Math.abs(bytes));
  }

  private void printRows(PrintWriter out) {
    TextTable table =
        TextTable.of(
            ">requested before",
            ">after",
            ">change",
            ">bytes",
            switch (difference.by()) {
              case STACK -> "allocated at, innermost frame first";
              case SIZE -> "requested size";
              case PHASE -> "allocated in phase";
            });
    List<Row> rows = difference.rows();
    int shown = Math.min(limits.top(), rows.size());
    rows.subList(0, shown).forEach(row -> row(table, row));
    if (shown < rows.size()) {
      Group none = new Group(Numbers.count(rows.size() - shown) + " more", 0, 0, 0);
      Row rest = new Row(none, none);
      for (Row row : rows.subList(shown, rows.size())) {
        rest = new Row(rest.before().plus(row.before()), rest.after().plus(row.after()));
      }
      row(table, rest);
    }
    if (difference.unknown().before().blocks() + difference.unknown().after().blocks() > 0) {
      row(table, difference.unknown());
    }
    Row sum =
        new Row(
            new Group("requested", 0, difference.before().bytes().requestedBytes(), 0),
            new Group("requested", 0, difference.after().bytes().requestedBytes(), 0));
    row(table, sum);
    table.print(out, "");
  }

  private static void row(TextTable table, Row row) {
    table.row(
        ByteFormat.human(row.before().requestedBytes()),
        ByteFormat.human(row.after().requestedBytes()),
        signed(row.requestedBytes()),
        signedCount(row.requestedBytes()),
        row.label());
  }

  private static void printRemarks(ReplayedProgram program, PrintWriter out) {
    if (!program.inferences().isEmpty() || !program.notes().isEmpty()) {
      out.println();
      out.println(program.name());
      InferenceText.print(program.inferences(), program.notes(), out, "  ");
    }
  }

  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("before", program(before, difference.before()));
    map.put("after", program(after, difference.after()));
    map.put("reserved_change_bytes", difference.reservedBytes());
    map.put("program_change_bytes", difference.programBytes());
    map.put("allocator_change_bytes", difference.allocatorBytes());
    map.put("rounding_change_bytes", difference.roundingBytes());
    map.put("slack_change_bytes", difference.slackBytes());
    map.put("by", difference.by().name().toLowerCase(Locale.ROOT));
    List<Object> rows = new ArrayList<>();
    difference.rows().forEach(row -> rows.add(toMap(row)));
    map.put("groups", rows);
    map.put("unknown", toMap(difference.unknown()));
    return map;
  }

  private static Map<String, Object> program(ReplayedProgram program, MemoryMoment moment) {
    Map<String, Object> map = MomentText.headerMap(program);
    map.put("moment", MomentText.toMap(program, moment));
    return map;
  }

  private static Map<String, Object> toMap(Row row) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("label", row.label());
    map.put("before_requested_bytes", row.before().requestedBytes());
    map.put("after_requested_bytes", row.after().requestedBytes());
    map.put("before_allocated_bytes", row.before().blockBytes());
    map.put("after_allocated_bytes", row.after().blockBytes());
    map.put("before_blocks", row.before().blocks());
    map.put("after_blocks", row.after().blocks());
    return map;
  }
}
