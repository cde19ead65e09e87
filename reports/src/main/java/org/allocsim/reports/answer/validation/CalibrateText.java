package org.allocsim.reports.answer.validation;

import java.io.PrintWriter;
import java.util.Locale;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.validation.calibration.CalibrationResult;
import org.allocsim.validation.calibration.CallClass;
import org.allocsim.validation.calibration.CopyExperiment;
import org.allocsim.validation.calibration.Observations;
import org.allocsim.validation.calibration.Placement;
import org.allocsim.validation.calibration.RobustFit;

/** What {@code calibrate} found, for people. */
public final class CalibrateText {
  private CalibrateText() {}

  public static void print(CalibrationResult result, PrintWriter out) {
    WrappedText.print(
        out,
        "",
        "  ",
        "profile %s: %s".formatted(result.profile().name(), result.profile().source()));
    out.println();
    placement(result, out);
    out.println();
    TextTable table =
        TextTable.of(
            "parameter", ">calls", ">value", ">95 % interval", ">errors 5 to 95 %", ">model/time");
    for (CallClass each : CallClass.values()) {
      RobustFit fit = result.fits().get(each);
      for (int i = 0; i < each.parameters().size(); i++) {
        RobustFit.Estimate estimate = fit.estimate(i);
        table.row(
            each.parameters().get(i),
            i == 0 ? Numbers.count(fit.calls()) : "",
            estimate.isKnown() ? micros(estimate.value()) : "unknown",
            estimate.isKnown() ? micros(estimate.low()) + " .. " + micros(estimate.high()) : "",
            i == 0 && fit.calls() > 0
                ? "%+.0f .. %+.0f %%"
                    .formatted(100 * fit.errorPercentile(5), 100 * fit.errorPercentile(95))
                : "",
            i == 0 && fit.calls() > 0 ? String.format(Locale.ROOT, "%.2f", fit.ratio()) : "");
      }
    }
    out.println("times of calls in microseconds");
    table.print(out, "  ");
    out.println();
    copies(result.copies(), out);
    notes(result, out);
    out.flush();
  }

  private static void placement(CalibrationResult result, PrintWriter out) {
    Placement found = result.placement();
    TextTable table = TextTable.of("memory", ">found");
    table.row("size", Numbers.bytes(result.profile().totalBytes()));
    table.row(
        "taken at the start (context, others)", Numbers.bytes(result.profile().contextBytes()));
    table.row(
        "unusable", found.unusableBytes() < 0 ? "unknown" : Numbers.bytes(found.unusableBytes()));
    table.row("page", Numbers.bytes(found.pageBytes()));
    table.row("granularity of small blocks", Numbers.bytes(found.alignmentBytes()));
    table.row("largest block that shares a page", known(found.largestSharedBytes()));
    table.row("unit of reservations", known(found.reservationBytes()));
    table.row("first block of two pages", "0x" + Long.toHexString(found.arenaAddress()));
    table.row(
        "end of the first reservation",
        found.topAddress() < 0 ? "unknown" : "0x" + Long.toHexString(found.topAddress()));
    table.row("first address range", "0x" + Long.toHexString(found.rangeAddress()));
    table.row("unit of the stream-ordered pool", known(found.chunkBytes()));
    table.print(out, "  ");
  }

  private static void copies(CopyExperiment.Result copies, PrintWriter out) {
    if (copies == null) {
      return;
    }
    TextTable table = TextTable.of("copies and launches", ">found");
    table.row("pinned memory to device", rate(copies.pinnedToDevice()));
    table.row("device to pinned memory", rate(copies.pinnedToHost()));
    table.row("pageable memory to device", rate(copies.pageableToDevice()));
    table.row("device to pageable memory", rate(copies.pageableToHost()));
    table.row("small copy", micros(copies.copyNanos()) + " us");
    table.row("launch of a small fill", micros(copies.launchNanos()) + " us");
    table.row("pinning, fixed", micros(copies.pinNanos()) + " us");
    table.row("pinning, each MiB", micros(copies.pinMebibyteNanos()) + " us");
    table.print(out, "  ");
    out.println();
  }

  private static void notes(CalibrationResult result, PrintWriter out) {
    WrappedText.print(
        out,
        "",
        "  ",
        ("Over %d rounds the host needed %.2f (5 %%), %.2f (50 %%) and %.2f (95 %% of the time)"
                + " times its usual time for the same; all times are scaled to the usual speed.")
            .formatted(
                result.rounds(),
                result.observations().slowness(5),
                result.observations().slowness(50),
                result.observations().slowness(95)));
    WrappedText.print(
        out,
        "",
        "  ",
        "The simulated device answered %s of %s questions for free and reserved bytes otherwise."
            .formatted(
                Numbers.count(result.observations().otherAnswers()),
                Numbers.count(result.observations().answers())));
    if (!result.undetermined().isEmpty()) {
      WrappedText.print(
          out,
          "",
          "  ",
          "Not determined, and as on the profile it began with: "
              + String.join(", ", result.undetermined())
              + ".");
    }
  }

  /** All timed calls: class, terms, nanoseconds as measured and scaled. */
  public static void printObservations(CalibrationResult result, PrintWriter out) {
    out.println("class,term1,term2,term3,measured_nanos,scaled_nanos");
    for (CallClass each : CallClass.values()) {
      Observations calls = result.observations().of(each);
      for (int row = 0; row < calls.count(); row++) {
        StringBuilder line = new StringBuilder(each.name());
        for (int term = 0; term < 3; term++) {
          line.append(',');
          if (term < calls.terms()) {
            line.append(Math.round(calls.term(row, term)));
          }
        }
        line.append(',').append(Math.round(calls.measuredNanos(row)));
        out.println(line.append(',').append(Math.round(calls.nanos(row))));
      }
    }
    out.flush();
  }

  private static String known(long bytes) {
    return bytes < 0 ? "unknown" : Numbers.bytes(bytes);
  }

  private static String rate(long bytesPerSecond) {
    return String.format(Locale.ROOT, "%.2f GB/s", bytesPerSecond / 1e9);
  }

  private static String micros(double nanos) {
    return String.format(Locale.ROOT, "%.2f", nanos / 1000);
  }
}
