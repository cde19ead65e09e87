package org.allocsim.reports.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.chart.BarData;
import org.allocsim.reports.fleet.FleetAnalysis;
import org.allocsim.reports.fleet.FleetAnalysis.Card;
import org.allocsim.reports.fleet.FleetAnalysis.CardTally;
import org.allocsim.reports.fleet.FleetAnalysis.Choice;
import org.allocsim.reports.fleet.FleetAnalysis.Tally;
import org.allocsim.reports.fleet.FleetAnalysis.TraceTally;
import org.allocsim.reports.text.Numbers;
import org.allocsim.simulator.stats.ByteFormat;

/** What a fleet report says, as sentences, tables and quantities of charts. */
final class FleetTables {
  private static final double[] QUANTILES = {0.1, 0.5, 0.9};

  /** Borders of the classes of savings, in shares of the baseline's peak. */
  private static final double[] CLASSES = {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1};

  private final FleetAnalysis analysis;

  FleetTables(FleetAnalysis analysis) {
    this.analysis = analysis;
  }

  /** What happened and what to do. */
  String verdict() {
    if (analysis.runs() == 0) {
      return "No run could be made: there is nothing to compare.";
    }
    Map.Entry<Choice, Tally> best = bestSetting();
    long failures = analysis.failures();
    if (best == null) {
      return "No setting of PyTorch's allocator was run: there is nothing to compare with.";
    }
    String name = best.getKey().label();
    if (failures == 0) {
      return "Every trace runs on every card as recorded; under "
          + name
          + " half of them reserve at least "
          + percent(best.getValue().savingQuantile(0.5))
          + " less.";
    }
    if (best.getValue().saved() == 0) {
      return "No single setting saves any of the "
          + Numbers.count(failures, "failure")
          + ": larger cards or smaller programs are needed.";
    }
    return name
        + " saves "
        + Numbers.count(best.getValue().saved())
        + " of "
        + Numbers.count(failures, "failure")
        + (best.getValue().broken() == 0
            ? " and breaks nothing."
            : " and breaks " + Numbers.count(best.getValue().broken()) + " others.");
  }

  private Map.Entry<Choice, Tally> bestSetting() {
    return analysis.choices().stream()
        .filter(entry -> entry.getKey().isSetting())
        .findFirst()
        .orElse(null);
  }

  /** Facts behind the verdict. */
  List<String> facts() {
    return List.of(
        Numbers.count(analysis.traceCount(), "trace")
            + ", "
            + Numbers.count(analysis.runs(), "run")
            + ", "
            + Numbers.count(analysis.cards().size(), "card")
            + ", "
            + Numbers.count(analysis.choices().size(), "setting")
            + " and allocators.",
        Numbers.count(analysis.failures(), "failure")
            + " of traces on cards under their recorded settings; "
            + Numbers.count(analysis.lost())
            + " of them no setting saves.",
        Numbers.count(analysis.unreadable(), "file")
            + " could not be read, "
            + Numbers.count(analysis.notRun(), "run")
            + " could not be made.");
  }

  /** All tables in their order. */
  List<FleetSection> sections() {
    return List.of(settings(), families(), cards(), worst());
  }

  private FleetSection settings() {
    FleetSection section =
        new FleetSection(
            "fleet-settings.csv",
            "Failures saved and memory saved, by setting",
            "Against the recorded settings on the same card. Saved memory is the share of the"
                + " recorded settings' peak of reserved memory, where neither runs out; a tenth,"
                + " half and nine tenths of the runs save less. A negative share is more memory.",
            List.of(
                "setting",
                ">failures saved",
                ">broken",
                ">out of memory",
                ">runs",
                ">10 % save less",
                ">median",
                ">90 % save less",
                ">driver time"),
            List.of(
                "policy",
                "conf",
                "options",
                "failures_saved",
                "broken",
                "ooms",
                "runs",
                "saving_p10_ratio",
                "saving_p50_ratio",
                "saving_p90_ratio",
                "driver_time_ratio"));
    for (Map.Entry<Choice, Tally> entry : analysis.choices()) {
      Choice choice = entry.getKey();
      Tally tally = entry.getValue();
      section.row(
          List.of(
              choice.label(),
              Numbers.count(tally.saved()),
              Numbers.count(tally.broken()),
              Numbers.count(tally.ooms()),
              Numbers.count(tally.runs()),
              percent(tally.savingQuantile(QUANTILES[0])),
              percent(tally.savingQuantile(QUANTILES[1])),
              percent(tally.savingQuantile(QUANTILES[2])),
              times(tally.driverRatio())),
          choice.policy(),
          choice.conf(),
          choice.options(),
          tally.saved(),
          tally.broken(),
          tally.ooms(),
          tally.runs(),
          tally.savingQuantile(QUANTILES[0]),
          tally.savingQuantile(QUANTILES[1]),
          tally.savingQuantile(QUANTILES[2]),
          tally.driverRatio());
    }
    return section;
  }

  private FleetSection families() {
    FleetSection section =
        new FleetSection(
            "fleet-families.csv",
            "Best setting by workload family",
            "The setting that saves most failures net of those that it breaks, then most memory.",
            List.of(
                "family",
                ">traces",
                ">failures",
                "best setting",
                ">saved",
                ">broken",
                ">median saving",
                ">driver time"),
            List.of(
                "family",
                "traces",
                "failures",
                "conf",
                "failures_saved",
                "broken",
                "saving_p50_ratio",
                "driver_time_ratio"));
    analysis
        .bestOfFamilies()
        .forEach((name, best) -> {
          Tally tally = best.getValue();
          section.row(
              List.of(
                  name,
                  Numbers.count(analysis.tracesOf(name)),
                  Numbers.count(analysis.failuresOf(name)),
                  best.getKey().label(),
                  Numbers.count(tally.saved()),
                  Numbers.count(tally.broken()),
                  percent(tally.savingQuantile(0.5)),
                  times(tally.driverRatio())),
              name,
              analysis.tracesOf(name),
              analysis.failuresOf(name),
              best.getKey().conf(),
              tally.saved(),
              tally.broken(),
              tally.savingQuantile(0.5),
              tally.driverRatio());
        });
    return section;
  }

