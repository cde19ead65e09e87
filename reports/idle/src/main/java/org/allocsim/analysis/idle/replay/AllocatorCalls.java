package org.allocsim.analysis.idle.replay;

import org.allocsim.analysis.idle.memory.AllocatorRun;
import org.allocsim.analysis.idle.timeline.Steps;

/**
 * The driver calls that an allocator makes in steps under other settings, by the event of the host
 * that follows them. The first step of a profile finds less cached than the same step of a long run
 * does, so it has the calls of the second, as long after its begin.
 */
final class AllocatorCalls {
  private final HostEvents events;
  private final long[] nanos;
  private final boolean[] waits;

  /**
   * The calls of a run.
   *
   * @param events what the host does
   */
  AllocatorCalls(AllocatorRun run, HostEvents events, Steps steps) {
    this.events = events;
    nanos = new long[events.count()];
    waits = new boolean[events.count()];
    for (int call = 0; call < run.atNanos().count(); call++) {
      long at = run.atNanos().get(call);
      int step = steps.onHost(at);
      if (step < 0 || step >= steps.count()) {
        continue;
      }
      if (step > 0 || steps.count() == 1) {
        add(at, run.driverNanos().get(call), run.waits().get(call));
      }
      if (step == 1) {
        long first = steps.hostNanos(0) + at - steps.hostNanos(1);
        add(
            Math.min(first, steps.hostNanos(1)),
            run.driverNanos().get(call),
            run.waits().get(call));
      }
    }
  }

  private void add(long at, long itsNanos, boolean itsWaits) {
    int event = events.firstFrom(at);
    nanos[event] += itsNanos;
    waits[event] |= itsWaits;
  }

  /** Time of the calls before an event, without waiting for the GPU. */
  long nanosBefore(int event) {
    return nanos[event];
  }

  /** Whether they wait for the GPU. */
  boolean waitsBefore(int event) {
    return waits[event];
  }
}
