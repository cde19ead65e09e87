package org.allocsim.simulator.policy.classic;

import java.util.function.Function;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * One heap whose free blocks are split to the byte and merged with both neighbours at once: first,
 * best, next and worst fit and TLSF, which differ only in the free block they take.
 *
 * <p><b>Rules.</b> Sizes are rounded up to the unit. A request takes the low part of the block that
 * the fit chooses. The top, the free block at the end of the heap, counts as larger than all others
 * and serves only where no other block fits; where it is too small the heap grows by whole steps.
 * Memory is kept, unless the top is to be trimmed: then the whole steps in it go back at each free.
 * A request fails where no block fits and the heap cannot grow. Where memory is used and freed on
 * several streams makes no difference.
 *
 * <p><b>Source.</b> Textbook rules (Knuth, The Art of Computer Programming, vol. 1, 2.5); TLSF as
 * in mattconte/tlsf with its bookkeeping outside of the memory (no headers, no smallest block).
 *
 * <p><b>Deviations.</b> None of these allocators knows a device: that the heap is a range of
 * addresses into which pages are mapped, and that the top is avoided, which makes placement
 * independent of capacity and growth step, is a model. Private pools share the heap.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of free blocks (TLSF:
 * constant). <b>Limits.</b> 2^46 bytes of heap.
 */
final class FitAllocator implements AllocatorPolicy {
  private static final int NONE = BlockHeap.NONE;

  private final HeapMemory memory;
  private final FreeBlocks free;
  private final long unitBytes;
  private final boolean trimsTop;
  private final RefusedRequests refused;
  private final BlockHeap heap;

  /** Block at the end of the heap: the top where it is free. */
  private int last = NONE;

  /**
   * An allocator that holds nothing.
   *
   * @param options unit, growth and limit
   * @param fit makes the set of a heap's free blocks, which chooses the block
   */
  FitAllocator(
      HeapOptions options,
      Function<BlockHeap, FreeBlocks> fit,
      DeviceMemory device,
      EffectListener listener) {
    this.memory = options.memory(device);
    this.unitBytes = options.unitBytes();
    this.trimsTop = options.trimsTop();
    refused = new RefusedRequests(options.limitBytes(), device, listener);
    heap = new BlockHeap(listener);
    free = fit.apply(heap);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = HeapMemory.roundUp(requestedBytes, unitBytes);
    int block = bytes > HeapMemory.MAX_BYTES ? NONE : free.find(bytes);
    if (block != NONE) {
      takeFrom(block, bytes);
    } else {
      block = takeFromTop(bytes);
      if (block == NONE) {
        refuse(allocation, requestedBytes, bytes, stream);
        return OUT_OF_MEMORY;
      }
    }
    heap.take(block, allocation, requestedBytes, stream);
    long address = heap.address(block);
    free.handedOut(address + bytes);
    return address;
  }

  private void takeFrom(int block, long bytes) {
    if (heap.bytes(block) == bytes) {
      free.remove(block);
    } else {
      free.cut(block, bytes);
    }
  }

  /** A block of the top's low part, or {@link #NONE} where the heap cannot grow. */
  private int takeFromTop(long bytes) {
    long topBytes = heap.isFree(last) ? heap.bytes(last) : 0;
    if (topBytes < bytes && !grow(bytes - topBytes)) {
      return NONE;
    }
    int block = last;
    if (heap.bytes(block) > bytes) {
      last = heap.split(block, bytes);
    }
    return block;
  }

  private boolean grow(long neededBytes) {
    long held = memory.heldBytes();
    long grown = memory.grow(neededBytes);
    if (grown == 0) {
      return false;
    }
    if (memory.isArena()) {
      last = heap.addSegment(memory.baseAddress(), grown, 0);
      return true;
    }
    int added = heap.map(last, memory.baseAddress() + held, grown, 0);
    if (heap.isFree(last)) {
      heap.mergeNext(last);
    } else {
      last = added;
    }
    return true;
  }

  private void refuse(int allocation, long requestedBytes, long bytes, int stream) {
    long topBytes = heap.isFree(last) ? heap.bytes(last) : 0;
    refused.report(allocation, requestedBytes, bytes, memory.growthBytes(bytes - topBytes), stream);
  }

  @Override
  public void free(int allocation) {
    int block = heap.release(allocation);
    if (block == NONE) {
      return;
    }
    int next = heap.next(block);
    int previous = heap.previous(block);
    boolean mergesNext = heap.isFree(next);
    if (mergesNext && next != last) {
      mergeInside(block, next, previous);
    } else if (mergesNext || next == NONE) {
      mergeIntoTop(block, next, previous);
    } else if (heap.isFree(previous)) {
      free.absorbNext(previous);
    } else {
      free.add(block);
    }
    heap.settle();
  }

  /** Merges a freed block with the free one after it, which is not the top, and one before it. */
  private void mergeInside(int block, int next, int previous) {
    free.remove(next);
    heap.mergeNext(block);
    if (heap.isFree(previous)) {
      free.absorbNext(previous);
    } else {
      free.add(block);
    }
  }

  /** Makes a freed block at the end of the used heap part of the top. */
  private void mergeIntoTop(int block, int next, int previous) {
    last = block;
    if (next != NONE) {
      heap.mergeNext(block);
    }
    if (heap.isFree(previous)) {
      free.remove(previous);
      heap.mergeNext(previous);
      last = previous;
    }
    if (trimsTop) {
      trim();
    }
  }

  private void trim() {
    long height = heap.address(last) - memory.baseAddress();
    long kept = memory.stepsFor(height);
    if (kept == memory.heldBytes()) {
      return;
    }
    int end = last;
    if (kept > height) {
      end = heap.split(last, kept - height);
    } else {
      last = heap.previous(last);
    }
    heap.unmap(end);
    memory.shrink(kept);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
