package org.allocsim.simulator.policy.mxnet;

/** How MXNet's pools round a request up to the size of a bucket. */
public sealed interface BucketRule {
  /**
   * Bytes of the bucket that serves a request.
   *
   * @param requestedBytes at least 1
   * @return {@link Long#MAX_VALUE} where the size would pass it, which no device has
   */
  long bucketBytes(long requestedBytes);

  /**
   * Pool type Naive: whole pages, above {@code largeBytes} whole multiples of it.
   *
   * @param pageBytes {@code MXNET_GPU_MEM_POOL_PAGE_SIZE}
   * @param largeBytes {@code MXNET_GPU_MEM_LARGE_ALLOC_ROUND_SIZE}
   */
  record Pages(long pageBytes, long largeBytes) implements BucketRule {
    @Override
    public long bucketBytes(long requestedBytes) {
      long bytes = roundUp(requestedBytes, pageBytes);
      return bytes > largeBytes ? roundUp(bytes, largeBytes) : bytes;
    }
  }

  /**
   * Pool type Round: powers of two of at least a page, above {@code 2^linearCutoff} multiples of
   * that.
   *
   * @param pageBytes {@code MXNET_GPU_MEM_POOL_PAGE_SIZE}, a power of two
   * @param linearCutoff {@code MXNET_GPU_MEM_POOL_ROUND_LINEAR_CUTOFF}
   */
  record PowersOfTwo(long pageBytes, int linearCutoff) implements BucketRule {
    @Override
    public long bucketBytes(long requestedBytes) {
      long cutoffBytes = 1L << linearCutoff;
      if (requestedBytes > cutoffBytes) {
        return roundUp(requestedBytes, cutoffBytes);
      }
      long power = requestedBytes == 1 ? 1 : Long.highestOneBit(requestedBytes - 1) << 1;
      return Math.max(power, pageBytes);
    }
  }

  private static long roundUp(long bytes, long unit) {
    if (bytes > Long.MAX_VALUE - unit + 1) {
      return Long.MAX_VALUE;
    }
    return (bytes + unit - 1) / unit * unit;
  }
}
