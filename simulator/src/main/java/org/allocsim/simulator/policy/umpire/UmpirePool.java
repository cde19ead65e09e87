package org.allocsim.simulator.policy.umpire;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.OrderedBlocks;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * What Umpire's pools of varying sizes have in common: pieces of driver blocks, the best fit among
 * the free ones, cut exactly and merged at once inside their driver block, and the coalescing of
 * wholly free driver blocks.
 *
 * <p>The driver is asked for a block's bytes plus the alignment. This slack counts to the last
 * piece of the block here, be it free or in use; {@link #pieceBytes} is without it.
 */
abstract class UmpirePool implements AllocatorPolicy {
  private final PoolOptions options;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private final OrderedBlocks free = new OrderedBlocks();
  private long actualBytes;
  private long releasableBytes;
  private long releasableBlocks;
  private long usedBytes;
  private long highWatermarkBytes;

  /**
   * A pool that holds nothing.
   *
   * @param limitBytes most bytes that it may hold from the device, −1 for no limit
   */
  UmpirePool(PoolOptions options, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.options = options;
    this.device = LimitedMemory.of(device, limitBytes);
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, this.device, listener);
    heap = new BlockHeap(listener);
  }

  /** Orders free pieces of equal size: a number for one that becomes free. */
  abstract long newRank(int block, long address);

  /** The number that a free piece got last. */
  abstract long rank(int block, long address);

  /** Whether there are enough free pieces or blocks for coalescing to make sense. */
  abstract boolean canCoalesce(int freePieces, long wholeBlocks);

  /** Free pieces, wholly free blocks among them, in the order in which blocks are released. */
  abstract int[] inReleaseOrder(int[] pieces, BlockHeap blocks);

  @Override
  public final long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = roundedBytes(requestedBytes);
    int block = cutBestFit(bytes);
    if (block == BlockHeap.NONE) {
      block = grow(bytes, stream);
      if (block == BlockHeap.NONE) {
        return refused.report(allocation, requestedBytes, bytes, driverBlockBytes(bytes), stream);
      }
      if (pieceBytes(block) > bytes) {
        add(heap.split(block, bytes));
      }
    }
    useMore(bytes);
    usedBytes += bytes;
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  private long roundedBytes(long bytes) {
    long alignment = options.alignmentBytes();
    long most = (Long.MAX_VALUE / 2) & -alignment;
    return bytes >= most ? most : (bytes + alignment - 1) & -alignment;
  }

  /** The first bytes of the smallest free piece that holds them, if there is one. */
  private int cutBestFit(long bytes) {
    int position = free.ceiling(bytes, 0);
    if (position == OrderedBlocks.NONE) {
      return BlockHeap.NONE;
    }
    int block = free.block(position);
    countReleasable(block, -1);
    if (pieceBytes(block) > bytes) {
      int rest = heap.split(block, bytes);
      free.replaceAt(position, pieceBytes(rest), newRank(rest, heap.address(rest)), rest);
    } else {
      free.removeAt(position);
    }
    return block;
  }

  private long driverBlockBytes(long bytes) {
    return Math.max(bytes, actualBytes == 0 ? options.firstBytes() : options.nextBytes());
  }

  /** A new driver block; what is free goes back to the device where it refuses it at first. */
  private int grow(long bytes, int stream) {
    long driverBytes = driverBlockBytes(bytes);
    int block = obtain(driverBytes, stream);
    if (block == BlockHeap.NONE && releasableBlocks > 0) {
      release();
      listener.allocationRetried();
      block = obtain(driverBytes, stream);
    }
    return block;
  }

  private int obtain(long driverBytes, int stream) {
    long asked = driverBytes + options.alignmentBytes();
    long address = device.allocate(asked);
    if (address == DeviceMemory.REFUSED) {
      return BlockHeap.NONE;
    }
    actualBytes += driverBytes;
    return heap.addSegment(address, asked, stream);
  }

  private void useMore(long bytes) {
    highWatermarkBytes = Math.max(highWatermarkBytes, usedBytes + bytes);
  }

  /** Bytes of a piece, without the slack after its driver block. */
  private long pieceBytes(int block) {
    return heap.bytes(block) - (heap.next(block) == BlockHeap.NONE ? options.alignmentBytes() : 0);
  }

  private void add(int block) {
    free.add(pieceBytes(block), newRank(block, heap.address(block)), block);
    countReleasable(block, 1);
  }

  private void remove(int block) {
    free.remove(pieceBytes(block), rank(block, heap.address(block)));
    countReleasable(block, -1);
  }

  /** Adds a free piece to the releasable blocks, or takes it out, if it is one. */
  private void countReleasable(int block, int sign) {
    if (heap.coversSegment(block)) {
      releasableBytes += sign * pieceBytes(block);
      releasableBlocks += sign;
    }
  }

  @Override
  public final void free(int allocation) {
    int block = heap.release(allocation);
    if (block == BlockHeap.NONE) {
      return;
    }
    usedBytes -= pieceBytes(block);
    int merged = addMerged(block);
    long suggested =
        options
            .heuristic()
            .suggestedBytes(actualBytes, releasableBytes, releasableBlocks, highWatermarkBytes);
    if (suggested != 0) {
      coalesce(suggested, heap.stream(merged));
    }
    heap.settle();
  }

  /** Adds a piece to the free ones, merged with its free neighbours; answers what it became. */
  private int addMerged(int block) {
    int previous = heap.previous(block);
    int next = heap.next(block);
    boolean joinsNext = heap.isFree(next);
    int merged = block;
    if (heap.isFree(previous)) {
      if (joinsNext) {
        free.remove(pieceBytes(next), rank(next, heap.address(next)));
        heap.mergeNext(block);
      }
      long oldBytes = pieceBytes(previous);
      long oldRank = rank(previous, heap.address(previous));
      heap.mergeNext(previous);
      merged = previous;
      replace(oldBytes, oldRank, merged);
    } else if (joinsNext) {
      long oldBytes = pieceBytes(next);
      long oldRank = rank(next, heap.address(next));
      heap.mergeNext(block);
      replace(oldBytes, oldRank, merged);
    } else {
      free.add(pieceBytes(block), newRank(block, heap.address(block)), block);
    }
    countReleasable(merged, 1);
    return merged;
  }

  private void replace(long oldBytes, long oldRank, int block) {
    free.replace(oldBytes, oldRank, pieceBytes(block), newRank(block, heap.address(block)), block);
  }

  /** Releases the wholly free blocks and allocates what the pool then lacks as one free block. */
  private void coalesce(long suggestedBytes, int stream) {
    if (!canCoalesce(free.size(), releasableBlocks)) {
      return;
    }
    release();
    if (actualBytes >= suggestedBytes) {
      return;
    }
    // Umpire allocates the missing bytes from the pool and frees them again.
    long bytes = roundedBytes(suggestedBytes - actualBytes);
    int position = free.ceiling(bytes, 0);
    int block;
    if (position != OrderedBlocks.NONE) {
      block = free.block(position);
      remove(block);
    } else {
      block = obtain(driverBlockBytes(bytes), stream);
      if (block == BlockHeap.NONE) {
        return;
      }
    }
    useMore(bytes);
    add(block);
  }

  /** Gives all wholly free driver blocks back to the device. */
  private void release() {
    for (int block : inReleaseOrder(free.copyTo(new int[free.size()], 0), heap)) {
      if (heap.coversSegment(block)) {
        remove(block);
        long address = heap.address(block);
        long bytes = heap.bytes(block);
        actualBytes -= pieceBytes(block);
        heap.removeSegment(block);
        device.free(address, bytes);
      }
    }
  }

  @Override
  public final void emptyCache() {
    release();
  }

  /** Bytes of all driver blocks, without their slack. */
  public final long actualBytes() {
    return actualBytes;
  }

  /** Bytes of the driver blocks that are wholly free, without their slack. */
  public final long releasableBytes() {
    return releasableBytes;
  }

  /** Number of driver blocks that are wholly free. */
  public final long releasableBlocks() {
    return releasableBlocks;
  }

  /** Number of driver blocks. */
  public final int driverBlocks() {
    return heap.segmentCount();
  }

  /** Most bytes, as rounded, that were ever in use. */
  public final long highWatermarkBytes() {
    return highWatermarkBytes;
  }

  @Override
  public final void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
