package org.allocsim.simulator.policy.pinned;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * PyTorch's caching allocator of pinned host memory.
 *
 * <p><b>Rules.</b> Sizes are rounded up to powers of two. A request takes the block of its size
 * that was freed last, else a new one from the operating system; blocks are neither split nor
 * merged, and a refusal is final. A block that copies used returns when all of them have finished,
 * which is only looked at by the next request or when the cache is emptied, oldest free first, up
 * to the first unfinished one.
 *
 * <p><b>Source.</b> pytorch/pytorch, {@code aten/src/ATen/core/CachingHostAllocator.h}, release
 * 2.11.
 *
 * <p><b>Deviations.</b> No background threads, no reserved segment, no private pools: these are
 * settings that are off by default, or graph captures.
 *
 * <p><b>Cost.</b> A request takes constant time beside the finished uses that it sees.
 * <b>Limits.</b> One thread.
 */
public final class PinnedHostAllocator implements AllocatorPolicy {
  private static final int SIZE_CLASSES = 63;

  private final DeviceMemory host;
  private final EffectListener listener;
  private final HostMemoryListener hostListener;
  private final List<ArrayDeque<Block>> free = new ArrayList<>();
  private final ArrayDeque<Use> events = new ArrayDeque<>();
  private final Map<Integer, Block> live = new HashMap<>();
  private final TreeSet<Block> owned =
      new TreeSet<>((a, b) -> Long.compareUnsigned(a.address, b.address));

  /** A block that the allocator owns. */
  private static final class Block {
    final long address;
    final int sizeClass;
    final List<Use> uses = new ArrayList<>();
    int allocation;
    long requestedBytes;
    LayoutVisitor.BlockState state = LayoutVisitor.BlockState.INACTIVE;
    int outstanding;

    Block(long address, int sizeClass) {
      this.address = address;
      this.sizeClass = sizeClass;
    }

    long bytes() {
      return 1L << sizeClass;
    }
  }

  /** The copies that used a block on one stream; an event once the block is freed. */
  private static final class Use {
    final Block block;
    final int stream;
    boolean complete;

    Use(Block block, int stream) {
      this.block = block;
      this.stream = stream;
    }
  }

  /**
   * An allocator that owns nothing.
   *
   * @param host where pinned memory comes from
   * @param listener hears what it does; every block is a segment of its own
   * @param hostListener hears the same by size class
   */
  public PinnedHostAllocator(
      DeviceMemory host, EffectListener listener, HostMemoryListener hostListener) {
    this.host = host;
    this.listener = listener;
    this.hostListener = hostListener;
    for (int i = 0; i < SIZE_CLASSES; i++) {
      free.add(new ArrayDeque<>());
    }
  }

  /**
   * Bytes that a request takes: the next power of two, without a minimum.
   *
   * @param requestedBytes 1 to 2^62
   */
  public static long roundedBytes(long requestedBytes) {
    return 1L << sizeClass(requestedBytes);
  }

  private static int sizeClass(long requestedBytes) {
    return 64 - Long.numberOfLeadingZeros(requestedBytes - 1);
  }

  /** Serves a request; stream and pool make no difference to pinned memory. */
  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    processEvents();
    if (requestedBytes < 0 || requestedBytes > 1L << (SIZE_CLASSES - 1)) {
      listener.requestRejected(allocation, requestedBytes, "the size is beyond 2^62 bytes");
      return OUT_OF_MEMORY;
    }
    int sizeClass = sizeClass(requestedBytes);
    Block block = free.get(sizeClass).pollLast();
    if (block == null) {
      block = obtain(sizeClass);
    }
    if (block == null) {
      long bytes = 1L << sizeClass;
      listener.outOfMemory(
          new OutOfMemory(
              allocation,
              requestedBytes,
              bytes,
              bytes,
              stream,
              -1,
              0,
              host.freeBytes(),
              host.totalBytes()));
      return OUT_OF_MEMORY;
    }
    block.allocation = allocation;
    block.requestedBytes = requestedBytes;
    block.state = LayoutVisitor.BlockState.ACTIVE_ALLOCATED;
    live.put(allocation, block);
    hostListener.handedOut(sizeClass, block.bytes());
    listener.blockAllocated(allocation, block.address, requestedBytes, block.bytes(), 0, false);
    return block.address;
  }

  private Block obtain(int sizeClass) {
    long address = host.allocate(1L << sizeClass);
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    Block block = new Block(address, sizeClass);
    owned.add(block);
    hostListener.blockObtained(block.bytes());
    listener.segmentAllocated(address, block.bytes(), 0, false);
    return block;
  }

  @Override
  public void free(int allocation) {
    Block block = live.get(allocation);
    if (block == null || block.state != LayoutVisitor.BlockState.ACTIVE_ALLOCATED) {
      return;
    }
    listener.freeRequested(
        allocation, block.address, block.requestedBytes, block.bytes(), 0, false);
    if (block.uses.isEmpty()) {
      becomeFree(block);
      return;
    }
    block.state = LayoutVisitor.BlockState.ACTIVE_PENDING_FREE;
    block.outstanding = block.uses.size();
    events.addAll(block.uses);
  }

  private void becomeFree(Block block) {
    listener.freeCompleted(
        block.allocation, block.address, block.requestedBytes, block.bytes(), 0, false);
    live.remove(block.allocation);
    block.uses.clear();
    block.state = LayoutVisitor.BlockState.INACTIVE;
    free.get(block.sizeClass).addLast(block);
  }

  /** A copy on a stream uses the allocation. */
  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    Block block = live.get(allocation);
    if (block == null || block.state != LayoutVisitor.BlockState.ACTIVE_ALLOCATED) {
      return;
    }
    for (Use use : block.uses) {
      if (use.stream == stream) {
        use.complete = false;
        return;
      }
    }
    block.uses.add(new Use(block, stream));
  }

  @Override
  public void useComplete(int allocation, int stream) {
    Block block = live.get(allocation);
    if (block != null) {
      for (Use use : block.uses) {
        use.complete |= stream == AllocationTrace.ANY_STREAM || use.stream == stream;
      }
    }
  }

  @Override
  public void synchronize() {
    live.values().forEach(block -> block.uses.forEach(use -> use.complete = true));
  }

  private void processEvents() {
    while (!events.isEmpty() && events.peekFirst().complete) {
      Block block = events.pollFirst().block;
      if (--block.outstanding == 0) {
        hostListener.returnedAfterUse(block.sizeClass);
        becomeFree(block);
      }
    }
  }

  /** Gives the cached blocks back, smallest first. */
  @Override
  public void emptyCache() {
    processEvents();
    for (ArrayDeque<Block> cached : free) {
      for (Block block : cached) {
        listener.segmentFreed(block.address, block.bytes(), 0, false);
        host.free(block.address, block.bytes());
        hostListener.blockReleased(block.bytes());
        owned.remove(block);
      }
      cached.clear();
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    for (Block block : owned) {
      visitor.segment(block.address, block.bytes(), 0, false, 0, false);
      visitor.block(
          block.address,
          block.bytes(),
          block.requestedBytes,
          block.state,
          block.state == LayoutVisitor.BlockState.INACTIVE ? -1 : block.allocation);
    }
  }
}
