package org.allocsim.simulator.run;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;

/** Tells a timeline what happens when. */
public final class TimelineObserver implements RunObserver {
  private final MemoryTimeline timeline;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  /** For one run, of which the timeline has seen nothing yet. */
  public TimelineObserver(MemoryTimeline timeline) {
    this.timeline = timeline;
  }

  @Override
  public EffectListener effects() {
    return timeline;
  }

  @Override
  public void begin(Run begun) {
    run = begun;
    MemoryStats stats = run.stats();
    if (run.follower().isPresent()) {
      timeline.at(run.setup().trace().eventCount() == 0 ? 0 : run.setup().trace().timeNanos(0));
      timeline.startWith(
          stats.requestedBytes(),
          stats.allocatedBytes(),
          stats.activeBytes(),
          stats.reservedBytes());
    }
  }

  @Override
  public boolean before(int row) {
    timeline.at(run.nanosAt(row));
    return true;
  }
}
