package org.allocsim.workloads.transform;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Sizes of a program for another batch, from two runs of it that differ in their batch only.
 *
 * <p>A tensor's size is a constant part, or the batch's share of it, or both: as long as the
 * program asks for the same tensors in the same order, each request's size is a line through its
 * sizes in the two runs. Runs whose rows differ otherwise show nothing of the kind and are refused,
 * as are batches at which a line falls below zero. Sizes are rounded up to whole bytes; work keeps
 * its amounts, so only memory is scaled.
 *
 * @param otherScale batch of the second run over that of the first; not 1
 */
public record BatchScale(double otherScale) {
  /** Refuses two runs of one batch. */
  public BatchScale {
    if (!(otherScale > 0) || otherScale == 1 || Double.isInfinite(otherScale)) {
      throw new IllegalArgumentException(
          "the other run's batch is "
              + otherScale
              + " times this one's; two runs of different batch are needed");
    }
  }

  /**
   * The program at another batch.
   *
   * @param trace the first run
   * @param other the second
   * @param scale wanted batch over that of the first run
   * @throws IllegalArgumentException with the row where the runs are not of one program
   */
  public AllocationTrace apply(AllocationTrace trace, AllocationTrace other, double scale) {
    if (!(scale > 0) || Double.isInfinite(scale)) {
      throw new IllegalArgumentException("a batch of " + scale + " times is none");
    }
    if (trace.eventCount() != other.eventCount()) {
      throw new IllegalArgumentException(
          "the runs have "
              + trace.eventCount()
              + " and "
              + other.eventCount()
              + " rows, so they do not differ in their batch only");
    }
    TraceCopy copy = new TraceCopy(trace);
    for (int event = 0; event < trace.eventCount(); event++) {
      requireSame(trace, other, event);
      long bytes = trace.bytes(event);
      copy.row(
          event,
          isSize(trace.kind(event)) ? scaled(bytes, other.bytes(event), scale, event) : bytes,
          trace.timeNanos(event));
    }
    return copy.build();
  }

  private static boolean isSize(RequestKind kind) {
    return kind == RequestKind.ALLOCATE || kind == RequestKind.HOST_ALLOCATE;
  }

  private static void requireSame(AllocationTrace trace, AllocationTrace other, int event) {
    boolean same =
        trace.kind(event) == other.kind(event)
            && trace.allocation(event) == other.allocation(event)
            && trace.device(event) == other.device(event)
            && trace.stream(event) == other.stream(event)
            && trace.pool(event) == other.pool(event);
    if (!same || trace.kind(event) == RequestKind.RESTORE_BLOCK) {
      throw new IllegalArgumentException(
          "row "
              + event
              + (same
                  ? " asks for a given place, which depends on the batch"
                  : " differs in more than its size, so the runs do not differ in their batch"
                      + " only"));
    }
  }

  private long scaled(long bytes, long otherBytes, double scale, int event) {
    double perUnit = (otherBytes - bytes) / (otherScale - 1);
    double exact = bytes + perUnit * (scale - 1);
    double rounded = Math.ceil(exact - 1e-6);
    if (rounded < 0 || rounded >= 1L << 60) {
      throw new IllegalArgumentException(
          "row "
              + event
              + " had "
              + bytes
              + " and "
              + otherBytes
              + " B, which gives no size for a batch of "
              + scale
              + " times");
    }
    return (long) rounded;
  }
}
