package org.allocsim.simulator.policy;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;

/**
 * Reports the requests that an allocator cannot serve, with the limit and the state of its device.
 */
public final class RefusedRequests {
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;

  /**
   * The reports of one allocator.
   *
   * @param limitBytes the allocator's own limit, −1 without one
   * @param device where its memory comes from
   * @param listener is notified of each request that fails
   */
  public RefusedRequests(long limitBytes, DeviceMemory device, EffectListener listener) {
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
  }

  /**
   * Reports a request of an allocator without private pools.
   *
   * @param roundedBytes the request after rounding
   * @param segmentBytes size of the segment that was wanted for it
   * @return {@link AllocatorPolicy#OUT_OF_MEMORY}, the answer to the request
   */
  public long report(
      int allocation, long requestedBytes, long roundedBytes, long segmentBytes, int stream) {
    return report(allocation, requestedBytes, roundedBytes, segmentBytes, stream, 0);
  }

  /**
   * Reports a request.
   *
   * @param privateFreeBytes free bytes inside private pools
   * @return {@link AllocatorPolicy#OUT_OF_MEMORY}, the answer to the request
   */
  public long report(
      int allocation,
      long requestedBytes,
      long roundedBytes,
      long segmentBytes,
      int stream,
      long privateFreeBytes) {
    listener.outOfMemory(
        new OutOfMemory(
            allocation,
            requestedBytes,
            roundedBytes,
            segmentBytes,
            stream,
            limitBytes,
            privateFreeBytes,
            device.freeBytes(),
            device.totalBytes()));
    return AllocatorPolicy.OUT_OF_MEMORY;
  }
}
