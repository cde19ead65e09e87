package org.allocsim.analysis.idle.replay;

import java.util.Arrays;
import org.allocsim.analysis.idle.profile.TimeProfile;
import org.allocsim.analysis.idle.timeline.Steps;
import org.allocsim.analysis.idle.timeline.Timeline;
import org.allocsim.analysis.idle.timeline.WorkKind;
import org.allocsim.workloads.format.TimeOrder;
import org.jspecify.annotations.Nullable;

/**
 * What the work of the GPU waited for in the recording: its call, the work before it on its stream,
 * and work of another stream that ended right before it. What these do not explain is a delay.
 */
final class WorkOrder {
  private static final int NONE = -1;

  /** Work begins so long after other work that it seems to have waited for it. */
  private static final long FOLLOWING_NANOS = 10_000;

  private static final long NOTICEABLE_NANOS = 5_000;

  /** Streams that are compared with each other. */
  private static final int MAX_STREAMS = 64;

  private final Timeline timeline;
  private final TimeProfile profile;
  private final Steps steps;
  private final int[] queued;
  private final int[] crossing;
  private final long[] latency;
  private final long[] following;
  private final long[] crossed;
  private final long[] delay;
  private final double pinnedBytesPerNano;

  WorkOrder(Timeline timeline, Steps steps) {
    this.timeline = timeline;
    this.steps = steps;
    profile = timeline.profile();
    int works = timeline.workCount();
    crossing = new int[works];
    latency = new long[works];
    following = new long[works];
    crossed = new long[works];
    delay = new long[works];
    queued = byQueue();
    orderWork();
    pinnedBytesPerNano = pinnedSpeed();
  }

  private int[] byQueue() {
    long[] nanos = new long[timeline.workCount()];
    for (int work = 0; work < nanos.length; work++) {
      nanos[work] = timeline.queuedNanos(work);
    }
    return TimeOrder.of(nanos, nanos.length);
  }

  /** Work of the steps whose call the profile lacks cannot be queued again. */
  private boolean isReplayed(int work) {
    return timeline.callOf(work) != NONE || timeline.queuedNanos(work) < steps.hostNanos(0);
  }

  private void orderWork() {
    int[] last = new int[profile.laneCount()];
    int[] streams = new int[profile.laneCount()];
    int streamCount = 0;
    Arrays.fill(last, NONE);
    long usualLatency = usualLatency();
    for (int work : queued) {
      if (!isReplayed(work)) {
        continue;
      }
      int stream = timeline.workStream(work);
      long start = timeline.workStart(work);
      crossing[work] = NONE;
      long base = Long.MIN_VALUE;
      if (timeline.callOf(work) != NONE) {
        latency[work] = Math.min(usualLatency, start - timeline.queuedNanos(work));
        base = timeline.queuedNanos(work) + latency[work];
      }
      if (last[stream] != NONE) {
        following[work] = Math.min(1_000, start - timeline.workEnd(last[stream]));
        base = Math.max(base, timeline.workEnd(last[stream]) + following[work]);
      } else {
        streams[streamCount++] = stream;
      }
      if (start - base > NOTICEABLE_NANOS) {
        int found = NONE;
        for (int i = 0; i < Math.min(streamCount, MAX_STREAMS); i++) {
          int other = last[streams[i]];
          if (streams[i] != stream
              && other != NONE
              && timeline.workEnd(other) <= start + 1_000
              && timeline.workEnd(other) >= start - FOLLOWING_NANOS
              && timeline.queuedNanos(other) < timeline.queuedNanos(work)
              && (found == NONE || timeline.workEnd(other) > timeline.workEnd(found))) {
            found = other;
          }
        }
        if (found != NONE) {
          crossing[work] = found;
          crossed[work] = start - timeline.workEnd(found);
          base = start;
        }
      }
      delay[work] = base == Long.MIN_VALUE ? 0 : start - base;
      last[stream] = work;
    }
  }

  /** The median time from a launch to the begin of a kernel on a stream that has nothing to do. */
  private long usualLatency() {
    long[] found = new long[timeline.workCount()];
    int founds = 0;
    long[] end = new long[profile.laneCount()];
    for (int work = 0; work < timeline.workCount(); work++) {
      int stream = timeline.workStream(work);
      if (timeline.callOf(work) != NONE
          && end[stream] < timeline.queuedNanos(work)
          && !timeline.workKind(work).isCopy()) {
        found[founds++] = timeline.workStart(work) - timeline.queuedNanos(work);
      }
      end[stream] = Math.max(end[stream], timeline.workEnd(work));
    }
    Arrays.sort(found, 0, founds);
    return founds == 0 ? NOTICEABLE_NANOS : Math.max(0, found[founds / 2]);
  }

  /** Bytes that a copy from pinned memory moves in a nanosecond: as measured, else of the bus. */
  private double pinnedSpeed() {
    long bytes = 0;
    long nanos = 0;
    for (int work = 0; work < timeline.workCount(); work++) {
      long its = profile.bytes(timeline.workRow(work));
      if (timeline.workKind(work) == WorkKind.FROM_PINNED && its >= 1 << 20) {
        bytes += its;
        nanos += timeline.workEnd(work) - timeline.workStart(work);
      }
    }
    return nanos > 0 ? (double) bytes / nanos : busSpeed(profile.source().gpuName());
  }

  /** What copies from pinned memory reach of the bus of a GPU: 26 GB/s of PCIe 4, 55 of PCIe 5. */
  private static double busSpeed(@Nullable String gpu) {
    boolean isFast =
        gpu != null && (gpu.contains("H100") || gpu.contains("H200") || gpu.contains("B200"));
    return isFast ? 55 : 26;
  }

  /** All work in the order in which it was queued. */
  int[] queued() {
    return queued;
  }

  /** The work of another stream that it waits for; −1 where there is none. */
  int crossing(int work) {
    return crossing[work];
  }

  /** How long after that work it begins. */
  long crossedNanos(int work) {
    return crossed[work];
  }

  /** How long after its call it begins at the earliest. */
  long latencyNanos(int work) {
    return latency[work];
  }

  /** How long after the work before it on its stream it begins at the earliest. */
  long followingNanos(int work) {
    return following[work];
  }

  /** What else delays it. */
  long delayNanos(int work) {
    return delay[work];
  }

  /** Bytes that a copy from pinned memory moves in a nanosecond. */
  double pinnedBytesPerNano() {
    return pinnedBytesPerNano;
  }
}
