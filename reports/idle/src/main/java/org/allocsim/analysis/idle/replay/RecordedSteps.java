package org.allocsim.analysis.idle.replay;

import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;
import org.jspecify.annotations.Nullable;

/**
 * Recorded steps, ready to be run again.
 *
 * @param timeline the work of the GPU and the calls of the host
 * @param steps where steps begin and end
 * @param waits what calls wait for
 * @param events what the host does
 * @param order what work waits for
 * @param batches what work takes at other batches; null where there is one recording only
 */
record RecordedSteps(
    Timeline timeline,
    Steps steps,
    Waits waits,
    HostEvents events,
    WorkOrder order,
    @Nullable BatchFit batches) {
  RecordedSteps(Timeline timeline, Steps steps, Waits waits, @Nullable BatchFit batches) {
    this(
        timeline,
        steps,
        waits,
        new HostEvents(timeline, steps, waits),
        new WorkOrder(timeline, steps),
        batches);
  }
}