  private FleetSection cards() {
    FleetSection section =
        new FleetSection(
            "fleet-cards.csv",
            "Frontier of cards",
            "How many traces each card serves: as recorded, under the one setting that serves most"
                + " on it, with the best setting for each trace, and with any allocator that was"
                + " run.",
            List.of(
                "card",
                ">free memory",
                ">traces",
                ">as recorded",
                ">one setting",
                ">each its own",
                ">any allocator",
                "the one setting"),
            List.of(
                "device",
                "capacity_bytes",
                "has_limit",
                "traces",
                "served_as_recorded",
                "served_by_best_setting",
                "served_by_each_its_own",
                "served_by_any_allocator",
                "best_conf"));
    analysis
        .cards()
        .forEach((card, tally) -> {
          Choice best = tally.bestSetting();
          long byBest = best == null ? 0 : tally.servedBy(best);
          section.row(
              List.of(
                  name(card),
                  ByteFormat.human(card.capacityBytes()),
                  Numbers.count(tally.traces()),
                  Numbers.count(tally.servedByBaseline()),
                  Numbers.count(byBest),
                  Numbers.count(tally.servedBySetting()),
                  Numbers.count(tally.servedByAny()),
                  best == null ? "-" : best.label()),
              card.device(),
              card.capacityBytes(),
              card.isLimited(),
              tally.traces(),
              tally.servedByBaseline(),
              byBest,
              tally.servedBySetting(),
              tally.servedByAny(),
              best == null ? null : best.conf());
        });
    return section;
  }

  private FleetSection worst() {
    FleetSection section =
        new FleetSection(
            "fleet-traces.csv",
            "Worst offenders",
            "First traces that no setting saves on some card, then those that reserve most beyond"
                + " what their best setting needs, on the card where that is most.",
            List.of(
                "trace",
                ">fails on",
                ">lost on",
                ">asks for",
                ">reserves",
                ">could do with",
                ">less",
                "under"),
            List.of(
                "file",
                "family",
                "failures",
                "failures_lost",
                "peak_requested_bytes",
                "capacity_bytes",
                "peak_reserved_bytes",
                "best_peak_reserved_bytes",
                "best_conf"));
    for (TraceTally trace : analysis.worst()) {
      boolean isServed = trace.card() != null;
      section.row(
          List.of(
              trace.file(),
              Numbers.count(trace.failures(), "card"),
              Numbers.count(trace.lost(), "card"),
              ByteFormat.human(trace.peakRequestedBytes()),
              isServed ? ByteFormat.human(trace.baselineBytes()) : "-",
              isServed ? ByteFormat.human(trace.bestBytes()) : "-",
              isServed ? Numbers.share(trace.savedBytes(), trace.baselineBytes()) : "-",
              isServed && trace.savedBytes() > 0 ? trace.best().label() : "-"),
          trace.file(),
          trace.family(),
          trace.failures(),
          trace.lost(),
          trace.peakRequestedBytes(),
          isServed ? trace.card().capacityBytes() : null,
          isServed ? trace.baselineBytes() : null,
          isServed ? trace.bestBytes() : null,
          isServed ? trace.best().conf() : null);
    }
    return section;
  }

  /** Failures that settings save and traces that they break, the best first. */
  BarData savedFailures(int most) {
    BarData data = new BarData("failures saved", "traces broken");
    analysis.choices().stream()
        .limit(most)
        .forEach(entry ->
            data.add(
                entry.getKey().label(),
                entry.getValue().broken() == 0 ? "" : "in all",
                entry.getValue().saved(),
                entry.getValue().broken()));
    return data;
  }

  /** How many traces save how much under their best setting. */
  BarData savings() {
    double[] savings = analysis.bestSavings();
    BarData data = new BarData("traces");
    double from = 0;
    for (double to : CLASSES) {
      long count = 0;
      for (double saving : savings) {
        boolean isLast = to == CLASSES[CLASSES.length - 1];
        count += saving >= from && (saving < to || isLast) ? 1 : 0;
      }
      data.add(Math.round(100 * from) + " to " + Math.round(100 * to) + " % less", "", count);
      from = to;
    }
    return data;
  }

  /** How many traces each card serves, and by what it takes. */
  BarData frontier() {
    BarData data =
        new BarData(
            "as recorded",
            "also under the one best setting",
            "also with its own setting",
            "by none");
    analysis.cards().forEach((card, tally) -> data.add(name(card), "traces", parts(tally)));
    return data;
  }

  private static double[] parts(CardTally tally) {
    Choice best = tally.bestSetting();
    long recorded = tally.servedByBaseline();
    long byBest = Math.max(recorded, best == null ? 0 : tally.servedBy(best));
    long byOwn = Math.max(byBest, tally.servedBySetting());
    return new double[] {
      recorded, (double) byBest - recorded, (double) byOwn - byBest, (double) tally.traces() - byOwn
    };
  }

  private static String name(Card card) {
    String size =
        card.device().equals("capacity") ? ByteFormat.human(card.capacityBytes()) : card.device();
    return card.isLimited() ? size + ", limited" : size;
  }

  private static String percent(double share) {
    return Numbers.percent(share);
  }

  private static String times(double ratio) {
    return Double.isFinite(ratio) ? String.format(Locale.ROOT, "×%.2f", ratio) : "-";
  }
}
