package org.allocsim.simulator.device.cost;

import org.allocsim.simulator.trace.Precision;

/**
 * How fast a GPU computes and copies: what a model of time needs beside {@link DriverCosts}. Rates
 * of arithmetic and of device memory are peaks, which programs reach in part only.
 *
 * @param source where the figures are from, and which of them were measured
 * @param fp32FlopsPerSecond 32-bit arithmetic outside tensor cores
 * @param tf32FlopsPerSecond dense matrix products in TF32; that of fp32 on GPUs without it
 * @param fp16FlopsPerSecond dense matrix products in FP16 that add up in FP32; that of fp32 on GPUs
 *     without it
 * @param bf16FlopsPerSecond the same in BF16
 * @param memoryBytesPerSecond reading and writing device memory, together
 * @param launchNanos host time of one kernel launch that does not wait
 * @param kernelNanos time on the GPU of a kernel that does nothing, from its predecessor's end
 * @param pinnedCopyBytesPerSecond copies between the device and pinned host memory, one direction
 * @param pageableCopyBytesPerSecond the same with pageable host memory, a mean of both directions
 * @param copyNanos time of a copy of a few bytes that is waited for
 * @param pinNanos host time of allocating pinned memory, whatever its size
 * @param pinMebibyteNanos more for each MiB of it
 * @param linkBytesPerSecond to another GPU of the same host, one direction: NVLink, or PCIe where
 *     there is none or it takes a bridge that is sold apart
 * @param networkBytesPerSecond to another host, for each GPU, one direction
 */
public record ComputeProfile(
    String source,
    long fp32FlopsPerSecond,
    long tf32FlopsPerSecond,
    long fp16FlopsPerSecond,
    long bf16FlopsPerSecond,
    long memoryBytesPerSecond,
    long launchNanos,
    long kernelNanos,
    long pinnedCopyBytesPerSecond,
    long pageableCopyBytesPerSecond,
    long copyNanos,
    long pinNanos,
    long pinMebibyteNanos,
    long linkBytesPerSecond,
    long networkBytesPerSecond) {

  /** H100 (SXM5), as published and as typical of such a GPU and its host. */
  public static final ComputeProfile H100 =
      new ComputeProfile(
          "NVIDIA H100 data sheet (SXM5); copies as typical of PCIe 5 with 16 lanes,"
              + " launch, kernel and pinning times as typical of CUDA 12 and 13; none measured on"
              + " this GPU; links and network as in the NVIDIA DGX H100 data sheet",
          67_000_000_000_000L,
          495_000_000_000_000L,
          989_000_000_000_000L,
          989_000_000_000_000L,
          3_350_000_000_000L,
          4_000,
          2_000,
          54_000_000_000L,
          10_000_000_000L,
          8_000,
          20_000,
          350_000,
          450_000_000_000L,
          50_000_000_000L);

  /** Refuses rates that are not positive and negative times. */
  public ComputeProfile {
    requirePositive("fp32FlopsPerSecond", fp32FlopsPerSecond);
    requirePositive("tf32FlopsPerSecond", tf32FlopsPerSecond);
    requirePositive("fp16FlopsPerSecond", fp16FlopsPerSecond);
    requirePositive("bf16FlopsPerSecond", bf16FlopsPerSecond);
    requirePositive("memoryBytesPerSecond", memoryBytesPerSecond);
    requirePositive("pinnedCopyBytesPerSecond", pinnedCopyBytesPerSecond);
    requirePositive("pageableCopyBytesPerSecond", pageableCopyBytesPerSecond);
    requirePositive("linkBytesPerSecond", linkBytesPerSecond);
    requirePositive("networkBytesPerSecond", networkBytesPerSecond);
    requireTime("launchNanos", launchNanos);
    requireTime("kernelNanos", kernelNanos);
    requireTime("copyNanos", copyNanos);
    requireTime("pinNanos", pinNanos);
    requireTime("pinMebibyteNanos", pinMebibyteNanos);
  }

  /** Peak rate of arithmetic in one format. */
  public long flopsPerSecond(Precision precision) {
    return switch (precision) {
      case FP32 -> fp32FlopsPerSecond;
      case TF32 -> tf32FlopsPerSecond;
      case FP16 -> fp16FlopsPerSecond;
      case BF16 -> bf16FlopsPerSecond;
    };
  }

  /** Whether GPUs of a host are linked by more than PCIe, by which copies to the host go. */
  public boolean hasNvLink() {
    return linkBytesPerSecond > 2 * pinnedCopyBytesPerSecond;
  }

  private static void requirePositive(String name, long rate) {
    if (rate <= 0) {
      throw new IllegalArgumentException(name + " is " + rate + " and must be positive");
    }
  }

  private static void requireTime(String name, long nanos) {
    if (nanos < 0) {
      throw new IllegalArgumentException(name + " is " + nanos + " and must not be negative");
    }
  }
}
