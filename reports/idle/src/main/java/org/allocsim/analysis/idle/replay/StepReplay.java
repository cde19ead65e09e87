package org.allocsim.analysis.idle.replay;

import org.allocsim.analysis.idle.memory.AllocatorRun;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.Waits;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.jspecify.annotations.Nullable;

/**
 * Runs the recorded steps again: the host's threads in their order, the streams in theirs, and what
 * each waits for in the other.
 *
 * <p>An event of the host begins when the event that ended last before it in the recording ends,
 * and as long after it as recorded. A call that waits ends when the work that it waits for does.
 * Work begins when it was queued, the work before it on its stream is done, and so is work of
 * another stream that ended right before it. Whatever the recording has beyond these rules is kept
 * as a delay, so a replay without a change is the recording to the nanosecond.
 */
final class StepReplay {
  private final RecordedSteps recorded;

  StepReplay(Timeline timeline, Steps steps, Waits waits, @Nullable BatchFit batches) {
    recorded = new RecordedSteps(timeline, steps, waits, batches);
  }

  /**
   * Runs the steps under a change.
   *
   * @param recordedWorkers workers of the data loader in the recording; 0 where that is unknown
   * @param isProfiled whether the host takes as long as under the profiler
   * @param allocator what the allocator does instead of what it did; null where it does the same
   */
  Prediction run(
      Change change, int recordedWorkers, boolean isProfiled, @Nullable AllocatorRun allocator) {
    return new StepRun(recorded, change, recordedWorkers, isProfiled, allocator).run();
  }

  /** Runs the steps under a change, without the profiler; how the last run of one of them was. */
  ReplayedStep step(
      Change change, int recordedWorkers, @Nullable AllocatorRun allocator, int step) {
    StepRun run = new StepRun(recorded, change, recordedWorkers, false, allocator);
    run.run();
    return run.step(step);
  }

  /** The largest difference between a replay without a change and the recording. */
  long errorNanos() {
    return new StepRun(recorded, Change.NONE, 0, true, null).errorNanos();
  }

  /** What the host does in the steps. */
  HostEvents events() {
    return recorded.events();
  }

  /** Whether the steps have copies of a kind that matter. */
  boolean hasCopies(WorkKind kind) {
    Timeline timeline = recorded.timeline();
    Steps steps = recorded.steps();
    long sum = 0;
    for (int work = 0; work < timeline.workCount(); work++) {
      if (timeline.workKind(work) == kind && timeline.queuedNanos(work) >= steps.hostNanos(0)) {
        sum += timeline.workEnd(work) - timeline.workStart(work);
      }
    }
    return sum > (steps.endNanos() - steps.beginNanos()) / 200;
  }
}
