package org.allocsim.analysis.fleet;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How many traces a GPU serves. */
public final class GpuTally {
  private long traces;
  private long tooLarge;
  private long servedByBaseline;
  private long servedByAny;
  private long servedBySetting;
  private final Map<FleetChoice, Long> served = new LinkedHashMap<>();

  /** Counts a trace: its runs on the GPU, one of which is the baseline. */
  void add(List<FleetRun> runs, FleetRun baseline, boolean isTooLarge) {
    boolean bySetting = false;
    boolean byAny = false;
    for (FleetRun run : runs) {
      if (!run.oom()) {
        byAny = true;
        bySetting |= run.choice().isSetting();
        served.merge(run.choice(), 1L, Long::sum);
      }
    }
    traces++;
    tooLarge += isTooLarge ? 1 : 0;
    servedByBaseline += baseline.oom() ? 0 : 1;
    servedBySetting += bySetting ? 1 : 0;
    servedByAny += byAny ? 1 : 0;
  }

  /** Traces that were run on it beside a baseline. */
  public long traces() {
    return traces;
  }

  /** Traces that ask for more at once than it has: no allocator serves them. */
  public long tooLarge() {
    return tooLarge;
  }

  /** Traces that it serves under their recorded settings. */
  public long servedByBaseline() {
    return servedByBaseline;
  }

  /** Traces that it serves under at least one setting. */
  public long servedBySetting() {
    return servedBySetting;
  }

  /** Traces that it serves with at least one setting or allocator. */
  public long servedByAny() {
    return servedByAny;
  }

  /** Traces that it serves under a choice. */
  public long servedBy(FleetChoice choice) {
    return served.getOrDefault(choice, 0L);
  }
}
