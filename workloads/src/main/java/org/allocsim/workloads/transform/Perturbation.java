package org.allocsim.workloads.transform;

import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Small random changes to a program, such as another run of it may have: two requests that follow
 * each other come in the other order, sizes differ by a little. The same seed makes the same
 * changes.
 *
 * <p>Two allocation requests with nothing of their device between them are swapped with probability
 * one half; a request takes part in one swap at most. Sizes are multiplied by factors that are
 * uniform between 1 − {@code resizeShare} and 1 + {@code resizeShare}, rounded to whole bytes. The
 * prologue keeps its order, since the program made it before it was observed, and other devices
 * keep all.
 *
 * @param swapsNeighbours whether neighbouring requests are swapped
 * @param resizeShare largest relative change of a size, from 0 (none) to below 1
 * @param resize what has a factor of its own
 */
public record Perturbation(boolean swapsNeighbours, double resizeShare, Resize resize) {
  /** What has a factor of its own. */
  public enum Resize {
    /** Every size: requests of one size go on having one size, as tensors of one shape do. */
    SIZE,
    /** Every request. */
    REQUEST
  }

  /** Requests of this size and above never reach an allocator. */
  private static final long ONE_EXABYTE = 1L << 60;

  /** Refuses shares that make sizes vanish. */
  public Perturbation {
    if (!(resizeShare >= 0 && resizeShare < 1)) {
      throw new IllegalArgumentException("share " + resizeShare + " is outside 0 to below 1");
    }
  }

  /** A changed copy of a trace; the trace itself may be shared by threads. */
  public AllocationTrace apply(AllocationTrace trace, int device, long seed) {
    return new Run(trace, device, seed).copy();
  }

  private final class Run {
    private final AllocationTrace trace;
    private final int device;
    private final SplittableRandom order;
    private final long sizeSeed;
    private final TraceCopy copy;

    Run(AllocationTrace trace, int device, long seed) {
      this.trace = trace;
      this.device = device;
      SplittableRandom random = new SplittableRandom(seed);
      sizeSeed = random.nextLong();
      order = random.split();
      copy = new TraceCopy(trace);
    }

    AllocationTrace copy() {
      int held = -1;
      for (int event = 0; event < trace.eventCount(); event++) {
        if (trace.device(event) != device) {
          copy.row(event);
          continue;
        }
        boolean requests = isRequest(event);
        if (held >= 0) {
          boolean swaps = requests;
          if (swaps) {
            // The other one comes first, at the time of the one that waited.
            row(event, trace.timeNanos(held));
          }
          row(held, trace.timeNanos(swaps ? event : held));
          held = -1;
          if (swaps) {
            continue;
          }
        }
        if (swapsNeighbours && requests && order.nextBoolean()) {
          held = event;
        } else {
          row(event, trace.timeNanos(event));
        }
      }
      if (held >= 0) {
        row(held, trace.timeNanos(held));
      }
      return copy.build();
    }

    private boolean isRequest(int event) {
      return event >= trace.prologueCount() && trace.kind(event) == RequestKind.ALLOCATE;
    }

    private void row(int event, long timeNanos) {
      copy.row(
          event,
          trace.kind(event) == RequestKind.ALLOCATE ? bytes(event) : trace.bytes(event),
          timeNanos);
    }

    private long bytes(int event) {
      long bytes = trace.bytes(event);
      if (resizeShare == 0 || bytes <= 0 || bytes >= ONE_EXABYTE) {
        return bytes;
      }
      long key = resize == Resize.SIZE ? bytes : trace.allocation(event);
      SplittableRandom random = new SplittableRandom(sizeSeed ^ key * 0x9E3779B97F4A7C15L);
      double factor = 1 + resizeShare * (2 * random.nextDouble() - 1);
      return Math.clamp(Math.round(bytes * factor), 1, ONE_EXABYTE - 1);
    }
  }
}
