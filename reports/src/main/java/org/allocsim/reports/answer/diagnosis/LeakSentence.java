package org.allocsim.reports.answer.diagnosis;

import java.util.Locale;
import org.allocsim.analysis.leak.Forecast;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.Trend;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.stats.ByteFormat;

/** Says in a sentence what memory does over the iterations. */
final class LeakSentence {
  private LeakSentence() {}

  /** The whole sentence, without the verdict. */
  static String of(LeaksReport report) {
    LeakAnalysis analysis = report.analysis();
    String sentence =
        headline(report)
            + switch (analysis.verdict()) {
              case LEAK -> ", " + interval(analysis.deciding());
              case FRAGMENTATION ->
                  ", " + interval(analysis.reserved()) + ", while live memory does not grow";
              case PLATEAU, NONE -> "";
            };
    return report
        .forecast()
        .map(forecast -> sentence + "; " + full(report, forecast))
        .orElse(sentence);
  }

  /** The short form, for a title. */
  static String headline(LeaksReport report) {
    LeakAnalysis analysis = report.analysis();
    return switch (analysis.verdict()) {
      case LEAK -> "live memory grows by " + bytes(analysis.deciding().slope()) + " an iteration";
      case FRAGMENTATION ->
          "reserved memory grows by " + bytes(analysis.reserved().slope()) + " an iteration";
      case PLATEAU -> plateau(analysis);
      case NONE -> "after the warm-up neither live nor reserved memory grows";
    };
  }

  private static String plateau(LeakAnalysis analysis) {
    if (analysis.floor().rises()) {
      return "live memory grew and is level since iteration " + analysis.floor().stopped();
    }
    int record = analysis.lastReservedRecord();
    long gainedBytes =
        analysis.series().reservedBytes()[record]
            - analysis.series().reservedBytes()[analysis.warmUp()];
    return "reserved memory grew by "
        + ByteFormat.human(gainedBytes)
        + " after the warm-up, last in iteration "
        + Numbers.count(record)
        + (analysis.recordsNeedLargerPeaks() ? " with larger batches only" : "")
        + ", and live memory does not grow";
  }

  private static String full(LeaksReport report, Forecast forecast) {
    String gpu = "a GPU with " + ByteFormat.human(forecast.capacityBytes()) + " for the allocator";
    if (forecast.nowBytes() >= forecast.capacityBytes()) {
      return gpu + " is too small already";
    }
    return gpu
        + report
            .pressure()
            .filter(pressure -> pressure.expected() < forecast.expected())
            .map(pressure ->
                pressure.nowBytes() >= pressure.capacityBytes()
                    ? " is all reserved already and"
                    : " is all reserved at iteration " + when(pressure) + " and")
            .orElse("")
        + " is full at iteration "
        + when(forecast);
  }

  private static String when(Forecast forecast) {
    return forecast.earliest() == forecast.latest()
        ? iteration(forecast.expected())
        : iteration(forecast.expected())
            + " ("
            + iteration(forecast.earliest())
            + " to "
            + iteration(forecast.latest())
            + ")";
  }

  private static String iteration(long iteration) {
    return iteration == Forecast.NEVER ? "2^63 or later" : Numbers.count(iteration);
  }

  /** The interval of a slope with its confidence. */
  static String interval(Trend trend) {
    return String.format(Locale.ROOT, "%.1f %% interval ", 100 * trend.confidence())
        + bytes(trend.lower())
        + " to "
        + bytes(trend.upper());
  }

  /** A slope, to the byte. */
  static String bytes(double slope) {
    return ByteFormat.human(Math.round(slope));
  }

  /** How iterations were found. */
  static String source(Iterations iterations) {
    return switch (iterations.source()) {
      case MARKER -> "marker " + iterations.name();
      case PERIOD -> "period: " + iterations.name();
    };
  }
}
