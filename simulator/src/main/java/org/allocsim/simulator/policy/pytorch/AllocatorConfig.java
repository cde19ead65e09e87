package org.allocsim.simulator.policy.pytorch;

/**
 * The settings of PyTorch's caching allocator that change its decisions, after parsing.
 *
 * @param maxSplitBytes blocks of at least this size are never split, unsigned; {@link #UNLIMITED}
 *     where the option is not set
 * @param maxNonSplitRoundingBytes how much larger than the request an unsplittable block may be
 * @param largeSegmentBytes segment size for requests between 1 MiB and 10 MiB, and page size of
 *     large expandable segments
 * @param garbageCollectionThreshold share of the limit above which old cached blocks are released;
 *     0 is off
 * @param expandableSegments whether new memory comes from expandable segments
 * @param roundupDivisions divisions between powers of two, one of 16 values per power of two from 1
 *     MiB on; 0 and 1 are off
 * @param graphCaptureRecordStreamReuse whether blocks freed during a capture may be reused in it
 * @param perProcessMemoryFraction share of the device that may be reserved; 1 is no limit
 * @param rejectsBeyondDevice whether a request that would reserve more than the device has is
 *     rejected at once where there is no limit (PyTorch 2.12, {@code throw_on_cudamalloc_oom})
 * @param reservedRange addresses that a new expandable segment reserves
 */
public record AllocatorConfig(
    long maxSplitBytes,
    long maxNonSplitRoundingBytes,
    long largeSegmentBytes,
    double garbageCollectionThreshold,
    boolean expandableSegments,
    RoundupDivisions roundupDivisions,
    boolean graphCaptureRecordStreamReuse,
    double perProcessMemoryFraction,
    boolean rejectsBeyondDevice,
    ReservedRange reservedRange) {

  /** Value of {@link #maxSplitBytes} without a limit: 2^64 − 1. */
  public static final long UNLIMITED = -1L;

  /** Default size of a segment for requests between 1 MiB and 10 MiB (PyTorch 2.11). */
  public static final long DEFAULT_LARGE_SEGMENT_BYTES = 20L << 20;

  /** The settings of an empty configuration string. */
  public static final AllocatorConfig DEFAULT =
      new AllocatorConfig(
          UNLIMITED,
          DEFAULT_LARGE_SEGMENT_BYTES,
          DEFAULT_LARGE_SEGMENT_BYTES,
          0,
          false,
          RoundupDivisions.NONE,
          false,
          1.0,
          false,
          ReservedRange.UNSET);

  /**
   * The same without what changes nothing for a program: a split limit that none of its blocks
   * reaches, and garbage collection without a limit. Blocks of expandable segments grow beyond any
   * request, so their split limit stays.
   *
   * @param largestBytes bytes of the largest block that the program asks for, or is given at first
   * @param isLimited whether the allocator has a limit of its own
   */
  public AllocatorConfig forProgram(long largestBytes, boolean isLimited) {
    long maxBytes =
        RequestSizes.roundUp(
            Math.max(blockBytesFor(largestBytes), largeSegmentBytes),
            RequestSizes.SEGMENT_ROUND_BYTES);
    boolean splits = expandableSegments || isOversize(maxBytes);
    return new AllocatorConfig(
        splits ? maxSplitBytes : UNLIMITED,
        splits ? maxNonSplitRoundingBytes : DEFAULT.maxNonSplitRoundingBytes,
        largeSegmentBytes,
        isLimited ? garbageCollectionThreshold : 0,
        expandableSegments,
        roundupDivisions,
        graphCaptureRecordStreamReuse,
        perProcessMemoryFraction,
        rejectsBeyondDevice,
        reservedRange);
  }

  /** Whether a block or request of this size is at or above the split limit. */
  boolean isOversize(long bytes) {
    return Long.compareUnsigned(bytes, maxSplitBytes) >= 0;
  }

  /** Bytes that a request of at least 1 byte is rounded up to. */
  public long blockBytesFor(long requestedBytes) {
    return RequestSizes.round(requestedBytes, roundupDivisions);
  }

  /** Bytes of the segment that is obtained for a request that no cached block serves. */
  public long segmentBytesFor(long requestedBytes) {
    return RequestSizes.segmentBytes(blockBytesFor(requestedBytes), largeSegmentBytes);
  }

  /**
   * Most bytes that are obtained from the device for a request that no cached block serves: those
   * of its segment, in whole pages where segments are expandable.
   */
  public long obtainedBytesFor(long requestedBytes) {
    long blockBytes = blockBytesFor(requestedBytes);
    return expandableSegments && blockBytes > RequestSizes.SMALL_REQUEST_BYTES
        ? RequestSizes.roundUp(blockBytes, largeSegmentBytes)
        : segmentBytesFor(requestedBytes);
  }
}
