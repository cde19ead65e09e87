package org.allocsim.simulator.timing;

import java.util.Arrays;
import org.allocsim.simulator.device.SimulatedDevice;

/**
 * Tells the device's stream-ordered pool which frees the GPU has come to: a stream with work is
 * held, and each free on it gets a mark behind that work.
 */
final class PoolProgress {
  /** Tag of the first mark; the others follow downwards. */
  private static final int FIRST_TAG = -2;

  private final SimulatedDevice device;
  private final GpuTimeline gpu;
  private final boolean[] held;

  /** Frees whose marks have not passed, by number: their stream and the pool's clock then. */
  private int[] streams = new int[16];

  private long[] clocks = new long[16];
  private int[] unused = new int[16];
  private int unusedCount;
  private int rows;

  PoolProgress(SimulatedDevice device, GpuTimeline gpu, int streams) {
    this.device = device;
    this.gpu = gpu;
    held = new boolean[streams];
  }

  /** Whether a mark is one of these. */
  static boolean isTag(int tag) {
    return tag <= FIRST_TAG;
  }

  /** A free is about to be queued on a stream. */
  void beforeFree(int stream, long hostNanos) {
    catchUp(hostNanos);
    if (!held[stream] && gpu.queued(stream) > 0) {
      held[stream] = true;
      device.holdStream(stream);
    }
  }

  /** The free was queued. */
  void afterFree(int stream, long hostNanos) {
    if (held[stream]) {
      int row = newRow();
      streams[row] = stream;
      clocks[row] = device.queueClock();
      gpu.mark(stream, FIRST_TAG - row, hostNanos);
    }
  }

  private int newRow() {
    if (unusedCount > 0) {
      return unused[--unusedCount];
    }
    if (rows == streams.length) {
      streams = Arrays.copyOf(streams, rows * 2);
      clocks = Arrays.copyOf(clocks, rows * 2);
      unused = Arrays.copyOf(unused, rows * 2);
    }
    return rows++;
  }

  /** The GPU has come to a free. */
  void passed(int tag) {
    int row = FIRST_TAG - tag;
    device.advanceStream(streams[row], clocks[row]);
    unused[unusedCount++] = row;
  }

  /** What the GPU has done until now counts from now on. */
  void catchUp(long hostNanos) {
    gpu.advanceTo(hostNanos);
    for (int stream = 0; stream < held.length; stream++) {
      if (held[stream] && gpu.queued(stream) == 0) {
        held[stream] = false;
        device.resumeStream(stream);
      }
    }
  }
}
