package org.allocsim.reports.answer.validation;

import java.io.PrintWriter;
import java.util.Locale;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.validation.gpu.OomComparison;
import org.allocsim.validation.gpu.QuantitySummary;
import org.allocsim.validation.gpu.Share;
import org.allocsim.validation.gpu.ValidationSummary;
import org.allocsim.validation.gpu.ValidationSummary.Quantity;

/** What many cases of {@code validate} say of each quantity, for people. */
final class ValidateVerdict {
  private ValidateVerdict() {}

  static void print(ValidationSummary all, PrintWriter out) {
    WrappedText.printLine(
        out,
        "Verdict on "
            + Numbers.count(all.cases(), "case")
            + ", with 95 % intervals (shares by Wilson, means and medians by resampling cases):");
    out.println();
    shares(all).print(out, "  ");
    out.println();
    errors(all).print(out, "  ");
    out.println();
    printTime(all, out);
    if (Double.isFinite(all.meanRankAgreement())) {
      WrappedText.printItem(
          out,
          "",
          String.format(
              Locale.ROOT,
              "Addresses: %s of %s (%s) lie where predicted relative to their anchor; rank"
                  + " agreement with the prediction (Kendall's tau) %.3f on average, at least"
                  + " %.3f.",
              Numbers.count(all.addressesEqual()),
              Numbers.count(all.addressesCompared()),
              Numbers.share(all.addressesEqual(), all.addressesCompared()),
              all.meanRankAgreement(),
              all.leastRankAgreement()));
    }
    out.println();
    out.println("Failed requests, in cases:");
    out.println();
    confusion(all).print(out, "  ");
    out.println();
  }

  private static TextTable shares(ValidationSummary all) {
    TextTable table = TextTable.of("cases with", ">cases", ">share", ">interval");
    row(table, "the same driver calls, sizes and refusals", all.sameCalls(), all.cases());
    row(table, "free bytes right after every call", all.freeBytesExact(), all.cases());
    row(table, "the same failed requests", all.sameFailures(), all.cases());
    row(table, "a peak that was under-estimated", all.underEstimated(), all.cases());
    row(table, "pool reserved and used right throughout", all.poolExact(), all.poolCases());
    return table;
  }

  private static void row(TextTable table, String what, long part, long whole) {
    Share share = new Share(part, whole);
    table.row(
        what,
        Numbers.count(part) + " of " + Numbers.count(whole),
        Numbers.percent(share.value()),
        whole == 0 ? "-" : Numbers.percent(share.low()) + " to " + Numbers.percent(share.high()));
  }

  private static TextTable errors(ValidationSummary all) {
    TextTable table =
        TextTable.of("quantity", ">figures", ">exact", ">mean error", ">interval", ">max error");
    for (Quantity quantity : Quantity.values()) {
      QuantitySummary summary = all.quantities().get(quantity);
      if (summary.compared() == 0) {
        continue;
      }
      table.row(
          name(quantity),
          Numbers.count(summary.compared()),
          Numbers.share(summary.exact(), summary.compared()),
          bytes(summary.meanError()),
          Double.isFinite(summary.lowMeanError())
              ? bytes(summary.lowMeanError()) + " to " + bytes(summary.highMeanError())
              : "-",
          bytes(summary.maxError()));
    }
    return table;
  }

  private static String name(Quantity quantity) {
    return switch (quantity) {
      case FREE_BYTES -> "free bytes after a call";
      case PEAK_BYTES -> "peak of a case";
      case POOL_RESERVED_BYTES -> "pool reserved after a call";
      case POOL_USED_BYTES -> "pool used after a call";
    };
  }

  private static String bytes(double bytes) {
    return ByteFormat.human(Math.round(bytes));
  }

  private static void printTime(ValidationSummary all, PrintWriter out) {
    WrappedText.printItem(
        out,
        "",
        all.timedCases() == 0
            ? "Driver time: no case without failures, held memory or other calls gives a figure."
            : String.format(
                Locale.ROOT,
                "Driver time, predicted over measured, in %s without failures: median %.2f%s;"
                    + " relative error %s in the median, %s on average%s, %s at most.",
                Numbers.count(all.timedCases(), "case"),
                all.timeRatio(),
                Double.isFinite(all.lowTimeRatio())
                    ? String.format(
                        Locale.ROOT, " (%.2f to %.2f)", all.lowTimeRatio(), all.highTimeRatio())
                    : "",
                Numbers.percent(all.timeError()),
                Numbers.percent(all.meanTimeError()),
                Double.isFinite(all.lowMeanTimeError())
                    ? " ("
                        + Numbers.percent(all.lowMeanTimeError())
                        + " to "
                        + Numbers.percent(all.highMeanTimeError())
                        + ")"
                    : "",
                Numbers.percent(all.maxTimeError())));
  }

  private static TextTable confusion(ValidationSummary all) {
    TextTable table = TextTable.of("", ">none failed on the GPU", ">one failed on the GPU");
    table.row(
        "none predicted",
        Numbers.count(all.failures(false, false)),
        Numbers.count(all.failures(false, true)));
    table.row(
        "one predicted",
        Numbers.count(all.failures(true, false)),
        Numbers.count(all.failures(true, true)));
    table.row(
        "- at the same request",
        "",
        Numbers.count(all.confusion().get(OomComparison.Verdict.SAME_REQUEST)));
    table.row(
        "- at another request",
        "",
        Numbers.count(all.confusion().get(OomComparison.Verdict.OTHER_REQUEST)));
    return table;
  }
}
