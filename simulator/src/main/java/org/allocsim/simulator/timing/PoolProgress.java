package org.allocsim.simulator.timing;

import java.util.Arrays;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/**
 * Tells the device's stream-ordered pool which frees the GPU has come to: a stream with work is
 * held, and each free on it gets a mark after that work.
 *
 * <p>A free on a stream that is not one of the program's joins others, as that of PyTorch's
 * cudaMallocAsync backend does for blocks that several streams used: the GPU has come to it when it
 * is through with what is queued on all of them. PyTorch waits only for those that used the block.
 */
final class PoolProgress {
  /** Tag of the first mark; the others follow downwards. */
  private static final int FIRST_TAG = -2;

  private final SimulatedDevice device;
  private final GpuTimeline gpu;
  private final int streamCount;

  /** By stream of the program, and after them for the stream that joins them. */
  private final boolean[] held;

  /** The number by which the pool knows the stream that joins others. */
  private int joiningStream;

  /** Frees whose marks have not passed, by number: stream, marks left, the pool's clock then. */
  private int[] streams = new int[16];

  private int[] marksLeft = new int[16];
  private long[] clocks = new long[16];
  private int[] unused = new int[16];
  private int unusedCount;
  private int rows;

  PoolProgress(SimulatedDevice device, GpuTimeline gpu, int streams) {
    this.device = device;
    this.gpu = gpu;
    streamCount = streams;
    held = new boolean[streams + 1];
  }

  /** Whether a mark is one of these. */
  static boolean isTag(int tag) {
    return tag <= FIRST_TAG;
  }

  /** A free is about to be queued on a stream. */
  void beforeFree(int stream, long hostNanos) {
    catchUp(hostNanos);
    int slot = slot(stream);
    if (!held[slot] && queued(slot) > 0) {
      held[slot] = true;
      device.holdStream(stream);
    }
  }

  /** The free was queued. */
  void afterFree(int stream, long hostNanos) {
    int slot = slot(stream);
    if (!held[slot]) {
      return;
    }
    int row = newRow();
    streams[row] = stream;
    clocks[row] = device.queueClock();
    if (slot < streamCount) {
      marksLeft[row] = 1;
      gpu.mark(stream, FIRST_TAG - row, hostNanos);
    } else {
      markAll(row, hostNanos);
    }
  }

  private void markAll(int row, long hostNanos) {
    marksLeft[row] = 0;
    for (int stream = 0; stream < streamCount; stream++) {
      marksLeft[row] += gpu.queued(stream) > 0 ? 1 : 0;
    }
    for (int stream = 0, left = marksLeft[row]; left > 0; stream++) {
      if (gpu.queued(stream) > 0) {
        gpu.mark(stream, FIRST_TAG - row, hostNanos);
        left--;
      }
    }
  }

  private int slot(int stream) {
    if (stream < streamCount) {
      return stream;
    }
    joiningStream = stream;
    return streamCount;
  }

  private int queued(int slot) {
    return slot < streamCount ? gpu.queued(slot) : gpu.queuedOnAll();
  }

  private int newRow() {
    if (unusedCount > 0) {
      return unused[--unusedCount];
    }
    if (rows == streams.length) {
      streams = Arrays.copyOf(streams, rows * 2);
      marksLeft = Arrays.copyOf(marksLeft, rows * 2);
      clocks = Arrays.copyOf(clocks, rows * 2);
      unused = Arrays.copyOf(unused, rows * 2);
    }
    return rows++;
  }

  /** The GPU has come to a free. */
  void passed(int tag) {
    int row = FIRST_TAG - tag;
    if (--marksLeft[row] == 0) {
      device.advanceStream(streams[row], clocks[row]);
      unused[unusedCount++] = row;
    }
  }

  /** What the GPU has done until now counts from now on. */
  void catchUp(long hostNanos) {
    gpu.advanceTo(hostNanos);
    for (int slot = 0; slot < held.length; slot++) {
      if (held[slot] && queued(slot) == 0) {
        held[slot] = false;
        device.resumeStream(slot < streamCount ? slot : joiningStream);
      }
    }
  }
}
