package org.allocsim.simulator.policy.pytorch;

/**
 * Rounding of requests and sizing of segments.
 *
 * <p><b>Source.</b> PyTorch 2.11, {@code c10/cuda/CUDACachingAllocator.cpp}: {@code round_size},
 * {@code get_allocation_size}; constants of {@code c10/core/AllocatorConfig.h}.
 */
public final class RequestSizes {
  /** Smallest size and alignment of a block. */
  public static final long MIN_BLOCK_BYTES = 512;

  /** Rounded requests up to this size are served by the small pool. */
  public static final long SMALL_REQUEST_BYTES = 1L << 20;

  /** Segment and page size of the small pool. */
  public static final long SMALL_SEGMENT_BYTES = 2L << 20;

  /** From this size on a segment is made for the request. */
  static final long MIN_OWN_SEGMENT_BYTES = 10L << 20;

  /** Granularity of segments made for one request. */
  static final long SEGMENT_ROUND_BYTES = 2L << 20;

  /** Requests of this size and above are rejected before the allocator is asked. */
  static final long ONE_EXABYTE = 1L << 60;

  private RequestSizes() {}

  /** Bytes of the block for a request of at least 1 byte. */
  static long round(long requestedBytes, RoundupDivisions roundup) {
    if (!roundup.isPlain() && requestedBytes >= MIN_BLOCK_BYTES) {
      long divisions = roundup.forSize(requestedBytes);
      if (divisions > 1 && Long.compareUnsigned(requestedBytes, MIN_BLOCK_BYTES * divisions) > 0) {
        return roundToDivision(requestedBytes, divisions);
      }
      if (roundup.keepsSizes(divisions) && requestedBytes > MIN_BLOCK_BYTES) {
        return requestedBytes;
      }
    }
    return roundPlainly(requestedBytes);
  }

  /** The same where the setting has no divisions. */
  static long roundPlainly(long requestedBytes) {
    return (requestedBytes + MIN_BLOCK_BYTES - 1) & -MIN_BLOCK_BYTES;
  }

  private static long roundToDivision(long requestedBytes, long divisions) {
    long floor = Long.highestOneBit(requestedBytes);
    if (floor == requestedBytes) {
      return requestedBytes;
    }
    long step = floor >> (63 - Long.numberOfLeadingZeros(divisions));
    if (step == 0) {
      return floor << 1;
    }
    long rounded = requestedBytes & -step;
    return rounded == requestedBytes ? requestedBytes : rounded + step;
  }

  /** Bytes of the segment that is obtained for a block of {@code roundedBytes}. */
  static long segmentBytes(long roundedBytes, long largeSegmentBytes) {
    return segmentBytes(roundedBytes, largeSegmentBytes, SEGMENT_ROUND_BYTES);
  }

  /** As above, with the granularity of segments made for one request. */
  static long segmentBytes(long roundedBytes, long largeSegmentBytes, long segmentRoundBytes) {
    if (roundedBytes <= SMALL_REQUEST_BYTES) {
      return SMALL_SEGMENT_BYTES;
    }
    if (roundedBytes < MIN_OWN_SEGMENT_BYTES) {
      return largeSegmentBytes;
    }
    return roundUp(roundedBytes, segmentRoundBytes);
  }

  /** The next multiple of {@code unit} that is not below {@code bytes}. */
  static long roundUp(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }
}
