package org.allocsim.analysis.moment;

import java.util.List;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.jspecify.annotations.Nullable;

/**
 * What a policy did on a trace in enough detail for charts.
 *
 * @param result its figures
 * @param parts what the reserved bytes were made of at their peak; null where it was not run
 * @param timeline memory over time; null where the policy was not run or nobody asked
 * @param fragmentation useless shares of reserved memory over time; null as the timeline
 * @param moments segments and blocks at the moments that matter, in order of time
 */
public record ObservedRun(
    RunResult result,
    @Nullable ReservedParts parts,
    @Nullable MemoryTimeline timeline,
    @Nullable FragmentationTimeline fragmentation,
    List<Moment> moments) {

  /** What makes a moment matter. */
  public enum Kind {
    /** The first request failed. */
    FIRST_OOM,
    /** The fullest moment at which reserved memory has its peak. */
    PEAK,
    /** The last request was served. */
    END
  }

  /**
   * Segments and blocks after a row.
   *
   * @param row row of the trace, −1 before the first
   */
  public record Moment(Kind kind, int row, MemoryLayout layout) {}

  /** Keeps its own copy. */
  public ObservedRun {
    moments = List.copyOf(moments);
  }

  /** Segments and blocks at the first moment of a kind; null where there is none. */
  public @Nullable MemoryLayout layout(Kind kind) {
    return moments.stream()
        .filter(moment -> moment.kind() == kind)
        .map(Moment::layout)
        .findFirst()
        .orElse(null);
  }
}
