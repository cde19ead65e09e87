package org.allocsim.validation.gpu.cuda;

import java.time.Duration;
import org.allocsim.simulator.device.DeviceProfile;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link CudaDevice} may use at most.
 *
 * @param maxBytes device memory in whole pages; a request beyond is refused as the driver would
 * @param maxNanos time from the opening of the device on; then every call fails
 */
public record GpuBounds(long maxBytes, long maxNanos) {
  /** All memory and a day. */
  public static final GpuBounds NONE = new GpuBounds(Long.MAX_VALUE, 86_400_000_000_000L);

  /** Share of the free memory that is used where nobody says how much. */
  private static final double USUAL_SHARE = 0.9;

  /** All memory for some time. */
  public static GpuBounds ofTime(int seconds) {
    return new GpuBounds(Long.MAX_VALUE, Duration.ofSeconds(seconds).toNanos());
  }

  /**
   * Memory in whole pages, for some time.
   *
   * @param bytes how much; null for what is usual on the GPU
   */
  public static GpuBounds of(CudaDevice.Identity gpu, @Nullable Long bytes, int seconds) {
    long given = bytes == null ? usualBytes(gpu) : bytes;
    return new GpuBounds(given & -DeviceProfile.PAGE_BYTES, Duration.ofSeconds(seconds).toNanos());
  }

  /** What is used of a GPU where nobody says how much. */
  public static long usualBytes(CudaDevice.Identity gpu) {
    return (long) (gpu.freeBytesAtStart() * USUAL_SHARE);
  }
}
