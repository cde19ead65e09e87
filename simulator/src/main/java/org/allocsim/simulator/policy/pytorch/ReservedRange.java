package org.allocsim.simulator.policy.pytorch;

/**
 * How many addresses a new expandable segment reserves: {@code expandable_segments_reserve}.
 *
 * <p>Source: PyTorch main of August 2026 (pull request 192269), {@code
 * c10/cuda/CUDAAllocatorConfig.h}.
 *
 * @param isFraction whether the value is a share of the device's memory rather than GiB
 * @param value the share or size, finite and positive; 0 where nothing is set
 */
public record ReservedRange(boolean isFraction, double value) {
  /** Nine eighths of the device's memory, as in all releases up to 2.14. */
  public static final ReservedRange UNSET = new ReservedRange(true, 0);

  /** Whether the setting names a range. */
  public boolean isSet() {
    return value > 0;
  }

  /**
   * Bytes of the range, at most nine eighths of the device.
   *
   * @param deviceBytes memory of the device
   */
  public long bytes(long deviceBytes) {
    long maxBytes = deviceBytes + deviceBytes / 8;
    if (!isSet()) {
      return maxBytes;
    }
    double wanted = isFraction ? value * deviceBytes : value * (1L << 30);
    return Math.min((long) wanted, maxBytes);
  }

  /** The value as a setting has it, such as {@code 0.5} or {@code 40.0G}. */
  @Override
  public String toString() {
    return value + (isFraction ? "" : "G");
  }
}
