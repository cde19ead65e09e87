package org.allocsim.simulator.device.simulated;

import java.util.ArrayList;
import java.util.List;

/**
 * Which of the streams' work has finished. Time is a number that grows; work of a stream is named
 * by when it was queued. All work finishes at once, but for that of streams that are held.
 */
final class StreamOrder {
  /** Later than everything. */
  private static final long EVER = Long.MAX_VALUE;

  private static final int NOBODY = -1;

  /**
   * What a stream queues after {@code from} begins when another stream has come to the end of what
   * it had queued {@code upTo} a time, or, where there is no other, when the stream is resumed.
   */
  private record Wait(int stream, long from, int other, long upTo) {}

  private final List<Wait> waits = new ArrayList<>();
  private int holds;

  /** What the stream queues from now on does not finish until it is resumed. */
  void hold(int stream, long now) {
    if (isHeld(stream)) {
      throw new IllegalStateException("stream " + stream + " is already held");
    }
    waits.add(new Wait(stream, now, NOBODY, 0));
    holds++;
  }

  /** What a held stream had queued up to a time has finished; it stays held. */
  void progress(int stream, long upTo) {
    for (int i = 0; i < waits.size(); i++) {
      Wait wait = waits.get(i);
      if (wait.stream == stream && wait.other == NOBODY && wait.from < upTo) {
        waits.set(i, new Wait(stream, upTo, NOBODY, 0));
      }
    }
  }

  /** What the stream has queued finishes. */
  void resume(int stream) {
    if (!waits.removeIf(wait -> wait.stream == stream && wait.other == NOBODY)) {
      throw new IllegalStateException("stream " + stream + " is not held");
    }
    holds--;
    if (holds == 0) {
      waits.clear();
    }
  }

  private boolean isHeld(int stream) {
    return waits.stream().anyMatch(wait -> wait.stream == stream && wait.other == NOBODY);
  }

  /** Whether all work of all streams has finished. */
  boolean isAllComplete() {
    return holds == 0;
  }

  /** A stream's later work waits for what another one had queued up to a time. */
  void await(int stream, long now, int other, long upTo) {
    if (!isComplete(other, upTo)) {
      waits.add(new Wait(stream, now, other, upTo));
    }
  }

  /** Whether what a stream had queued up to a time has finished. */
  boolean isComplete(int stream, long upTo) {
    return completeBy(stream, upTo) >= upTo;
  }

  /** The time up to which everything that a stream queued has finished. */
  long completeBy(int stream) {
    return completeBy(stream, EVER);
  }

  /** As above where it is before a time. A stream waits only for what was queued before. */
  private long completeBy(int stream, long queued) {
    if (holds == 0) {
      return EVER;
    }
    long by = EVER;
    for (Wait wait : waits) {
      if (wait.stream == stream
          && wait.from < Math.min(by, queued)
          && (wait.other == NOBODY || !isComplete(wait.other, wait.upTo))) {
        by = wait.from;
      }
    }
    return by;
  }
}
