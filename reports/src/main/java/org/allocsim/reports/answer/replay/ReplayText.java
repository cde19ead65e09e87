package org.allocsim.reports.answer.replay;

import java.io.PrintWriter;
import java.util.Map;
import java.util.SortedMap;
import java.util.StringJoiner;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.moment.MomentText;
import org.allocsim.reports.answer.part.InferenceText;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.stats.ByteFormat;

/** Prints what a replay found. */
public final class ReplayText {
  private static final int MESSAGES_SHOWN = 3;

  private final ReplayReport report;
  private final PrintWriter out;

  private ReplayText(ReplayReport report, PrintWriter out) {
    this.report = report;
    this.out = out;
  }

  public static void print(ReplayReport report, PrintWriter out) {
    ReplayText text = new ReplayText(report, out);
    text.printFailures();
    text.printHeader();
    out.println();
    out.print(report.summary());
    out.println();
    text.printFragmentation();
    text.printDriver();
    if (report.time() != null) {
      out.println();
      report.time().print(out);
    }
    text.printRemarks();
  }

  private void printFailures() {
    if (report.ooms().isEmpty()) {
      return;
    }
    for (int i = 0; i < Math.min(MESSAGES_SHOWN, report.ooms().size()); i++) {
      FailedRequest oom = report.ooms().get(i);
      WrappedText.printLine(
          out,
          "Allocation request "
              + Numbers.count(oom.requestIndex())
              + " (counted from 0, of "
              + Numbers.count(report.requests())
              + ") asked for "
              + ByteFormat.human(oom.requestedBytes())
              + " and failed:");
      out.println(oom.message());
      out.println();
    }
    if (report.ooms().size() > MESSAGES_SHOWN) {
      WrappedText.printLine(
          out,
          Numbers.count(report.ooms().size() - MESSAGES_SHOWN, "more request")
              + " failed; --json FILE has all messages.");
      out.println();
    }
  }

  private void printHeader() {
    WrappedText.printField(
        out,
        "trace   ",
        report.file()
            + ": "
            + Numbers.count(report.events(), "event")
            + " of device "
            + report.deviceIndex());
    WrappedText.printField(out, "policy  ", report.policyLabel());
    WrappedText.printField(
        out,
        "device  ",
        report.device()
            + ", "
            + ByteFormat.human(report.deviceBytes())
            + (report.limitBytes() < 0
                ? ", no limit"
                : ", limit " + Numbers.bytes(report.limitBytes()))
            + ", addresses "
            + report.addresses());
    if (report.insertion() != null) {
      WrappedText.printField(out, "insert  ", report.insertion().note(report.insertions()));
    }
  }

  private void printFragmentation() {
    Fragmentation.Moment peak = report.fragmentation().peak();
    Fragmentation.Moment end = report.fragmentation().end();
    TextTable table =
        TextTable.of("where reserved memory went", ">at the peak", ">", ">at the end", ">");
    row(table, "requested by the program", peak.heldRequestedBytes(), end.heldRequestedBytes());
    row(table, "+ lost to rounding", peak.heldRoundingBytes(), end.heldRoundingBytes());
    row(table, "= allocated", peak.allocatedBytes(), end.allocatedBytes());
    MomentText.forEachPart(
        peak.slack(),
        end.slack(),
        "other streams",
        (name, first, second) -> row(table, name, first, second));
    row(table, "= reserved", peak.reservedBytes(), end.reservedBytes());
    table.print(out, "");
    if (end.inactiveBytes() > 0) {
      WrappedText.print(
          out,
          "",
          "",
          "At the end the largest cached block is "
              + ByteFormat.human(report.fragmentation().largestInactiveBlockBytes())
              + ": external fragmentation "
              + Numbers.percent(report.fragmentation().externalRatio())
              + ".");
    }
  }

  private void row(TextTable table, String name, long peakBytes, long endBytes) {
    table.row(
        name,
        ByteFormat.human(peakBytes),
        Numbers.share(peakBytes, report.fragmentation().peak().reservedBytes()),
        ByteFormat.human(endBytes),
        Numbers.share(endBytes, report.fragmentation().end().reservedBytes()));
  }

  private void printDriver() {
    SortedMap<String, Long> calls = report.driverCalls();
    if (calls.isEmpty()) {
      return;
    }
    StringJoiner made = new StringJoiner(", ");
    for (Map.Entry<String, Long> call : calls.entrySet()) {
      if (call.getValue() > 0) {
        made.add(Numbers.count(call.getValue()) + " " + call.getKey());
      }
    }
    out.println();
    WrappedText.printLine(
        out,
        "Driver calls: "
            + (made.length() == 0 ? "none" : made)
            + (report.driverNanos() < 0
                ? "."
                : "; they take at least " + Numbers.seconds(report.driverNanos()) + "."));
  }

  private void printRemarks() {
    if (!report.inferences().isEmpty() || !report.notes().isEmpty()) {
      out.println();
    }
    InferenceText.print(report.inferences(), report.notes(), out, "");
  }
}
