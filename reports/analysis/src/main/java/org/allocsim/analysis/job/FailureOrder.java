package org.allocsim.analysis.job;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Which rank of a job failed first.
 *
 * @param failed the ranks that failed, the first one first where the order is known, else in their
 *     own order
 * @param unknown why the order is not known; empty where it is, or fewer than two failed
 */
public record FailureOrder(List<Ranked<RankFailure>> failed, Optional<Unknown> unknown) {
  /** Why it is not known which rank failed first. */
  public enum Unknown {
    /** A recording does not have the time of day. */
    NO_CLOCK("not all recordings have wall-clock times"),
    /** Clocks of hosts differ. */
    SEVERAL_HOSTS("the ranks ran on several hosts, whose clocks may differ"),
    /** They are not of one run. */
    NO_OVERLAP("the recordings do not overlap in time, so they are not from one run"),
    /** Two have the same time. */
    SAME_TIME("they failed in the same microsecond");

    private final String clause;

    Unknown(String clause) {
      this.clause = clause;
    }

    /** The reason, as a clause. */
    public String clause() {
      return clause;
    }
  }

  /** Keeps its own copy. */
  public FailureOrder {
    failed = List.copyOf(failed);
  }

  /**
   * Orders failures.
   *
   * @param failed the ranks that failed, in their order
   */
  public static FailureOrder of(List<Ranked<RankFailure>> failed) {
    if (failed.size() < 2) {
      return new FailureOrder(failed, Optional.empty());
    }
    List<Ranked<RankFailure>> sorted =
        failed.stream()
            .sorted(Comparator.comparingLong(each -> each.found().failedNanos()))
            .toList();
    Optional<Unknown> unknown = unknown(sorted);
    return new FailureOrder(unknown.isPresent() ? failed : sorted, unknown);
  }

  private static Optional<Unknown> unknown(List<Ranked<RankFailure>> sorted) {
    if (!sorted.stream().allMatch(each -> each.found().isWallClock())) {
      return Optional.of(Unknown.NO_CLOCK);
    }
    if (sorted.stream().map(each -> each.rank().host()).distinct().count() > 1) {
      return Optional.of(Unknown.SEVERAL_HOSTS);
    }
    long lastBegin =
        sorted.stream().mapToLong(each -> each.found().firstNanos()).max().orElseThrow();
    long firstEnd = sorted.stream().mapToLong(each -> each.found().lastNanos()).min().orElseThrow();
    if (lastBegin > firstEnd) {
      return Optional.of(Unknown.NO_OVERLAP);
    }
    return sorted.get(0).found().failedNanos() == sorted.get(1).found().failedNanos()
        ? Optional.of(Unknown.SAME_TIME)
        : Optional.empty();
  }

  /** How much earlier the first failed than the second. */
  public long leadNanos() {
    return failed.get(1).found().failedNanos() - failed.get(0).found().failedNanos();
  }
}
