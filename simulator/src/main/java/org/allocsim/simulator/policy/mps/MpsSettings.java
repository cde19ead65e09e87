package org.allocsim.simulator.policy.mps;

/**
 * How an {@link MpsAllocator} is set up.
 *
 * @param highWatermarkBytes most that may be allocated ({@code PYTORCH_MPS_HIGH_WATERMARK_RATIO}
 *     times what Metal recommends), {@link #UNLIMITED} without a limit
 * @param lowWatermarkBytes from here on cached buffers are collected and heaps made to measure
 *     ({@code PYTORCH_MPS_LOW_WATERMARK_RATIO}), {@link #UNLIMITED} for never
 * @param alignmentBytes Metal's granularity of buffers in heaps, a power of two
 */
record MpsSettings(long highWatermarkBytes, long lowWatermarkBytes, long alignmentBytes) {
  /** No watermark; small enough that sums stay positive. */
  static final long UNLIMITED = 1L << 61;

  /** {@code default_high_watermark_ratio} (PyTorch main, 2026). */
  static final double HIGH_RATIO = 1.7;

  /** {@code default_low_watermark_ratio}, on unified memory. */
  static final double LOW_RATIO = 1.4;
}
