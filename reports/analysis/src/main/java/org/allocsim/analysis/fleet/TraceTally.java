package org.allocsim.analysis.fleet;

import java.util.List;

/** A trace on all cards, and on the one where a setting would change most. */
public final class TraceTally {
  private final String file;
  private final String family;
  private final long peakRequestedBytes;
  private int failures;
  private int lost;
  private FleetCard card;
  private FleetRun baseline;
  private FleetRun best;

  TraceTally(String file, String family, long peakRequestedBytes) {
    this.file = file;
    this.family = family;
    this.peakRequestedBytes = peakRequestedBytes;
  }

  /** Counts the runs on a card. */
  void add(FleetCard onCard, List<FleetRun> runs, FleetRun baselineOnCard) {
    boolean isServed = false;
    FleetRun bestOnCard = baselineOnCard;
    for (FleetRun run : runs) {
      if (run.choice().isSetting() && !run.oom()) {
        isServed = true;
        if (run.peakReservedBytes() < bestOnCard.peakReservedBytes()) {
          bestOnCard = run;
        }
      }
    }
    lost += isServed ? 0 : 1;
    if (baselineOnCard.oom()) {
      failures++;
    } else if (card == null
        || baselineOnCard.peakReservedBytes() - bestOnCard.peakReservedBytes() > savedBytes()) {
      card = onCard;
      baseline = baselineOnCard;
      best = bestOnCard;
    }
  }

  /** Name of the trace's file. */
  public String file() {
    return file;
  }

  /** The trace's family. */
  public String family() {
    return family;
  }

  /** What the program asks for at its peak. */
  public long peakRequestedBytes() {
    return peakRequestedBytes;
  }

  /** Cards on which the baseline fails. */
  public int failures() {
    return failures;
  }

  /** Those of them on which no setting saves it. */
  public int lost() {
    return lost;
  }

  /** The card where a setting would change most; null where the baseline fails on all. */
  public FleetCard card() {
    return card;
  }

  /** The baseline's peak of reserved memory on that card; 0 without one. */
  public long baselineBytes() {
    return baseline == null ? 0 : baseline.peakReservedBytes();
  }

  /** The setting that reserves least on that card; null without one. */
  public FleetChoice best() {
    return best == null ? null : best.choice();
  }

  /** Its peak of reserved memory; 0 without a card. */
  public long bestBytes() {
    return best == null ? 0 : best.peakReservedBytes();
  }

  /** Reserved bytes that a setting would save; 0 where none does. */
  public long savedBytes() {
    return baselineBytes() - bestBytes();
  }
}
