package org.allocsim.analysis.job;

import java.util.Comparator;
import java.util.List;

/**
 * One setting on every rank of a job.
 *
 * @param conf configuration string
 * @param outcomes what it comes to on each rank, in their order; there is one at least
 */
public record JobSetting(String conf, List<Ranked<RankTuning.Outcome>> outcomes) {
  /** Keeps its own copy. */
  public JobSetting {
    outcomes = List.copyOf(outcomes);
  }

  /** Ranks on which a request fails. */
  public List<Rank> failing() {
    return outcomes.stream().filter(each -> !each.found().passes()).map(Ranked::rank).toList();
  }

  /** Whether every request of every rank is served. */
  public boolean passes() {
    return failing().isEmpty();
  }

  /** Whether it may be recommended. */
  public boolean isSafe() {
    return outcomes.stream().allMatch(each -> each.found().isSafe());
  }

  /** The rank that decides: one that fails, else the one to which the least memory is left. */
  public Ranked<RankTuning.Outcome> worst() {
    return outcomes.stream()
        .min(
            Comparator.comparing((Ranked<RankTuning.Outcome> each) -> each.found().passes())
                .thenComparingLong(each -> each.found().leftBytes()))
        .orElseThrow();
  }

  /** The least that any rank has left. */
  public long leftBytes() {
    return outcomes.stream().mapToLong(each -> each.found().leftBytes()).min().orElseThrow();
  }

  /** The most that any rank reserves. */
  public long peakReservedBytes() {
    return outcomes.stream()
        .mapToLong(each -> each.found().peakReservedBytes())
        .max()
        .orElseThrow();
  }

  /** Calls of the driver on all ranks together. */
  public long driverCalls() {
    return outcomes.stream().mapToLong(each -> each.found().driverCalls()).sum();
  }

  /** Forced synchronisations on all ranks together; one that waits keeps the others waiting. */
  public long forcedSynchronizations() {
    return outcomes.stream().mapToLong(each -> each.found().forcedSynchronizations()).sum();
  }

  /** The longest time of the driver on any rank, for which the others wait. */
  public long driverNanos() {
    return outcomes.stream().mapToLong(each -> each.found().driverNanos()).max().orElseThrow();
  }

  /** How far the ranks get: more of them first, then the one that fails earliest. */
  long progress() {
    List<Rank> failing = failing();
    return ((long) (outcomes.size() - failing.size()) << Integer.SIZE)
        + outcomes.stream()
            .filter(each -> !each.found().passes())
            .mapToLong(each -> each.found().progress())
            .min()
            .orElse(0);
  }
}
