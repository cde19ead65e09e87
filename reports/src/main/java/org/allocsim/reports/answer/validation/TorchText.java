package org.allocsim.reports.answer.validation;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.validation.torch.TorchVerdict;

/** Results of {@code validate --pytorch} for people. */
public final class TorchText {
  /** Beyond so many cases only those that are not exact have a line of their own. */
  private static final int MAX_LISTED = 40;

  private TorchText() {}

  public static void print(TorchReport report, PrintWriter out) {
    out.println(
        "PyTorch %s on %s%s"
            .formatted(
                report.machine().torch(),
                report.machine().device(),
                report.driver() == null ? "" : ", driver " + report.driver()));
    out.println();
    printCases(report, out);
    TextTable table =
        TextTable.of(
            "settings",
            ">cases",
            ">repeated",
            ">verified",
            ">foreseen",
            ">with addresses",
            ">events",
            ">failed requests");
    for (String conf : report.confs()) {
      table.row(
          conf.isEmpty() ? "(default)" : conf,
          Numbers.count(report.cases(conf).size()),
          Numbers.count(report.count(conf, each -> each.verdict().repeats())),
          Numbers.count(report.count(conf, each -> each.verdict().verified())),
          Numbers.count(report.count(conf, each -> each.verdict().foreseen())),
          Numbers.count(
              report.count(
                  conf, each -> each.verdict().foreseen() && each.verdict().predicted().exact())),
          Numbers.count(
              report.cases(conf).stream()
                  .filter(each -> each.verdict() != null)
                  .mapToLong(each -> each.verdict().predicted().recorded())
                  .sum()),
          Numbers.count(
              report.cases(conf).stream()
                  .filter(each -> each.verdict() != null)
                  .mapToLong(each -> each.verdict().failures())
                  .sum()));
    }
    table.print(out, "  ");
    out.println();
    out.println("In each column are the cases in which every event and memory_stats() are exact:");
    out.println("  repeated: requests are known, the driver gives the recorded addresses");
    out.println("  verified: only the snapshot is known; its end state is compared as well");
    out.println(
        "  foreseen: only the requests are known; actions, sizes, failures and their texts");
    out.println("  with addresses: foreseen, the driver's addresses too");
    Map<String, Integer> leftOut = new LinkedHashMap<>();
    report.cases().stream()
        .map(TorchCase::program)
        .distinct()
        .forEach(program ->
            program
                .requests()
                .leftOut()
                .forEach((what, count) -> leftOut.merge(what, count, Integer::sum)));
    leftOut.forEach((what, count) ->
        WrappedText.printItem(out, "", "left out: " + Numbers.count(count) + " " + what));
    out.flush();
  }

  private static void printCases(TorchReport report, PrintWriter out) {
    boolean all = report.cases().size() <= MAX_LISTED;
    int lines = 0;
    for (TorchCase each : report.cases()) {
      if (each.exact() && !all) {
        continue;
      }
      lines++;
      WrappedText.printItem(
          out,
          "",
          each.program().name()
              + (each.conf().isEmpty() ? "" : " with " + each.conf())
              + (each.job().limitBytes() < 0
                  ? ""
                  : ", limit " + ByteFormat.human(each.job().limitBytes()))
              + ": "
              + (each.verdict() == null ? "not run: " + each.error() : text(each.verdict())));
    }
    if (lines > 0) {
      out.println();
    }
  }

  private static String text(TorchVerdict verdict) {
    StringBuilder text = new StringBuilder();
    text.append(Numbers.count(verdict.predicted().recorded(), "event"));
    if (verdict.failures() > 0) {
      text.append(", ").append(Numbers.count(verdict.failures(), "failed request"));
    }
    if (verdict.exact()) {
      return text.append(", all exact").toString();
    }
    if (!verdict.predicted().hasSameActions()) {
      text.append("; not foreseen: ").append(verdict.predicted().difference());
    } else if (!verdict.foreseen()) {
      text.append("; not foreseen: ")
          .append(
              verdict.failureDifferences().isEmpty()
                  ? verdict.predictedStatistics().getFirst()
                  : verdict.failureDifferences().getFirst());
    }
    if (verdict.predicted().addressDifference() != null) {
      text.append("; ")
          .append(
              Numbers.share(verdict.predicted().equalAddresses(), verdict.predicted().addresses()))
          .append(" of addresses foreseen, the first other one in ")
          .append(verdict.predicted().addressDifference());
    }
    if (verdict.repeats()) {
      text.append("; repeated");
    } else {
      text.append("; not repeated: ")
          .append(
              !verdict.repeated().hasSameActions()
                  ? verdict.repeated().difference()
                  : verdict.repeated().addressDifference() != null
                      ? verdict.repeated().addressDifference()
                      : verdict.repeatedStatistics().getFirst());
    }
    if (verdict.verified()) {
      text.append("; verified");
    } else {
      verdict
          .verification()
          .firstDivergence()
          .ifPresent(found ->
              text.append(
                  "; not verified: entry %d: recorded %s, simulated %s"
                      .formatted(found.index(), found.expected(), found.actual())));
      if (verdict.verification().firstDivergence().isEmpty()) {
        text.append("; not verified: ")
            .append(
                verdict.verification().layoutDifferences().isEmpty()
                    ? verdict.verifiedStatistics().getFirst()
                    : verdict.verification().layoutDifferences().getFirst());
      }
    }
    if (verdict.forcedWaits() > 0) {
      text.append("; ").append(Numbers.count(verdict.forcedWaits(), "wait"));
      text.append(" for the GPU inside the allocator");
    }
    return text.toString();
  }
}
