package org.allocsim.analysis.moment;

import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.pytorch.RequestSizes;

/**
 * Where the slack of one moment lies: slack is reserved minus allocated memory. Every free or
 * waiting block is in exactly one part, and the parts add up to the byte. Address ranges of
 * expandable segments to which nothing is mapped are not reserved memory and never count.
 *
 * <p>A free block belongs to, in this order: its private pool; another stream than the one that the
 * question is about; what can be released; what is stuck. What can be released are segments that
 * are free as a whole and, in expandable segments, whole free pages.
 *
 * @param releasableBytes whole free segments and pages of the stream in question
 * @param stuckBytes free parts of partly used segments and pages of the stream in question
 * @param awaitingBytes blocks that were given back and await the end of their use on other streams
 * @param otherReleasableBytes whole free segments and pages cached for other streams
 * @param otherStuckBytes free parts of partly used segments and pages cached for other streams
 * @param privateBytes free blocks of private pools
 */
public record SlackSplit(
    long releasableBytes,
    long stuckBytes,
    long awaitingBytes,
    long otherReleasableBytes,
    long otherStuckBytes,
    long privateBytes) {
  /**
   * Splits the slack of a layout.
   *
   * @param stream number of the stream that the question is about
   * @param largePageBytes page of the large pool's expandable segments
   */
  public static SlackSplit of(MemoryLayout layout, int stream, long largePageBytes) {
    long releasable = 0;
    long stuck = 0;
    long awaiting = 0;
    long otherReleasable = 0;
    long otherStuck = 0;
    long inPrivate = 0;
    for (int segment = 0; segment < layout.segmentCount(); segment++) {
      long free = 0;
      long whole = releasableBytes(layout, segment, largePageBytes);
      for (int b = layout.firstBlock(segment); b < layout.firstBlock(segment + 1); b++) {
        switch (layout.state(b)) {
          case INACTIVE -> free += layout.blockBytes(b);
          case ACTIVE_PENDING_FREE -> awaiting += layout.blockBytes(b);
          case ACTIVE_ALLOCATED -> {}
        }
      }
      if (layout.segmentPool(segment) != 0) {
        inPrivate += free;
      } else if (layout.stream(segment) != stream) {
        otherReleasable += whole;
        otherStuck += free - whole;
      } else {
        releasable += whole;
        stuck += free - whole;
      }
    }
    return new SlackSplit(releasable, stuck, awaiting, otherReleasable, otherStuck, inPrivate);
  }

  /** Bytes of a segment that the allocator can return to the device as it is. */
  static long releasableBytes(MemoryLayout layout, int segment, long largePageBytes) {
    int first = layout.firstBlock(segment);
    int end = layout.firstBlock(segment + 1);
    if (!layout.isExpandable(segment)) {
      boolean free = end == first + 1 && layout.state(first) == BlockState.INACTIVE;
      return free ? layout.blockBytes(first) : 0;
    }
    long page = pageBytes(layout, segment, largePageBytes);
    long bytes = 0;
    for (int block = first; block < end; block++) {
      if (layout.state(block) == BlockState.INACTIVE) {
        // A run begins at a page; pages are released where a free block covers all of one.
        long from = layout.blockAddress(block) - layout.segmentAddress(segment);
        long firstPage = (from + page - 1) / page;
        long lastPage = (from + layout.blockBytes(block)) / page;
        bytes += Math.max(0, lastPage - firstPage) * page;
      }
    }
    return bytes;
  }

  /** Page of an expandable segment. */
  static long pageBytes(MemoryLayout layout, int segment, long largePageBytes) {
    return layout.isSmall(segment) ? RequestSizes.SMALL_SEGMENT_BYTES : largePageBytes;
  }

  /** All slack. */
  public long totalBytes() {
    return releasableBytes
        + stuckBytes
        + awaitingBytes
        + otherReleasableBytes
        + otherStuckBytes
        + privateBytes;
  }
}
