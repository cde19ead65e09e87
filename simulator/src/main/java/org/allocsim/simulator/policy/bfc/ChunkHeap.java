package org.allocsim.simulator.policy.bfc;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * Regions divided into chunks with the free ones in bins: what the allocators of the BFC family
 * have in common.
 *
 * <p>The 21 bins of the originals hold the free chunks of 256·2<sup>b</sup> to 512·2<sup>b</sup>
 * bytes (the last one all larger ones too), each ordered by (bytes, address), and are searched
 * upwards from the one that the request falls into. Bins are ranges of sizes, so the first chunk
 * that such a search meets is the first of all free chunks by (bytes, address) that is large
 * enough: one ordered set finds the same.
 */
final class ChunkHeap {
  /** No chunk. */
  static final int NONE = BlockHeap.NONE;

  /** Every chunk is a multiple of this many bytes. */
  static final long UNIT_BYTES = 256;

  /** Sizes above this are never served; twice this is still a long. */
  static final long MAX_BYTES = 1L << 61;

  private final BlockHeap blocks;
  private final SizeOrderedRows free;

  /** Decides whether a free chunk may serve the request that is looked for. */
  @FunctionalInterface
  interface Usable {
    boolean test(int chunk);
  }

  ChunkHeap(EffectListener listener) {
    blocks = new BlockHeap(listener);
    free = new SizeOrderedRows(blocks);
  }

  /** A limit as failures report it: −1 where it is beyond every size that is served. */
  static long limitOrNone(long limitBytes) {
    return limitBytes == MAX_BYTES ? -1 : limitBytes;
  }

  /** The chunk size that serves a request, at most {@link #MAX_BYTES}. */
  static long roundedBytes(long requestedBytes) {
    return (requestedBytes + UNIT_BYTES - 1) & -UNIT_BYTES;
  }

  /** The largest multiple of the unit that is not larger. */
  static long roundedDown(long bytes) {
    return bytes & -UNIT_BYTES;
  }

  /** Twice as much, at most {@link #MAX_BYTES}. */
  static long doubled(long bytes) {
    return Math.min(bytes * 2, MAX_BYTES);
  }

  /**
   * Nine tenths, rounded up to the unit: what is asked for after the device refused. The originals
   * multiply in single precision (XLA {@code bfc_allocator.cc}, ONNX Runtime {@code bfc_arena.cc}).
   */
  static long lessThan(long refusedBytes) {
    return roundedBytes((long) ((float) refusedBytes * 0.9f));
  }

  /** The books of chunks and regions. */
  BlockHeap blocks() {
    return blocks;
  }

  /** Takes a region in; answers its only chunk, which is free but not yet in a bin. */
  int addRegion(long address, long bytes, int stream) {
    return blocks.addSegment(address, bytes, stream);
  }

  /** Puts a free chunk into its bin. */
  void bin(int chunk) {
    free.add(chunk);
  }

  /** Takes a free chunk out of its bin. */
  void unbin(int chunk) {
    free.remove(chunk);
  }

  /** The smallest chunk in a bin that is large enough, taken out of it; else {@link #NONE}. */
  int takeBestFit(long roundedBytes) {
    return taken(free.ceiling(roundedBytes, 0));
  }

  /** As above among the chunks that may be used. */
  int takeBestFit(long roundedBytes, Usable usable) {
    int chunk = free.ceiling(roundedBytes, 0);
    while (chunk != NONE && !usable.test(chunk)) {
      chunk = free.next(chunk);
    }
    return taken(chunk);
  }

  private int taken(int chunk) {
    if (chunk != NONE) {
      free.remove(chunk);
    }
    return chunk;
  }

  /**
   * Cuts a chunk down to a request if it is twice as large or larger, or if the rest is large.
   *
   * @param maxWasteBytes a rest of this size is always cut off
   * @return the rest, a free chunk not yet in a bin, or {@link #NONE} where all is handed out
   */
  int split(int chunk, long roundedBytes, long maxWasteBytes) {
    long bytes = blocks.bytes(chunk);
    if (bytes >= 2 * roundedBytes || bytes - roundedBytes >= maxWasteBytes) {
      return blocks.split(chunk, roundedBytes);
    }
    return NONE;
  }

  /** Lets a free chunk absorb the free one after it, which is in a bin. */
  void mergeNext(int chunk) {
    unbin(blocks.next(chunk));
    blocks.mergeNext(chunk);
  }

  /**
   * Lets the free chunk before this one, which is in a bin, absorb it.
   *
   * @return the merged chunk, in no bin
   */
  int mergeIntoPrevious(int chunk) {
    int previous = blocks.previous(chunk);
    unbin(previous);
    blocks.mergeNext(previous);
    return previous;
  }

  /** Bytes of the largest chunk in a bin, 0 without one. */
  long largestFreeBytes() {
    int last = free.last();
    return last == NONE ? 0 : blocks.bytes(last);
  }

  /** First chunks of the regions without a chunk in use, by ascending address. */
  int[] freeRegions() {
    int[] first = new int[blocks.segmentCount()];
    int count = 0;
    for (int row = 0; row < blocks.rows(); row++) {
      if (blocks.isBlock(row) && blocks.previous(row) == NONE && isRegionFree(row)) {
        first[count++] = row;
      }
    }
    return Arrays.stream(first, 0, count)
        .boxed()
        .sorted((a, b) -> Long.compareUnsigned(blocks.address(a), blocks.address(b)))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private boolean isRegionFree(int first) {
    int chunk = first;
    while (chunk != NONE && blocks.isFree(chunk)) {
      chunk = blocks.next(chunk);
    }
    return chunk == NONE;
  }

  /** Bytes of the region that begins with a chunk. */
  long regionBytes(int first) {
    long bytes = 0;
    for (int chunk = first; chunk != NONE; chunk = blocks.next(chunk)) {
      bytes += blocks.bytes(chunk);
    }
    return bytes;
  }

  /** Removes a region without a chunk in use, whose chunks are in bins, from the books. */
  void removeRegion(int first) {
    unbin(first);
    while (blocks.next(first) != NONE) {
      mergeNext(first);
    }
    blocks.settle();
    blocks.removeSegment(first);
  }

  void describe(LayoutVisitor visitor) {
    blocks.describe(visitor);
  }
}
