package org.allocsim.workloads.transform;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.TraceVariant;

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
    private final Factors factors;
    private final TraceVariant copy;

    Run(AllocationTrace trace, int device, long seed) {
      this.trace = trace;
      this.device = device;
      SplittableRandom random = new SplittableRandom(seed);
      factors = new Factors(random.nextLong());
      order = random.split();
      copy = new TraceVariant(trace);
    }

    AllocationTrace copy() {
      int held = -1;
      for (int event = 0; event < trace.eventCount(); event++) {
        if (trace.device(event) != device) {
          continue;
        }
        boolean allocates = trace.kind(event) == RequestKind.ALLOCATE;
        if (allocates && resizeShare > 0) {
          resize(event);
        }
        boolean requests = allocates && event >= trace.prologueCount();
        if (held >= 0) {
          if (requests) {
            copy.exchange(held, event);
          }
          held = -1;
        } else if (swapsNeighbours && requests && order.nextBoolean()) {
          held = event;
        }
      }
      return copy.build();
    }

    private void resize(int event) {
      long bytes = trace.bytes(event);
      if (bytes > 0 && bytes < ONE_EXABYTE) {
        double factor = factors.of(resize == Resize.SIZE ? bytes : trace.allocation(event));
        copy.resize(event, Math.clamp(Math.round(bytes * factor), 1, ONE_EXABYTE - 1));
      }
    }
  }

  /** The factor of each key; that of a key which came lately is remembered. */
  private final class Factors {
    private static final long ODD = 0x9E3779B97F4A7C15L;
    private static final int REMEMBERED_BITS = 12;

    private final long seed;
    private final long[] keys = new long[1 << REMEMBERED_BITS];
    private final double[] factors = new double[1 << REMEMBERED_BITS];

    Factors(long seed) {
      this.seed = seed;
      Arrays.fill(keys, -1);
    }

    double of(long key) {
      int at = (int) (key * ODD >>> Long.SIZE - REMEMBERED_BITS);
      if (keys[at] != key) {
        keys[at] = key;
        SplittableRandom random = new SplittableRandom(seed ^ key * ODD);
        factors[at] = 1 + resizeShare * (2 * random.nextDouble() - 1);
      }
      return factors[at];
    }
  }
}
