package org.allocsim.simulator.policy.cudaasync;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.IntStream;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.PoolView;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.trace.AllocationTrace;
import org.jspecify.annotations.Nullable;

/**
 * The driver's own stream-ordered allocator, {@code cudaMallocAsync} on the default pool.
 *
 * <p><b>Rules.</b> Requests and frees are passed on to the device's pool, whose rules are the
 * device's business. A block that was used on streams other than its own is freed on one more
 * stream, which waits for all of them. Emptying the cache is a synchronisation of the device and a
 * trim to 0. The pool's chunks are reported as mapped and unmapped memory of stream 0: a chunk that
 * moves is unmapped in one place and mapped in another; one that the pool holds but maps nowhere
 * stands at {@link StreamOrderedMemory#UNPLACED_ADDRESS} and above. Runs of mapped chunks are
 * segments; in them lie the allocations, rounded up to 512 bytes, and the free ranges of all
 * streams, each for itself. Of a pool that reports totals only, all that is reserved and not
 * allocated is shown at that address, and an allocation is a segment of its own.
 *
 * <p><b>Source.</b> The pool: recordings of driver 580 (CUDA 13.0) on H100 and H200. Blocks of
 * several streams and emptying: pytorch/pytorch, {@code c10/cuda/CUDAMallocAsyncAllocator.cpp},
 * commit 03459473, which also sets the release threshold to the maximum.
 *
 * <p><b>Deviations.</b> Traces do not show when the work of a stream ends nor which streams wait
 * for which: what a stream gave back counts as complete at once where opportunistic reuse is on,
 * else when the host has waited for that stream; reuse that follows event dependencies never
 * happens. Private pools are served from the default pool.
 *
 * <p><b>Cost.</b> That of the device's pool. <b>Limits.</b> One pool; a limit bounds what the pool
 * reserves in whole chunks, rounded up, and its addresses to twice as much, as its maximum size
 * does. On a busy device other streams pass over what was freed on a stream that still works, so
 * that the real pool grows beyond this one.
 */
public final class CudaAsyncAllocator implements AllocatorPolicy {
  private static final long ALIGNMENT_BYTES = 512;
  private static final int NO_ALLOCATION = AllocationTrace.NO_ALLOCATION;

  /** The stream that waits for all users of a block; traces have 2^15 streams at most. */
  private static final int UNIFYING_STREAM = 1 << 15;

  private final StreamOrderedMemory memory;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final @Nullable PoolView view;

  private long[] address = new long[1024];
  private long[] requestedBytes = new long[1024];

  /** Stream on which an allocation is freed if the trace does not say. */
  private int[] stream = new int[1024];

  private int allocations;
  private long reportedBytes;

