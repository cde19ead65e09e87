package org.allocsim.simulator.policy.rmm;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * RMM's {@code pool_memory_resource}.
 *
 * <p><b>Rules.</b> Sizes are rounded up to 256 bytes. Every stream has a list of free blocks; a
 * block that is freed goes to the list of the stream on which it is freed and merges there with
 * neighbours of the same list and the same piece of device memory. A request takes the smallest
 * block that fits of its own stream's list, else of the first other list that has one (its stream
 * waits for that list's event, the rest stays in that list), else merges the other lists into its
 * own, one after the other, until a block fits, else grows the pool: without a maximum by as much
 * as the pool has, with one by half of what remains, at least by the request, halving on refusal.
 * Blocks are cut exactly. Nothing goes back to the device.
 *
 * <p><b>Source.</b> rapidsai/rmm 5d50a37 (2026-07), {@code pool_memory_resource_impl.cpp}, {@code
 * stream_ordered_memory_resource.hpp}, {@code coalescing_free_list.hpp}.
 *
 * <p><b>Deviations.</b> The initial size is taken at the first request, which fails where the
 * device refuses it; RMM's constructor fails. Other lists are searched in the order in which their
 * streams first used the pool. All threads share one per-thread default stream.
 *
 * <p><b>Cost.</b> RMM scans its own list to its end; here a search takes logarithmic time, and
 * {@link #scannedBlocks} counts what RMM would have looked at. <b>Limits.</b> One thread.
 */
public final class PoolMemoryResource implements AllocatorPolicy {
  /** No maximum. */
  public static final long UNLIMITED = -1;

  /** Initial size that is half of the device's free bytes, as RMM's Python classes choose it. */
  public static final long HALF_OF_FREE = -1;

  private final long initialBytes;
  private final long maximumBytes;
  private final Upstream upstream;
  private final RefusedRequests refused;
  private final BlockHeap heap;
  private final StreamEvents events;
  private SizeOrderedRows[] lists = new SizeOrderedRows[0];
  private boolean[] listed = new boolean[0];
  private int[] listOf = new int[256];
  private int[] merging = new int[16];
  private boolean constructed;
  private long poolBytes;
  private long searches;
  private long scannedBlocks;
  private long streamWaits;

  /**
   * A pool that holds nothing yet.
   *
   * @param initialBytes taken at once, a multiple of 256, or {@link #HALF_OF_FREE}
   * @param maximumBytes most that is taken, a multiple of 256, or {@link #UNLIMITED}
   * @param limitBytes most that the device gives, −1 for no limit
   * @param future handles of the streams; see {@link StreamEvents}
   */
  PoolMemoryResource(
      long initialBytes,
      long maximumBytes,
      long limitBytes,
      FutureRequests future,
      DeviceMemory device,
      EffectListener listener) {
    this.initialBytes = initialBytes;
    this.maximumBytes = maximumBytes;
    upstream = new Upstream(device, limitBytes);
    refused = new RefusedRequests(maxBytes(), device, listener);
    heap = new BlockHeap(listener);
    events = new StreamEvents(future);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    long bytes = Upstream.alignUp(requestedBytes);
    int block =
        construct(stream) ? find(bytes, eventList(events.of(stream)), stream) : BlockHeap.NONE;
    if (block == BlockHeap.NONE) {
      heap.settle();
      return refused.report(allocation, requestedBytes, bytes, bytes, stream);
    }
    heap.take(block, allocation, requestedBytes, stream);
    return heap.address(block);
  }

  /** The smaller of the pool's maximum and the limit on the device's memory. */
  private long maxBytes() {
    long limit = upstream.limitBytes();
    if (maximumBytes == UNLIMITED || limit < 0) {
      return Math.max(maximumBytes, limit);
    }
    return Math.min(maximumBytes, limit);
  }

  private boolean construct(int stream) {
    if (constructed) {
      return true;
    }
    long bytes =
        initialBytes == HALF_OF_FREE
            ? Upstream.alignDown(upstream.deviceFreeBytes() / 2)
            : initialBytes;
    if (bytes > 0) {
      if (maximumBytes != UNLIMITED && bytes > maximumBytes) {
        return false;
      }
      int block = obtain(bytes, bytes, stream);
      if (block == BlockHeap.NONE) {
        return false;
      }
      int list = eventList(events.ofLegacyStream());
      listed[list] = true;
      add(list, block);
    }
    constructed = true;
    return true;
  }

  private int find(long bytes, int own, int stream) {
    if (listed[own]) {
      int block = cutBestFit(own, bytes);
      if (block != BlockHeap.NONE) {
        return block;
      }
    }
    listed[own] = true;
    int count = events.count();
    for (int other = 0; other < count; other++) {
      if (other != own && listed[other]) {
        int block = cutBestFit(other, bytes);
        if (block != BlockHeap.NONE) {
          streamWaits++;
          return block;
        }
      }
    }
    for (int other = 0; other < count; other++) {
      if (other != own && listed[other]) {
        streamWaits++;
        merge(other, own);
        int block = cutBestFit(own, bytes);
        if (block != BlockHeap.NONE) {
          return block;
        }
      }
    }
    int block = obtain(growthBytes(bytes), bytes, stream);
    if (block != BlockHeap.NONE) {
      cut(block, bytes, own);
    }
    return block;
  }

  private int cutBestFit(int list, long bytes) {
    SizeOrderedRows blocks = lists[list];
    searches++;
    scannedBlocks += blocks.size();
    int block = blocks.ceiling(bytes, 0);
    if (block != BlockHeap.NONE) {
      blocks.remove(block);
      cut(block, bytes, list);
    }
    return block;
  }

  private void cut(int block, long bytes, int list) {
    if (heap.bytes(block) > bytes) {
      add(list, heap.split(block, bytes));
    }
  }

  private void add(int list, int block) {
    noteList(block, list);
    lists[list].add(block);
  }

  private void noteList(int block, int list) {
    if (block >= listOf.length) {
      listOf = Arrays.copyOf(listOf, Math.max(block + 1, listOf.length * 2));
    }
    listOf[block] = list;
  }

  private void merge(int other, int own) {
    int count = lists[other].size();
    merging = lists[other].copyTo(merging, 0);
    listed[other] = false;
    for (int i = 0; i < count; i++) {
      lists[other].remove(merging[i]);
      insert(own, merging[i]);
    }
  }

  /** Puts a block into a list and merges it with its neighbours there. */
  private void insert(int list, int block) {
    SizeOrderedRows blocks = lists[list];
    int merged = block;
    int next = heap.next(block);
    if (heap.isFree(next) && listOf[next] == list) {
      blocks.remove(next);
      heap.mergeNext(block);
    }
    int previous = heap.previous(block);
    if (heap.isFree(previous) && listOf[previous] == list) {
      blocks.remove(previous);
      heap.mergeNext(previous);
      merged = previous;
    }
    add(list, merged);
  }

  private long growthBytes(long bytes) {
    if (maximumBytes == UNLIMITED) {
      return Math.max(bytes, poolBytes);
    }
    long remaining = Upstream.alignUp(maximumBytes - poolBytes);
    return bytes <= remaining ? Math.max(bytes, remaining / 2) : 0;
  }

  /** Takes up to {@code wantedBytes} from the device, at least {@code minBytes}. */
  private int obtain(long wantedBytes, long minBytes, int stream) {
    for (long bytes = wantedBytes; bytes >= minBytes; bytes = Math.max(minBytes, bytes / 2)) {
      long address = upstream.allocate(bytes);
      if (address != DeviceMemory.REFUSED) {
        poolBytes += bytes;
        return heap.addSegment(address, bytes, stream);
      }
      if (bytes == minBytes) {
        break;
      }
    }
    return BlockHeap.NONE;
  }

  @Override
  public void free(int allocation) {
    free(allocation, AllocationTrace.UNKNOWN_STREAM);
  }

  @Override
  public void free(int allocation, int stream) {
    int block = heap.block(allocation);
    if (block == BlockHeap.NONE) {
      return;
    }
    int list =
        eventList(
            events.of(stream == AllocationTrace.UNKNOWN_STREAM ? heap.stream(block) : stream));
    listed[list] = true;
    heap.release(allocation);
    insert(list, block);
    heap.settle();
  }

  /** Makes room for the list of an event; answers the event, by whose number its list is found. */
  private int eventList(int event) {
    if (event >= lists.length) {
      int old = lists.length;
      lists = Arrays.copyOf(lists, Math.max(event + 1, old * 2));
      listed = Arrays.copyOf(listed, lists.length);
      for (int i = old; i < lists.length; i++) {
        lists[i] = new SizeOrderedRows(heap);
      }
    }
    return event;
  }

  /** Bytes taken from the device. */
  public long poolBytes() {
    return poolBytes;
  }

  /** Searches of a free list so far. */
  public long searches() {
    return searches;
  }

  /**
   * Free blocks that RMM would have looked at in these searches: all of the list each time. Their
   * number divided by {@link #searches} is the mean length of a scan. The scans that find the place
   * of a freed block are not in it.
   */
  public long scannedBlocks() {
    return scannedBlocks;
  }

  /** Times that a stream was made to wait for the event of another. */
  public long streamWaits() {
    return streamWaits;
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    heap.describe(visitor);
  }
}
