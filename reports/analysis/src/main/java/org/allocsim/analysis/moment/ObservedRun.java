package org.allocsim.analysis.moment;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.stats.FragmentationTimeline;
import org.allocsim.simulator.stats.MemoryTimeline;

/**
 * What a policy did on a trace in enough detail for charts.
 *
 * @param result its figures
 * @param parts what the reserved bytes were made of at their peak; empty where it was not run
 * @param overTime memory over time; empty where the policy was not run or nobody asked
 * @param moments segments and blocks at the moments that matter, in order of time
 */
public record ObservedRun(
    RunResult result,
    Optional<ReservedParts> parts,
    Optional<OverTime> overTime,
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
   * Memory over time.
   *
   * @param memory how much there is of each kind
   * @param fragmentation useless shares of reserved memory
   */
  public record OverTime(MemoryTimeline memory, FragmentationTimeline fragmentation) {}

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

  /** Segments and blocks at the first moment of a kind; empty where there is none. */
  public Optional<MemoryLayout> layout(Kind kind) {
    return moments.stream().filter(moment -> moment.kind() == kind).map(Moment::layout).findFirst();
  }
}
