package org.allocsim.reports.answer.diagnosis;

import java.io.PrintWriter;
import java.util.List;
import org.allocsim.analysis.leak.Growth;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.LeakVerdict;
import org.allocsim.analysis.leak.Trend;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.StackTable;

/** Prints what {@code leaks} found. */
public final class LeaksText {
  private static final int ROWS = 8;

  private final LeaksReport report;
  private final LeakAnalysis analysis;
  private final PrintWriter out;

  private LeaksText(LeaksReport report, PrintWriter out) {
    this.report = report;
    this.analysis = report.analysis();
    this.out = out;
  }

  public static void print(LeaksReport report, PrintWriter out) {
    LeaksText text = new LeaksText(report, out);
    WrappedText.print(
        out, "", "  ", report.analysis().verdict() + ": " + LeakSentence.of(report) + ".");
    out.println();
    text.printHeader();
    out.println();
    text.printTrends();
    if (report.analysis().verdict() == LeakVerdict.LEAK) {
      out.println();
      text.printSizes();
      text.printStacks();
    }
    if (!report.inferences().isEmpty() || !report.input().notes().isEmpty()) {
      out.println();
    }
    InferenceText.print(report.inferences(), report.input().notes(), out, "");
  }

  private void printHeader() {
    WrappedText.printField(
        out,
        "trace       ",
        report.file()
            + ": "
            + Numbers.count(report.events(), "event")
            + " of device "
            + report.deviceIndex());
    WrappedText.print(
        out,
        "iterations  ",
        "            ",
        analysis.iterations().count()
            + " by "
            + LeakSentence.source(analysis.iterations())
            + switch (analysis.warmUp()) {
              case 0 -> "; none is warm-up";
              case 1 -> "; iteration 0 is warm-up and left out";
              default ->
                  "; iterations 0 to " + (analysis.warmUp() - 1) + " are warm-up and left out";
            });
  }

  private void printTrends() {
    int first = analysis.warmUp();
    int last = analysis.series().count() - 1;
    TextTable table =
        TextTable.of(
            "",
            ">in iteration " + first,
            ">in iteration " + last,
            ">per iteration",
            ">interval",
            ">",
            "trend");
    row(table, "live at the quietest moment", analysis.series().floorBytes(), analysis.floor());
    analysis
        .kept()
        .ifPresent(
            kept -> row(table, "  older than an iteration", analysis.series().keptBytes(), kept));
    row(table, "reserved at the end", analysis.series().reservedBytes(), analysis.reserved());
    row(table, "  beyond the highest peak", analysis.series().excessBytes(), analysis.excess());
    table.print(out, "");
  }

  private void row(TextTable table, String name, long[] series, Trend trend) {
    boolean known = trend.first() == analysis.warmUp();
    table.row(
        name,
        known ? ByteFormat.human(series[analysis.warmUp()]) : "-",
        ByteFormat.human(series[series.length - 1]),
        LeakSentence.bytes(trend.slope()),
        LeakSentence.bytes(trend.lower()),
        LeakSentence.bytes(trend.upper()),
        word(trend));
  }

  private static String word(Trend trend) {
    if (trend.grows()) {
      return "grows";
    }
    if (trend.rises()) {
      return "level since " + trend.stopped();
    }
    return trend.upper() < 0
        ? "falls"
        : trend.comesBack() && trend.lower() > 0 ? "comes back" : "-";
  }

  private void printSizes() {
    Growth growth = analysis.growth();
    boolean ranges = !fewExplain(growth);
    TextTable table =
        TextTable.of(
            ranges ? "requested up to" : "requested",
            ">blocks",
            ">bytes",
            ">per iteration",
            ">share",
            ">survivors of iterations");
    List<Growth.Group> groups = ranges ? growth.byRange() : growth.bySize();
    WrappedText.printLine(
        out,
        "Between iterations "
            + growth.from()
            + " and "
            + growth.to()
            + " live memory grew by "
            + Numbers.bytes(growth.bytes())
            + ":");
    for (Growth.Group group : groups.subList(0, Math.min(ROWS, groups.size()))) {
      row(table, growth, size(group.key()), group);
    }
    if (groups.size() > ROWS) {
      rest(table, growth, groups.subList(ROWS, groups.size()), "other sizes");
    }
    table.print(out, "");
  }

  /** Whole KiB, MiB and so on in short, everything else to the byte. */
  private static String size(long bytes) {
    String text = ByteFormat.human(bytes);
    return bytes % 1024 == 0 && text.contains(".00 ") ? text : Numbers.count(bytes) + " B";
  }

  /** Whether the largest few exact sizes explain half of the growth. */
  private static boolean fewExplain(Growth growth) {
    long bytes = 0;
    for (Growth.Group group : growth.bySize().subList(0, Math.min(ROWS, growth.bySize().size()))) {
      bytes += Math.max(0, group.bytes());
    }
    return 2 * bytes >= growth.bytes();
  }

  private void row(TextTable table, Growth growth, String name, Growth.Group group) {
    table.row(
        name,
        Numbers.count(group.blocks()),
        ByteFormat.human(group.bytes()),
        LeakSentence.bytes((double) group.bytes() / growth.span()),
        Numbers.share(group.bytes(), growth.bytes()),
        group.iterations() + " of " + growth.span());
  }

  private void rest(TextTable table, Growth growth, List<Growth.Group> groups, String name) {
    long blocks = 0;
    long bytes = 0;
    for (Growth.Group group : groups) {
      blocks += group.blocks();
      bytes += group.bytes();
    }
    table.row(
        Numbers.count(groups.size()) + " " + name,
        Numbers.count(blocks),
        ByteFormat.human(bytes),
        LeakSentence.bytes((double) bytes / growth.span()),
        Numbers.share(bytes, growth.bytes()),
        "");
  }

  private void printStacks() {
    List<Growth.Group> groups = analysis.growth().byStack();
    if (groups.stream().allMatch(group -> group.key() == StackTable.NONE)) {
      out.println();
      WrappedText.print(
          out,
          "",
          "",
          "The recording holds no stacks; record with _record_memory_history(stacks=\"python\") to"
              + " see which lines allocate what grows.");
      return;
    }
    out.println();
    TextTable table =
        TextTable.of(
            ">blocks",
            ">bytes",
            ">share",
            ">survivors of iterations",
            "allocated at, innermost frame first");
    int shown = Math.min(ROWS, groups.size());
    for (Growth.Group group : groups.subList(0, shown)) {
      table.row(
          Numbers.count(group.blocks()),
          ByteFormat.human(group.bytes()),
          Numbers.share(group.bytes(), analysis.growth().bytes()),
          group.iterations() + " of " + analysis.growth().span(),
          group.key() == StackTable.NONE ? "(no stack)" : report.label((int) group.key()));
    }
    table.print(out, "");
    if (groups.size() > shown) {
      WrappedText.printLine(out, "and " + Numbers.count(groups.size() - shown, "more stack") + ".");
    }
  }
}
