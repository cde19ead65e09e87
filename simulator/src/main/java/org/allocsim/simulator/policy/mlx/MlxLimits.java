package org.allocsim.simulator.policy.mlx;

import java.util.function.LongUnaryOperator;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/**
 * The limits of an MLX allocator.
 *
 * @param deviceBytes size of the device
 * @param memoryBytes beyond this, cached buffers are released before a new one is asked for ({@code
 *     mx.set_memory_limit})
 * @param cacheBytes most bytes that stay cached ({@code mx.set_cache_limit})
 * @param heldBytes most bytes that the device gives, −1 for no limit
 */
record MlxLimits(long deviceBytes, long memoryBytes, long cacheBytes, long heldBytes) {
  private static final String MEMORY = "memory-limit";
  private static final String CACHE = "cache-limit";
  private static final String OWN = "default";

  /** Stands for the size of a device that does not report it. */
  private static final long UNKNOWN_DEVICE_BYTES = 1L << 60;

  /** An option as policies describe it. */
  static PolicySpec.Option memoryOption(String meaning) {
    return new PolicySpec.Option(
        MEMORY, OWN, "bytes", "mx.set_memory_limit: " + meaning + " unless set");
  }

  /** An option as policies describe it. */
  static final PolicySpec.Option CACHE_OPTION =
      new PolicySpec.Option(
          CACHE,
          OWN,
          "bytes",
          "mx.set_cache_limit: most memory that stays cached; the default memory limit unless set");

  /**
   * The limits that options set on a device.
   *
   * @param limitBytes limit of the run, −1 for none; less the slots, it bounds the memory limit, so
   *     that cached buffers are released before the device refuses
   * @param slotsBytes bytes of the slots, which MLX does not count
   * @param own MLX's own memory limit for the size of a device
   */
  static MlxLimits of(
      PolicyOptions options,
      long limitBytes,
      long slotsBytes,
      DeviceMemory device,
      LongUnaryOperator own)
      throws PolicyOptionException {
    long deviceBytes = device.totalBytes() < 0 ? UNKNOWN_DEVICE_BYTES : device.totalBytes();
    long ownBytes = own.applyAsLong(deviceBytes);
    long memoryBytes = value(options, MEMORY, ownBytes);
    return new MlxLimits(
        deviceBytes,
        limitBytes < 0 ? memoryBytes : Math.max(0, Math.min(memoryBytes, limitBytes - slotsBytes)),
        value(options, CACHE, ownBytes),
        limitBytes);
  }

  private static long value(PolicyOptions options, String name, long ownBytes)
      throws PolicyOptionException {
    return options.text(name).strip().equals(OWN) ? ownBytes : options.bytes(name, 0);
  }
}
