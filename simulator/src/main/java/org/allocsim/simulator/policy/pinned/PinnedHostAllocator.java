package org.allocsim.simulator.policy.pinned;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.LimitedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * PyTorch's caching allocator of pinned host memory.
 *
 * <p><b>Rules.</b> Sizes are rounded up to powers of two. A request takes the block of its size
 * that was freed last, else a new one from the operating system; blocks are neither split nor
 * merged, and a refusal is final. A block that copies used returns when all of them have finished,
 * which is only looked at by the next request or when the cache is emptied, oldest free first, up
 * to the first unfinished one. The free records what it waits for, so a block also waits for copies
 * of others that its streams had by then, up to the next wait of the host. With background threads
 * it returns as soon as they have. {@link HostSettings} exempt large requests from rounding and
 * caching; then the block freed last that is large enough serves, of those between the same powers
 * of two.
 *
 * <p>A trace of a GPU allocator replayed through it shows what its tensors would pin if they lay in
 * host memory, as offloaded ones do: its requests are pinned buffers, its uses on further streams
 * are the copies, and the stream of an allocation, which means nothing to host memory, is ignored.
 *
 * <p><b>Source.</b> pytorch/pytorch, {@code aten/src/ATen/core/CachingHostAllocator.h}, release
 * 2.11, of which it reproduces a recording operation by operation, and that of 2.14.1, whose code
 * it equals in random sequences, also with the settings of sizes, which came with 2.13.
 *
 * <p><b>Deviations.</b> No reserved segment, no private pools: a setting that is off by default,
 * and graph captures. The background thread, read in 2.14.1, looks every 100 µs. With a rounding
 * threshold below the caching limit, 2.13 may hand out a block that is too small
 * (pytorch/pytorch#192722 corrects it); here, as after the correction, it never does.
 *
 * <p><b>Cost.</b> A request takes constant time beside the finished uses that it sees and, where
 * sizes are not rounded, the cached blocks that are too small. <b>Limits.</b> One thread.
 */
public final class PinnedHostAllocator implements AllocatorPolicy {
  private static final int SIZE_CLASSES = 63;
  private static final int NONE = BlockHeap.NONE;

  private final HostSettings settings;
  private final DeviceMemory host;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final HostMemoryListener hostListener;
  private final BlockHeap heap;
  private final CopyUses uses = new CopyUses();

  /** By size class: the free block that came back last; at first 0, thus NONE. */
  private final int[] lastFreed = new int[SIZE_CLASSES];

  /** By block: the free block of the same class that came back before it. */
  private int[] freedBefore = new int[256];

  /**
   * An allocator that owns nothing, without settings and limit.
   *
   * @param host where pinned memory comes from
   * @param listener receives what it does; every block is a segment of its own
   * @param hostListener receives the same by size class
   */
  public PinnedHostAllocator(
      DeviceMemory host, EffectListener listener, HostMemoryListener hostListener) {
    this(HostSettings.DEFAULT, -1, host, listener, hostListener);
  }

  /** As above; it may own at most {@code limitBytes}, or any number where that is −1. */
  public PinnedHostAllocator(
      HostSettings settings,
      long limitBytes,
      DeviceMemory host,
      EffectListener listener,
      HostMemoryListener hostListener) {
    this.settings = settings;
    this.host = LimitedMemory.of(host, limitBytes);
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, this.host, listener);
    this.hostListener = hostListener;
    heap = new BlockHeap(listener);
  }

  /**
   * Bytes that a request takes: the next power of two, without a minimum.
   *
   * @param requestedBytes 1 to 2^62
   */
  public static long roundedBytes(long requestedBytes) {
    return 1L << sizeClass(requestedBytes);
  }

  private static int sizeClass(long bytes) {
    return 64 - Long.numberOfLeadingZeros(bytes - 1);
  }

  /** Serves a request; stream and pool make no difference to pinned memory. */
  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (!settings.backgroundThreads()) {
      processEvents();
    }
    if (requestedBytes < 0 || requestedBytes > 1L << (SIZE_CLASSES - 1)) {
      listener.requestRejected(allocation, requestedBytes, "the size is beyond 2^62 bytes");
      return OUT_OF_MEMORY;
    }
    long bytes = settings.blockBytes(requestedBytes);
    int sizeClass = sizeClass(bytes);
    int block = takeCached(sizeClass, bytes);
    if (block == NONE) {
      block = obtain(bytes);
    }
    if (block == NONE) {
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    hostListener.handedOut(sizeClass, heap.bytes(block));
    heap.take(block, allocation, requestedBytes, 0);
    return heap.address(block);
  }

  private int takeCached(int sizeClass, long bytes) {
    int above = NONE;
    for (int block = lastFreed[sizeClass]; block != NONE; block = freedBefore[block]) {
      if (heap.bytes(block) >= bytes) {
        if (above == NONE) {
          lastFreed[sizeClass] = freedBefore[block];
        } else {
          freedBefore[above] = freedBefore[block];
        }
        return block;
      }
      above = block;
    }
    return NONE;
  }

  private int obtain(long bytes) {
    long address = host.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      return NONE;
    }
    hostListener.blockObtained(bytes);
    int block = heap.addSegment(address, bytes, 0);
    if (block >= freedBefore.length) {
      freedBefore = Arrays.copyOf(freedBefore, 2 * block);
    }
    return block;
  }

  @Override
  public void free(int allocation) {
    int block = heap.requestFree(allocation);
    if (block == NONE) {
      return;
    }
    if (uses.isUsed(block)) {
      uses.await(block);
      processInBackground();
    } else {
      becomeFree(block);
    }
  }

  private void becomeFree(int block) {
    heap.completeFree(block);
    long bytes = heap.bytes(block);
    if (bytes > settings.maxCachedBytes()) {
      releaseToDevice(block);
    } else {
      int sizeClass = sizeClass(bytes);
      freedBefore[block] = lastFreed[sizeClass];
      lastFreed[sizeClass] = block;
    }
  }

  private void releaseToDevice(int block) {
    long bytes = heap.bytes(block);
    host.free(heap.address(block), bytes);
    heap.removeSegment(block);
    hostListener.blockReleased(bytes);
  }

  /** A copy on a stream uses the allocation. */
  @Override
  public void useStream(int allocation, int stream, long completionRank) {
    int block = heap.block(allocation);
    if (block != NONE && !heap.isPending(block)) {
      uses.record(block, stream);
    }
  }

  @Override
  public void useComplete(int allocation, int stream) {
    int block = heap.block(allocation);
    if (block != NONE) {
      uses.finish(block, stream);
      processInBackground();
    }
  }

  @Override
  public void synchronize() {
    uses.finishAll();
    processInBackground();
  }

  @Override
  public void synchronizeStream(int stream) {
    uses.finishStream(stream);
    processInBackground();
  }

  private void processInBackground() {
    if (settings.backgroundThreads()) {
      processEvents();
    }
  }

  private void processEvents() {
    while (uses.hasFinished()) {
      int block = uses.takeFinished();
      if (block != CopyUses.NO_BLOCK) {
        hostListener.returnedAfterUse(sizeClass(heap.bytes(block)));
        becomeFree(block);
      }
    }
  }

  /** Gives the cached blocks back, smallest size class first, oldest free first. */
  @Override
  public void emptyCache() {
    processEvents();
    for (int sizeClass = 0; sizeClass < SIZE_CLASSES; sizeClass++) {
      int oldestFirst = NONE;
      for (int block = lastFreed[sizeClass]; block != NONE; ) {
        int before = freedBefore[block];
        freedBefore[block] = oldestFirst;
        oldestFirst = block;
        block = before;
      }
      for (int block = oldestFirst; block != NONE; block = freedBefore[block]) {
        releaseToDevice(block);
      }
      lastFreed[sizeClass] = NONE;
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
