package org.allocsim.validation.gpu.cuda;

/**
 * What a {@link CudaDevice} may use at most.
 *
 * @param mostBytes device memory in whole pages; a request beyond is refused as the driver would
 * @param mostNanos time from the opening of the device on; then every call fails
 */
public record GpuBounds(long mostBytes, long mostNanos) {
  /** All memory and a day. */
  public static final GpuBounds NONE = new GpuBounds(Long.MAX_VALUE, 86_400_000_000_000L);
}
