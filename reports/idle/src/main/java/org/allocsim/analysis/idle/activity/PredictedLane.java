package org.allocsim.analysis.idle.activity;

import org.allocsim.analysis.idle.replay.ReplayedStep;
import org.allocsim.analysis.idle.timeline.Intervals;
import org.allocsim.analysis.idle.timeline.WorkKind;

/**
 * What the GPU does in a predicted step. Where it computes, that counts, whatever else it does.
 *
 * @param span the step
 * @param lane its work
 */
public record PredictedLane(Span span, Lane lane) {
  /**
   * The lane of a step that was replayed.
   *
   * @param columnNanos length of a column of the recorded step, to which these are similar
   */
  public static PredictedLane of(String name, ReplayedStep step, long columnNanos) {
    long nanos = step.endNanos() - step.beginNanos();
    int columns = Math.clamp(nanos / Math.max(1, columnNanos), 1, Span.MAX_COLUMNS);
    Span span = new Span(name, step.beginNanos(), step.endNanos(), columns);
    LaneColumns lane = new LaneColumns(span);
    for (WorkKind kind : WorkKind.values()) {
      lane.part(kind.id(), kind.words());
    }
    Intervals done = new Intervals();
    for (WorkKind kind : WorkKind.values()) {
      Intervals its = new Intervals();
      step.works().stream()
          .filter(work -> work.kind() == kind)
          .forEach(work -> its.add(work.beginNanos(), work.endNanos()));
      lane.put(kind.ordinal(), its.without(done));
      done = done.with(its);
    }
    return new PredictedLane(span, lane.lane(name));
  }
}
