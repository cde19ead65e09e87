package org.allocsim.analysis.advice;

import java.util.List;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.trace.Precision;
import org.jspecify.annotations.Nullable;

/**
 * What a program computes and copies in some steps, or in the whole run where it makes none.
 *
 * @param steps how many; 0 for the whole run
 * @param operations the operations on the GPU
 * @param copies copies between the host and the GPU
 * @param pinnedBytes bytes of those that go from or to pinned memory
 * @param pageableBytes bytes of the others
 */
public record StepWork(
    long steps, List<Operation> operations, long copies, long pinnedBytes, long pageableBytes) {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Keeps its own copy. */
  public StepWork {
    operations = List.copyOf(operations);
  }

  /**
   * Operations that are alike.
   *
   * @param precision of the arithmetic; null where memory is only read and written
   * @param flops floating-point operations of each
   * @param bytes that each reads and writes
   * @param count how many there are
   */
  public record Operation(@Nullable Precision precision, long flops, long bytes, long count) {}

  /** Floating-point operations of a step, or of the whole run. */
  public double flops() {
    return operations.stream().mapToDouble(each -> (double) each.flops() * each.count()).sum()
        / divisor();
  }

  /** Bytes that cross the bus to the host in it. */
  public long copiedBytes() {
    return (pinnedBytes + pageableBytes) / divisor();
  }

  /** Operations of all kinds in it. */
  public long launches() {
    return operations.stream().mapToLong(Operation::count).sum() / divisor();
  }

  private long divisor() {
    return Math.max(1, steps);
  }

  /**
   * The time of a step, or of the whole run, by the roofline of a GPU: each operation takes as long
   * as its arithmetic or its memory, whichever takes longer at the peak rate, or as a kernel that
   * does nothing; copies come one after the other. No program is as fast, so only the ratio of two
   * such times means anything.
   */
  public double nanos(ComputeProfile gpu) {
    double nanos = 0;
    for (Operation each : operations) {
      double arithmetic =
          each.precision() == null
              ? 0
              : (double) each.flops() / gpu.flopsPerSecond(each.precision());
      double memory = (double) each.bytes() / gpu.memoryBytesPerSecond();
      double one = Math.max(gpu.kernelNanos(), Math.max(arithmetic, memory) * NANOS_PER_SECOND);
      nanos += one * each.count();
    }
    double copying =
        (double) pinnedBytes / gpu.pinnedCopyBytesPerSecond()
            + (double) pageableBytes / gpu.pageableCopyBytesPerSecond();
    nanos += copying * NANOS_PER_SECOND + (double) copies * gpu.copyNanos();
    return nanos / divisor();
  }
}
