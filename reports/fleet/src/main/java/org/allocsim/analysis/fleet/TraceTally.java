package org.allocsim.analysis.fleet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A trace on all GPUs, and on the one where a setting would change the most. */
public final class TraceTally {
  private final String file;
  private final String family;
  private final long demandBytes;
  private int failures;
  private int lost;
  private @Nullable FleetGpu gpu;
  private @Nullable FleetRun baseline;
  private @Nullable FleetRun best;

  TraceTally(String file, String family, long demandBytes) {
    this.file = file;
    this.family = family;
    this.demandBytes = demandBytes;
  }

  /** Counts the runs on a GPU. */
  void add(FleetGpu onGpu, List<FleetRun> runs, FleetRun baselineOnGpu) {
    boolean isServed = false;
    FleetRun bestOnGpu = baselineOnGpu;
    for (FleetRun run : runs) {
      if (run.choice().isSetting() && !run.oom()) {
        isServed = true;
        if (run.peakReservedBytes() < bestOnGpu.peakReservedBytes()) {
          bestOnGpu = run;
        }
      }
    }
    lost += isServed ? 0 : 1;
    if (baselineOnGpu.oom()) {
      failures++;
    } else if (gpu == null
        || baselineOnGpu.peakReservedBytes() - bestOnGpu.peakReservedBytes() > savedBytes()) {
      gpu = onGpu;
      baseline = baselineOnGpu;
      best = bestOnGpu;
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

  /** What the program asks for at its peak, whatever was served. */
  public long demandBytes() {
    return demandBytes;
  }

  /** GPUs on which the baseline fails. */
  public int failures() {
    return failures;
  }

  /** Those of them on which no setting saves it. */
  public int lost() {
    return lost;
  }

  /** The GPU where a setting would change the most; null where the baseline fails on all. */
  public @Nullable FleetGpu gpu() {
    return gpu;
  }

  /** The baseline's peak of reserved memory on that GPU; 0 without one. */
  public long baselineBytes() {
    return baseline == null ? 0 : baseline.peakReservedBytes();
  }

  /** The setting that reserves the least on that GPU; null without one. */
  public @Nullable FleetChoice best() {
    return best == null ? null : best.choice();
  }

  /** Its peak of reserved memory; 0 without a GPU. */
  public long bestBytes() {
    return best == null ? 0 : best.peakReservedBytes();
  }

  /** Reserved bytes that a setting would save; 0 where none does. */
  public long savedBytes() {
    return baselineBytes() - bestBytes();
  }
}
