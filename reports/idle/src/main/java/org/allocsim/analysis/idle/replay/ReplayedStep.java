package org.allocsim.analysis.idle.replay;

import java.util.List;
import org.allocsim.analysis.idle.timeline.WorkKind;

/**
 * A step as a replay had it.
 *
 * @param change what was changed
 * @param beginNanos when the GPU is done with what was queued before
 * @param endNanos when it is done with the step
 * @param works what it did, in the order in which it began
 */
public record ReplayedStep(Change change, long beginNanos, long endNanos, List<Work> works) {
  /** Keeps its own copy. */
  public ReplayedStep {
    works = List.copyOf(works);
  }

  /** Work of the GPU. */
  public record Work(WorkKind kind, long beginNanos, long endNanos) {}
}
