package org.allocsim.reports.answer.fleet;

import org.allocsim.analysis.fleet.FleetAnalysis;
import org.allocsim.analysis.fleet.GpuTally;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.chart.comparison.BarData;

/** The quantities of the charts of a fleet report. */
public final class FleetBars {
  private final FleetAnalysis analysis;

  public FleetBars(FleetAnalysis analysis) {
    this.analysis = analysis;
  }

  /** Whether any setting or allocator saves or breaks a run. */
  public boolean isAnyOutcomeChanged() {
    return analysis.choices().stream()
        .anyMatch(entry -> entry.getValue().saved() + entry.getValue().broken() > 0);
  }

  /** Failures that settings save and runs that they break, the best first; those that do either. */
  public BarData savedFailures(int limit) {
    BarData data = new BarData("failures saved", "runs broken");
    analysis.choices().stream()
        .filter(entry -> entry.getValue().saved() + entry.getValue().broken() > 0)
        .limit(limit)
        .forEach(entry ->
            data.add(
                entry.getKey().label(),
                entry.getValue().broken() == 0
                    ? ""
                    : "in all, " + Numbers.count(entry.getValue().broken()) + " broken",
                entry.getValue().saved(),
                entry.getValue().broken()));
    return data;
  }

  /** How many traces save how much under their best setting. */
  public BarData savings() {
    SavingClasses classes = new SavingClasses(analysis);
    BarData data = new BarData("traces");
    for (int i = 0; i < classes.count(); i++) {
      data.add(classes.label(i), "", classes.traces(i));
    }
    return data;
  }

  /** How many traces each GPU serves, and by what it takes. */
  public BarData frontier() {
    BarData data =
        new BarData(
            "as recorded",
            "also under the one best setting",
            "also with its own setting",
            "by none");
    analysis.gpus().forEach((gpu, tally) -> data.add(gpu.label(), "", parts(tally)));
    return data;
  }

  private double[] parts(GpuTally tally) {
    long recorded = tally.servedByBaseline();
    long byBest = Math.max(recorded, analysis.bestSettingOn(tally).map(tally::servedBy).orElse(0L));
    long byOwn = Math.max(byBest, tally.servedBySetting());
    return new double[] {
      recorded, (double) byBest - recorded, (double) byOwn - byBest, (double) tally.traces() - byOwn
    };
  }
}
