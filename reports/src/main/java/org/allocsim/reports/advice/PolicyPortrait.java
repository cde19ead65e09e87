package org.allocsim.reports.advice;

import java.util.List;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryTimeline;

/**
 * What a policy did on a trace in enough detail for charts.
 *
 * @param result its figures, with the parts of its peak
 * @param timeline memory over time; null where the policy was not run
 * @param fragmentation useless shares of reserved memory over time; null where the policy was not
 *     run or nobody asked
 * @param moments segments and blocks at the moments that matter, in order of time
 */
public record PolicyPortrait(
    PolicyResult result,
    MemoryTimeline timeline,
    FragmentationTimeline fragmentation,
    List<Moment> moments) {

  /** What makes a moment matter. */
  public enum Kind {
    /** The first request failed. */
    FIRST_OOM,
    /** Reserved memory first reached its peak. */
    PEAK,
    /** The last request was served. */
    END
  }

  /**
   * Segments and blocks behind a row.
   *
   * @param row row of the trace, −1 before the first
   */
  public record Moment(Kind kind, int row, MemoryLayout layout) {}

  /** Keeps its own copy. */
  public PolicyPortrait {
    moments = List.copyOf(moments);
  }
}