  /**
   * An allocator on a pool that holds nothing.
   *
   * @param limitBytes most bytes that the pool may reserve, −1 for no limit
   * @param device the device of the pool
   * @param memory the pool, with its attributes set
   * @param listener receives what happens
   */
  public CudaAsyncAllocator(
      long limitBytes, DeviceMemory device, StreamOrderedMemory memory, EffectListener listener) {
    this.memory = memory;
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, device, listener);
    if (limitBytes >= 0) {
      memory.setPoolLimit(limitBytes);
    }
    Optional<PoolView> shown = memory.view();
    view = shown.orElse(null);
    shown.ifPresent(pool -> pool.reportTo(new Chunks(listener)));
  }

  private record Chunks(EffectListener listener) implements PoolView.Listener {
    @Override
    public void mapped(long address, long bytes) {
      listener.segmentMapped(address, bytes, 0, false);
    }

    @Override
    public void unmapped(long address, long bytes) {
      listener.segmentUnmapped(address, bytes, 0, false);
    }
  }

  @Override
  public long allocate(int allocation, long bytes, int allocationStream, int pool) {
    if (bytes == 0) {
      return 0;
    }
    long start = memory.allocateAsync(bytes, allocationStream);
    reportTotal();
    if (start == DeviceMemory.REFUSED) {
      long rounded = blockBytes(bytes);
      return refused.report(allocation, bytes, rounded, rounded, allocationStream);
    }
    reserve(allocation);
    address[allocation] = start;
    requestedBytes[allocation] = bytes;
    stream[allocation] = allocationStream;
    allocations = Math.max(allocations, allocation + 1);
    listener.blockAllocated(allocation, start, bytes, blockBytes(bytes), allocationStream, false);
    return start;
  }

  @Override
  public void useStream(int allocation, int user, long completionRank) {
    if (isLive(allocation) && stream[allocation] != user) {
      stream[allocation] = UNIFYING_STREAM;
    }
  }

  @Override
  public void free(int allocation) {
    free(allocation, AllocationTrace.UNKNOWN_STREAM);
  }

  @Override
  public void free(int allocation, int freeStream) {
    if (!isLive(allocation)) {
      return;
    }
    long start = address[allocation];
    long bytes = requestedBytes[allocation];
    int own = stream[allocation];
    boolean elsewhere = own == UNIFYING_STREAM || freeStream == AllocationTrace.UNKNOWN_STREAM;
    int on = elsewhere ? own : freeStream;
    listener.freeRequested(allocation, start, bytes, blockBytes(bytes), on, false);
    memory.freeAsync(start, bytes, on);
    address[allocation] = 0;
    listener.freeCompleted(allocation, start, bytes, blockBytes(bytes), on, false);
  }

  private boolean isLive(int allocation) {
    return allocation < allocations && address[allocation] != 0;
  }

  @Override
  public void synchronize() {
    memory.synchronizeDevice();
    reportTotal();
  }

  @Override
  public void synchronizeStream(int synchronizedStream) {
    memory.synchronizeStream(synchronizedStream);
    reportTotal();
  }

  @Override
  public void emptyCache() {
    memory.synchronizeDevice();
    trim(0);
  }

  /** Returns unused memory while more than this many bytes are reserved. */
  public void trim(long keptBytes) {
    memory.trimPool(keptBytes);
    reportTotal();
  }

  /** Reports how the pool's total changed, where nothing more is known. */
  private void reportTotal() {
    if (view != null) {
      return;
    }
    long reserved = memory.poolReservedBytes();
    if (reserved > reportedBytes) {
      listener.segmentMapped(
          StreamOrderedMemory.UNPLACED_ADDRESS + reportedBytes, reserved - reportedBytes, 0, false);
    } else if (reserved < reportedBytes) {
      listener.segmentUnmapped(
          StreamOrderedMemory.UNPLACED_ADDRESS + reserved, reportedBytes - reserved, 0, false);
    }
    reportedBytes = reserved;
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    int[] live =
        IntStream.range(0, allocations)
            .filter(this::isLive)
            .boxed()
            .sorted(Comparator.comparingLong(allocation -> address[allocation]))
            .mapToInt(Integer::intValue)
            .toArray();
    if (view == null) {
      describeTotals(visitor, live);
    } else {
      view.show(new Layout(visitor, live));
    }
  }

  private void describeTotals(LayoutVisitor visitor, int[] live) {
    long free = memory.poolReservedBytes();
    for (int allocation : live) {
      visitor.segment(
          address[allocation], blockBytes(requestedBytes[allocation]), 0, false, 0, true);
      describeBlock(visitor, allocation);
      free -= blockBytes(requestedBytes[allocation]);
    }
    if (free > 0) {
      long unplaced = StreamOrderedMemory.UNPLACED_ADDRESS;
      visitor.segment(unplaced, free, 0, false, 0, true);
      visitor.block(unplaced, free, 0, LayoutVisitor.BlockState.INACTIVE, NO_ALLOCATION);
    }
  }

  private void describeBlock(LayoutVisitor visitor, int allocation) {
    visitor.block(
        address[allocation],
        blockBytes(requestedBytes[allocation]),
        requestedBytes[allocation],
        LayoutVisitor.BlockState.ACTIVE_ALLOCATED,
        allocation);
  }

  /** Puts the names of allocations to the ranges in use, both by ascending address. */
  private final class Layout implements PoolView.Visitor {
    private final LayoutVisitor visitor;
    private final int[] live;
    private int shown;

    Layout(LayoutVisitor visitor, int[] live) {
      this.visitor = visitor;
      this.live = live;
    }

    @Override
    public void run(long runAddress, long bytes) {
      visitor.segment(runAddress, bytes, 0, false, 0, true);
    }

    @Override
    public void range(long rangeAddress, long bytes, boolean inUse) {
      if (inUse) {
        describeBlock(visitor, live[shown++]);
      } else {
        visitor.block(rangeAddress, bytes, 0, LayoutVisitor.BlockState.INACTIVE, NO_ALLOCATION);
      }
    }
  }

  private static long blockBytes(long bytes) {
    return bytes > Long.MAX_VALUE - ALIGNMENT_BYTES
        ? bytes
        : (bytes + ALIGNMENT_BYTES - 1) & -ALIGNMENT_BYTES;
  }

  private void reserve(int allocation) {
    if (allocation >= address.length) {
      int capacity = Math.max(allocation + 1, address.length + (address.length >> 1));
      address = Arrays.copyOf(address, capacity);
      requestedBytes = Arrays.copyOf(requestedBytes, capacity);
      stream = Arrays.copyOf(stream, capacity);
    }
  }
}
