package org.allocsim.reports.answer.part;

import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Quantity.nanos;

import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.document.Sentence;
import org.allocsim.simulator.run.RunResult;

/** What a setting costs beside another one. */
public final class Cost {
  private Cost() {}

  /** Driver calls, synchronisations and time of a setting, and instead of how many. */
  public static Sentence sentence(Tuning.Entry entry, Tuning.Entry recorded) {
    RunResult after = entry.result();
    RunResult before = recorded.result();
    boolean hasSteps = entry.nanosPerStep() >= 0 && recorded.nanosPerStep() >= 0;
    return Sentence.of(
        "Cost: {}, {} in the driver instead of {}{} (modelled, without waiting for the device).",
        calls(
            after.driverCalls(),
            before.driverCalls(),
            after.forcedSynchronizations(),
            before.forcedSynchronizations()),
        nanos(after.driverNanos()),
        nanos(before.driverNanos()),
        hasSteps
            ? Sentence.of(
                ", {} per step instead of {}",
                nanos(entry.nanosPerStep()),
                nanos(recorded.nanosPerStep()))
            : "");
  }

  /** Calls of the driver, and synchronisations where there are any, and instead of how many. */
  public static Sentence calls(
      long calls, long callsBefore, long synchronizations, long synchronizationsBefore) {
    Sentence driver =
        Sentence.of("{} instead of {}", count(calls, "driver call"), count(callsBefore));
    return synchronizations == 0 && synchronizationsBefore == 0
        ? driver
        : Sentence.of(
            "{}, {} instead of {}",
            driver,
            count(synchronizations, "forced synchronisation"),
            count(synchronizationsBefore));
  }
}
