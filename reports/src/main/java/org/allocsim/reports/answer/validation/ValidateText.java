package org.allocsim.reports.answer.validation;

import java.io.PrintWriter;
import java.util.List;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.validation.gpu.CaseResult;
import org.allocsim.validation.gpu.OomComparison;
import org.allocsim.validation.gpu.ValidationSummary;

/** Results of {@code validate} for people. */
public final class ValidateText {
  private ValidateText() {}

  public static void print(ValidateReport report, PrintWriter out) {
    WrappedText.printLine(
        out,
        "%s, CUDA %d.%d%s, %s free before and %s after"
            .formatted(
                report.gpu().name(),
                report.gpu().driverVersion() / 1000,
                report.gpu().driverVersion() % 1000 / 10,
                report.driver() == null ? "" : ", driver " + report.driver(),
                Numbers.bytes(report.gpu().freeBytesAtStart()),
                report.freeBytesAfter() == report.gpu().freeBytesAtStart()
                    ? "as much"
                    : Numbers.bytes(report.freeBytesAfter())));
    out.println();
    TextTable table =
        TextTable.of(
            "trace",
            "policy",
            ">limit",
            ">calls",
            ">equal",
            ">free exact",
            ">addresses",
            ">pool exact",
            "first failed request",
            ">peak error",
            ">driver time");
    for (ValidatedCase each : report.cases()) {
      if (each.result() != null) {
        row(table, each);
      }
    }
    table.print(out, "  ");
    List<CaseResult> results = report.results(_ -> true);
    out.println();
    ValidateVerdict.print(ValidationSummary.of(results), out);
    for (ValidatedCase each : report.cases()) {
      String what = each.trace() + " with " + each.choice().label();
      if (each.result() == null) {
        WrappedText.printItem(out, "", what + " was not run: " + each.notRunBecause());
      } else if (!each.result().hasSameCalls()) {
        WrappedText.printItem(out, "", what + ", " + each.result().firstDifference());
      }
    }
    out.flush();
  }

  private static void row(TextTable table, ValidatedCase each) {
    CaseResult result = each.result();
    boolean pooled = result.poolReserved().compared() > 0;
    table.row(
        each.trace(),
        each.choice().label(),
        each.limitBytes() >= 0
            ? "limit " + ByteFormat.human(each.limitBytes())
            : each.capacityBytes() >= 0 ? "free " + ByteFormat.human(each.capacityBytes()) : "-",
        Numbers.count(result.measuredCalls()),
        result.hasSameCalls() ? "all" : Numbers.count(result.equalCalls()),
        Numbers.share(result.freeBytes().exact(), result.freeBytes().compared()),
        Numbers.share(result.addresses().equalRelative(), result.addresses().compared()),
        pooled
            ? Numbers.share(result.poolReserved().exact(), result.poolReserved().compared())
            : "-",
        failures(result.failures()),
        ByteFormat.human(Math.abs(result.predictedPeakBytes() - result.measuredPeakBytes())),
        "%.2f [%.2f, %.2f]"
            .formatted(result.time().ratio(), result.time().lowRatio(), result.time().highRatio()));
  }

  private static String failures(OomComparison failures) {
    return switch (failures.verdict()) {
      case NEITHER -> "none, as predicted";
      case SAME_REQUEST ->
          failures.measuredFirst()
              + " as predicted"
              + (failures.same() ? "" : ", later ones differ");
      case OTHER_REQUEST -> failures.measuredFirst() + ", predicted " + failures.predictedFirst();
      case PREDICTED_ONLY -> "none, predicted " + failures.predictedFirst();
      case MEASURED_ONLY -> failures.measuredFirst() + ", none predicted";
    };
  }
}
