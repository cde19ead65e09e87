package org.allocsim.reports.answer.fleet;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.fleet.ChoiceTally;
import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.FleetChoice;
import org.allocsim.analysis.fleet.TraceTally;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.stats.ByteFormat;

/** The tables of a fleet report. */
public final class FleetTables {
  private static final double[] QUANTILES = {0.1, 0.5, 0.9};

  private final FleetAnalysis analysis;

  public FleetTables(FleetAnalysis analysis) {
    this.analysis = analysis;
  }

  /** All tables in their order. */
  public List<FleetSection> sections() {
    return List.of(settings(), savingClasses(), families(), gpus(), worst());
  }

  private FleetSection settings() {
    FleetSection section =
        new FleetSection(
            "fleet-settings.csv",
            "Failures saved and memory saved, by setting",
            "A run is a trace on a GPU; it is compared with the run under the recorded settings on"
                + " the same GPU. Failures saved run out of memory there and not under the"
                + " setting; broken are runs that only the setting makes fail. Saved memory is a"
                + " share of the recorded settings' peak of reserved memory, where neither runs"
                + " out; a tenth, half and nine tenths of the runs save less, and a negative share"
                + " is more memory. Driver time is that of the same runs, as a multiple of what it"
                + " is under the recorded settings.",
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
    for (Map.Entry<FleetChoice, ChoiceTally> entry : analysis.choices()) {
      FleetChoice choice = entry.getKey();
      ChoiceTally tally = entry.getValue();
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

  private FleetSection savingClasses() {
    FleetSection section =
        new FleetSection(
            "fleet-savings.csv",
            "Distribution of savings",
            "How many traces could do with how much less reserved memory, each under its own best"
                + " setting and on the GPU where that saves the most. Traces that fail on every GPU"
                + " under their recorded settings are not among them.",
            List.of("less reserved memory", ">traces", ">of all"),
            List.of("saving_from_ratio", "saving_to_ratio", "traces"));
    SavingClasses classes = new SavingClasses(analysis);
    for (int i = 0; i < classes.count(); i++) {
      section.row(
          List.of(
              classes.label(i),
              Numbers.count(classes.traces(i)),
              Numbers.share(classes.traces(i), classes.traces())),
          classes.from(i),
          classes.to(i),
          classes.traces(i));
    }
    return section;
  }

  private FleetSection families() {
    FleetSection section =
        new FleetSection(
            "fleet-families.csv",
            "Best setting by workload family",
            "The setting that saves the most failures net of those that it breaks, then the most"
                + " memory on average; figures are as in the first table, of this family's runs"
                + " only. What makes a family is given with --family.",
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
          ChoiceTally tally = best.getValue();
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

  private FleetSection gpus() {
    FleetSection section =
        new FleetSection(
            "fleet-gpus.csv",
            "Frontier of GPUs",
            "How many traces each GPU serves: as recorded, under the one setting that serves the"
                + " most on it (of equals the one that is best on all GPUs), with the best setting"
                + " for each trace, and with any allocator that was run. Too large are traces that"
                + " ask for more at once than the GPU has, or than the limit on it allows: no"
                + " allocator could serve them.",
            List.of(
                "GPU",
                ">free memory",
                ">traces",
                ">as recorded",
                ">one setting",
                ">each its own",
                ">any allocator",
                ">too large",
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
                "too_large",
                "best_conf"));
    analysis
        .gpus()
        .forEach((gpu, tally) -> {
          FleetChoice best = analysis.bestSettingOn(tally).orElse(null);
          long byBest = best == null ? 0 : tally.servedBy(best);
          section.row(
              List.of(
                  gpu.label(),
                  ByteFormat.human(gpu.capacityBytes()),
                  Numbers.count(tally.traces()),
                  Numbers.count(tally.servedByBaseline()),
                  Numbers.count(byBest),
                  Numbers.count(tally.servedBySetting()),
                  Numbers.count(tally.servedByAny()),
                  Numbers.count(tally.tooLarge()),
                  best == null ? "-" : best.label()),
              gpu.device(),
              gpu.capacityBytes(),
              gpu.isLimited(),
              tally.traces(),
              tally.servedByBaseline(),
              byBest,
              tally.servedBySetting(),
              tally.servedByAny(),
              tally.tooLarge(),
              best == null ? null : best.conf());
        });
    return section;
  }

  private FleetSection worst() {
    FleetSection section =
        new FleetSection(
            "fleet-traces.csv",
            "Worst offenders",
            "First traces that are lost on most GPUs: they fail there as recorded, and no setting"
                + " saves them. Then those that reserve the most beyond what their best setting"
                + " needs, on the GPU where that is highest. A program that asks for more than a"
                + " GPU has must become smaller; one that reserves far more than it asks for can do"
                + " with the setting in the last column.",
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
    int folder = analysis.commonFolder().length();
    for (TraceTally trace : analysis.worst()) {
      boolean isServed = trace.gpu() != null;
      section.row(
          List.of(
              trace.file().substring(folder),
              Numbers.count(trace.failures(), "GPU"),
              Numbers.count(trace.lost(), "GPU"),
              ByteFormat.human(trace.demandBytes()),
              isServed ? ByteFormat.human(trace.baselineBytes()) : "-",
              isServed ? ByteFormat.human(trace.bestBytes()) : "-",
              isServed ? Numbers.share(trace.savedBytes(), trace.baselineBytes()) : "-",
              isServed && trace.savedBytes() > 0 ? trace.best().label() : "-"),
          trace.file(),
          trace.family(),
          trace.failures(),
          trace.lost(),
          trace.demandBytes(),
          isServed ? trace.gpu().capacityBytes() : null,
          isServed ? trace.baselineBytes() : null,
          isServed ? trace.bestBytes() : null,
          isServed ? trace.best().conf() : null);
    }
    return section;
  }

  private static String percent(double share) {
    return Numbers.percent(share);
  }

  private static String times(double ratio) {
    return Double.isFinite(ratio) ? String.format(Locale.ROOT, "×%.2f", ratio) : "-";
  }
}
