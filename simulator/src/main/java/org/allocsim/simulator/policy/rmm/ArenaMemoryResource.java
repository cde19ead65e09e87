package org.allocsim.simulator.policy.rmm;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * RMM's {@code arena_memory_resource}.
 *
 * <p><b>Rules.</b> One piece of device memory is tiled by superblocks of at least 1 MiB, which
 * belong to the global arena or to the arena of a stream. A request above 1 MiB is served by the
 * global arena, a smaller one by its stream's arena, which takes over a superblock of the global
 * arena where it has none that fits. Both take the lowest address that fits and cut exactly; a
 * superblock that is empty is cut first, where at least 1 MiB remains. Where nothing fits, the
 * device is waited for, all superblocks return to the global arena, neighbours that are empty merge
 * there, and the request is tried once more. A block is freed into its superblock, whoever has that
 * by then.
 *
 * <p><b>Source.</b> rapidsai/rmm 5d50a37 (2026-07), {@code arena_memory_resource_impl.cpp}, {@code
 * arena.hpp}.
 *
 * <p><b>Deviations.</b> The memory is taken at the first request, which fails where the device
 * refuses it; RMM's constructor fails. All threads share the arena of the per-thread default
 * stream.
 *
 * <p><b>Cost.</b> A search looks at one number for up to 64 free blocks. <b>Limits.</b> One thread.
 */
public final class ArenaMemoryResource implements AllocatorPolicy {
  /** Size of the arena that is half of the device's free bytes. */
  public static final long HALF_OF_FREE = -1;

  /** Smallest superblock, and largest request that a stream's arena serves. */
  static final long SUPERBLOCK_BYTES = 1 << 20;

  private final long arenaBytes;
  private final boolean hasSizeClasses;
  private final Upstream upstream;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private final Superblocks superblocks;
  private boolean constructed;
  private long streamSynchronizations;

  /**
   * An arena that holds nothing yet.
   *
   * @param arenaBytes size of at least 1 MiB, or {@link #HALF_OF_FREE}
   * @param hasSizeClasses whether sizes are rounded to {@link SizeClasses} instead of 256 bytes
   * @param limitBytes most that the device gives, −1 for no limit
   */
  ArenaMemoryResource(
      long arenaBytes,
      boolean hasSizeClasses,
      long limitBytes,
      DeviceMemory device,
      EffectListener listener) {
    this.arenaBytes = arenaBytes;
    this.hasSizeClasses = hasSizeClasses;
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, device, listener);
    upstream = new Upstream(device, limitBytes);
    heap = new BlockHeap(listener);
    superblocks = new Superblocks(heap);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = roundedBytes(requestedBytes);
    int block = construct(stream) ? find(bytes, stream) : BlockHeap.NONE;
    if (block == BlockHeap.NONE) {
      heap.settle();
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  private long roundedBytes(long requestedBytes) {
    return hasSizeClasses ? SizeClasses.alignUp(requestedBytes) : Upstream.alignUp(requestedBytes);
  }

  private boolean construct(int stream) {
    if (constructed) {
      return true;
    }
    long bytes =
        Upstream.alignDown(
            arenaBytes == HALF_OF_FREE ? upstream.deviceFreeBytes() / 2 : arenaBytes);
    long address = bytes < SUPERBLOCK_BYTES ? DeviceMemory.REFUSED : upstream.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      return false;
    }
    superblocks.add(heap.addSegment(address, bytes, stream));
    constructed = true;
    return true;
  }

  private int find(long bytes, int stream) {
    int block = tryToFind(bytes, stream);
    if (block == BlockHeap.NONE) {
      listener.streamsSynchronized();
      superblocks.returnAll();
      listener.allocationRetried();
      block = tryToFind(bytes, stream);
    }
    if (block != BlockHeap.NONE) {
      superblocks.take(block, bytes);
    }
    return block;
  }

  private int tryToFind(long bytes, int stream) {
    if (bytes > SUPERBLOCK_BYTES) {
      return findInGlobalArena(bytes);
    }
    int own = arenaOf(stream);
    int block = superblocks.firstFit(own, bytes);
    if (block == BlockHeap.NONE) {
      block = findInGlobalArena(bytes);
      if (block != BlockHeap.NONE) {
        superblocks.handOver(superblocks.of(block), own);
      }
    }
    return block;
  }

  /** The first block of the global arena that fits, in a superblock that is cut where it may be. */
  private int findInGlobalArena(long bytes) {
    int block = superblocks.firstFit(Superblocks.GLOBAL, bytes);
    if (block != BlockHeap.NONE) {
      int superblock = superblocks.of(block);
      long keptBytes = Math.max(SUPERBLOCK_BYTES, bytes);
      if (superblocks.isEmpty(superblock)
          && superblocks.bytes(superblock) - SUPERBLOCK_BYTES >= keptBytes) {
        superblocks.cut(superblock, keptBytes);
      }
    }
    return block;
  }

  private static int arenaOf(int stream) {
    return Superblocks.GLOBAL + 1 + stream;
  }

  @Override
  public void free(int allocation) {
    free(allocation, AllocationTrace.UNKNOWN_STREAM);
  }

  @Override
  public void free(int allocation, int stream) {
    int block = heap.release(allocation);
    if (block == BlockHeap.NONE) {
      return;
    }
    int superblock = superblocks.of(block);
    int owner = superblocks.owner(superblock);
    int own = arenaOf(stream == AllocationTrace.UNKNOWN_STREAM ? heap.stream(block) : stream);
    boolean large = heap.bytes(block) > SUPERBLOCK_BYTES;
    if (large) {
      streamSynchronizations++;
    }
    if (owner != own && !(large && owner == Superblocks.GLOBAL)) {
      streamSynchronizations++;
    }
    superblocks.takeBack(block);
    if (owner == Superblocks.GLOBAL && superblocks.isEmpty(superblock)) {
      superblocks.mergeEmpty(superblock);
    }
    heap.settle();
  }

  /** Times that a stream was waited for. */
  public long streamSynchronizations() {
    return streamSynchronizations;
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
