package org.allocsim.reports.answer.validation;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.validation.benchmark.Machine;
import org.allocsim.validation.benchmark.Measurement;

/** Results of {@code allocsim bench} for people and spreadsheets. */
public final class BenchText {
  private static final double MILLION = 1e6;

  /** With less of the processor than this, figures by the clock say little. */
  private static final double ENOUGH_CPU = 0.97;

  private BenchText() {}

  /**
   * Prints the table.
   *
   * @param baseline earlier results to compare with, or null
   */
  public static void print(
      Machine machine,
      int runs,
      List<Measurement> measurements,
      Map<String, String> notRun,
      BenchBaseline baseline,
      double tolerance,
      PrintWriter out) {
    out.println(
        "%s, %d cores, %s, Java %s"
            .formatted(machine.cpu(), machine.cores(), machine.system(), machine.jdk()));
    out.println();
    table(measurements, baseline, tolerance)
        .expendable("--csv FILE has all", List.of("MB/s", "ns/request", "B/event"))
        .print(out, "");
    out.println();
    printCommands(measurements, out);
    WrappedText.printItem(
        out,
        "",
        "Medians of "
            + Numbers.count(samples(measurements), "sample")
            + " from "
            + runs
            + (runs == 1 ? " process" : " processes")
            + " each; ± is half the distance of the quartiles. An event is an effect as PyTorch's"
            + " history records it (alloc, free_requested, free_completed, segment_...); of"
            + " simulations in time, a row of the program. B/event: Java heap allocated.");
    double cpu =
        measurements.stream()
            .mapToDouble(Measurement::cpuShare)
            .filter(Double::isFinite)
            .min()
            .orElse(1);
    if (cpu < ENOUGH_CPU) {
      WrappedText.printItem(
          out,
          "",
          "Other programs had the processor for up to %.0f %% of the time; without them it is that"
                  .formatted(100 * (1 - cpu))
              + " much faster.");
    }
    notRun.forEach((what, why) -> WrappedText.printItem(out, "", "not run: " + what + ": " + why));
    if (baseline != null && !baseline.machine().jdk().equals(machine.jdk())) {
      WrappedText.printItem(
          out, "", "The baseline was measured with Java " + baseline.machine().jdk() + ".");
    }
  }

  /** Whole commands once more, in the units in which users wait for them. */
  private static void printCommands(List<Measurement> measurements, PrintWriter out) {
    TextTable table = TextTable.of("whole command", ">s", ">MiB at its peak");
    boolean any = false;
    for (Measurement each : measurements) {
      if (Double.isFinite(each.peakResidentBytes())) {
        any = true;
        int runs = each.nanosPerEvent().values().size();
        table.row(
            each.what(),
            String.format(
                Locale.ROOT, "%.2f", each.nanosPerEvent().median() * each.events() / runs / 1e9),
            number(each.peakResidentBytes() / (1 << 20)));
      }
    }
    if (any) {
      table.print(out, "");
      out.println();
    }
  }

  private static int samples(List<Measurement> measurements) {
    return measurements.stream()
        .mapToInt(each -> each.nanosPerEvent().values().size())
        .max()
        .orElse(0);
  }

  private static TextTable table(
      List<Measurement> measurements, BenchBaseline baseline, double tolerance) {
    TextTable table =
        baseline == null
            ? TextTable.of(
                "what", ">ns/event", ">±", ">M events/s", ">MB/s", ">ns/request", ">B/event")
            : TextTable.of(
                "what", ">ns/event", ">±", ">M events/s", ">MB/s", ">to baseline", "verdict");
    for (Measurement each : measurements) {
      Object what = each.what();
      String nanos = number(each.nanosPerEvent().median());
      String spread = "%.0f %%".formatted(100 * each.nanosPerEvent().spread());
      String rate = String.format(Locale.ROOT, "%.2f", each.eventsPerSecond() / MILLION);
      String bytes = number(each.plainBytesPerSecond() / MILLION);
      if (baseline == null) {
        table.row(
            what,
            nanos,
            spread,
            rate,
            bytes,
            number(each.nanosPerRequest()),
            number(each.allocatedBytesPerEvent()));
      } else {
        BenchBaseline.Comparison comparison = baseline.compare(each);
        table.row(
            what,
            nanos,
            spread,
            rate,
            bytes,
            comparison == null ? "-" : String.format(Locale.ROOT, "%.2f", comparison.ratio()),
            verdict(comparison, tolerance));
      }
    }
    return table;
  }

  private static String verdict(BenchBaseline.Comparison comparison, double tolerance) {
    if (comparison == null) {
      return "not in it";
    }
    if (comparison.isSlower(tolerance)) {
      return "slower";
    }
    return comparison.apart() && comparison.ratio() < 1 - tolerance ? "faster" : "same";
  }

  private static String number(double value) {
    if (!Double.isFinite(value)) {
      return "-";
    }
    return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%.1f" : "%.0f", value);
  }

  /** Writes all figures as comma-separated values. */
  public static void writeCsv(List<Measurement> measurements, PrintWriter out) {
    CsvText csv =
        new CsvText(
            out,
            "id",
            "unit",
            "events",
            "nanos_per_event",
            "ns_per_event_lower_quartile",
            "ns_per_event_upper_quartile",
            "events_per_second",
            "nanos_per_request",
            "plain_bytes_per_second",
            "cpu_share",
            "allocated_bytes_per_event",
            "peak_resident_bytes");
    for (Measurement each : measurements) {
      csv.row(
          each.id(),
          each.unit(),
          each.events(),
          each.nanosPerEvent().median(),
          each.nanosPerEvent().lowerQuartile(),
          each.nanosPerEvent().upperQuartile(),
          each.eventsPerSecond(),
          each.nanosPerRequest(),
          each.plainBytesPerSecond(),
          each.cpuShare(),
          each.allocatedBytesPerEvent(),
          each.peakResidentBytes());
    }
  }
}
