package org.allocsim.simulator.timing;

import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.trace.Work;

/**
 * How long work takes. A kernel takes the time of an empty kernel plus that of its arithmetic or
 * its memory traffic, whichever is longer (Williams, Waterman and Patterson, "Roofline", 2009).
 * Kernels reach only part of a GPU's peak rates.
 *
 * @param compute speeds of the GPU
 * @param arithmeticShare part of peak arithmetic that kernels reach, above 0 and at most 1
 * @param memoryShare part of peak memory bandwidth that they reach, likewise
 */
public record Roofline(ComputeProfile compute, double arithmeticShare, double memoryShare) {
  /**
   * Part of peak arithmetic that kernels of common sizes reach: small products 0.56 to 0.72, those
   * of 8192 × 8192 matrices 0.76 to 0.81 (FP32, FP16 and BF16, PyTorch 2.11 on H200).
   */
  public static final double ARITHMETIC_SHARE = 0.6;

  /**
   * Part of peak memory bandwidth that they reach: an addition over 1 GiB reaches 0.89 (PyTorch
   * 2.11 on H200).
   */
  public static final double MEMORY_SHARE = 0.8;

  private static final double NANOS_PER_SECOND = 1e9;

  /** Refuses shares that are none. */
  public Roofline {
    if (!(arithmeticShare > 0 && arithmeticShare <= 1 && memoryShare > 0 && memoryShare <= 1)) {
      throw new IllegalArgumentException(
          "the fractions of peak that kernels reach, %s and %s, must be above 0 and at most 1"
              .formatted(arithmeticShare, memoryShare));
    }
  }

  /** With the usual shares. */
  public static Roofline of(ComputeProfile compute) {
    return new Roofline(compute, ARITHMETIC_SHARE, MEMORY_SHARE);
  }

  /** Time of work on its engine. */
  public long nanos(Work work) {
    return switch (work) {
      case Work.Timed timed -> timed.nanos();
      case Work.Kernel kernel ->
          compute.kernelNanos()
              + Math.round(
                  Math.max(
                      nanos(
                          kernel.flops(),
                          compute.flopsPerSecond(kernel.precision()) * arithmeticShare),
                      nanos(kernel.memoryBytes(), compute.memoryBytesPerSecond() * memoryShare)));
      case Work.Collective collective -> Links.nanos(collective, compute);
      case Work.Copy copy ->
          compute.copyNanos()
              + Math.round(
                  nanos(
                      copy.bytes(),
                      copy.pinned()
                          ? compute.pinnedCopyBytesPerSecond()
                          : compute.pageableCopyBytesPerSecond()));
    };
  }

  private static double nanos(long amount, double perSecond) {
    return amount * NANOS_PER_SECOND / perSecond;
  }
}
