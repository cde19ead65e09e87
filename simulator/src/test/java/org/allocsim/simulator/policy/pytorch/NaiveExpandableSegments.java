package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.Block;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.Pool;
import org.allocsim.simulator.policy.pytorch.NaiveHeap.Segment;

/** Expandable segments of the naive allocator (rules of section 4). */
final class NaiveExpandableSegments {
  private static final long SMALL_PAGE = 2L << 20;
  private static final long FALLBACK_TOTAL = 85_017_493_504L;

  private final NaiveHeap heap;
  private final long largePage;
  private final DeviceMemory device;
  private final EffectListener listener;

  NaiveExpandableSegments(
      NaiveHeap heap, long largePage, DeviceMemory device, EffectListener listener) {
    this.heap = heap;
    this.largePage = largePage;
    this.device = device;
    this.listener = listener;
  }

  static long expandableSize(Block block) {
    Block next = block.neighbour(1);
    return block.size + (next != null && !next.mapped ? next.size : 0);
  }

  Block allocate(Pool pool, int stream, long n) {
    Block block = find(pool, stream, n);
    if (block == null) {
      return null;
    }
    if (!block.mapped && !map(block, Math.min(block.size, n))) {
      return null;
    }
    while (block.size < n) {
      Block next = block.neighbour(1);
      if (next == null || !map(next, Math.min(n - block.size, next.size))) {
        return null;
      }
      block = next;
    }
    return block;
  }

  private Block find(Pool pool, int stream, long n) {
    List<Block> unmapped = new ArrayList<>();
    for (Segment segment : pool.segments) {
      for (Block block : segment.blocks) {
        if (!block.mapped && segment.stream == stream) {
          unmapped.add(block);
        }
      }
    }
    unmapped.sort(NaiveHeap.BY_ADDRESS);
    for (Block block : unmapped) {
      Block previous = block.neighbour(-1);
      Block start = previous != null && previous.isAllocatable() ? previous : block;
      long sum = 0;
      for (Block b = start; b != null && b.isAllocatable() && sum < n; b = b.neighbour(1)) {
        sum += b.size;
      }
      if (sum >= n) {
        return start;
      }
    }
    long total = device.totalBytes() < 0 ? FALLBACK_TOTAL : device.totalBytes();
    long page = pool.small ? SMALL_PAGE : largePage;
    long bytes = (total + total / 8 + page - 1) / page * page;
    long address = device.reserve(bytes, page, stream);
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    Segment segment = heap.addSegment(pool, stream, address, bytes);
    segment.expandable = true;
    segment.page = page;
    segment.blocks.getFirst().mapped = false;
    return segment.blocks.getFirst();
  }

  private boolean map(Block block, long want) {
    Segment segment = block.segment;
    long bytes = (want + segment.page - 1) / segment.page * segment.page;
    long address = block.address;
    if (!device.map(address, bytes, segment.page)) {
      return false;
    }
    block.mapped = true;
    if (bytes < block.size) {
      Block rest = NaiveHeap.newBlock(segment, address + bytes, block.size - bytes);
      rest.mapped = false;
      segment.blocks.add(segment.blocks.indexOf(block) + 1, rest);
      block.size = bytes;
    }
    NaiveHeap.tryMerge(block, block.neighbour(-1));
    NaiveHeap.tryMerge(block, block.neighbour(1));
    block.gcBase = segment.pool.lookups;
    heap.totalAllocated += bytes;
    listener.segmentMapped(address, bytes, segment.stream, segment.pool.small);
    return true;
  }

  void unmap(Block block) {
    Segment segment = block.segment;
    long page = segment.page;
    long start = block.address - segment.address;
    long from = (start + page - 1) / page * page;
    long to = (start + block.size) / page * page;
    if (from >= to) {
      return;
    }
    long address = segment.address + from;
    long bytes = to - from;
    device.unmap(address, bytes, page);
    long before = from - start;
    long after = start + block.size - to;
    if (before > 0) {
      Block lead = NaiveHeap.newBlock(segment, block.address, before);
      lead.gcBase = segment.pool.lookups;
      segment.blocks.add(segment.blocks.indexOf(block), lead);
    }
    if (after > 0) {
      Block trail = NaiveHeap.newBlock(segment, address + bytes, after);
      trail.gcBase = segment.pool.lookups;
      segment.blocks.add(segment.blocks.indexOf(block) + 1, trail);
    }
    block.address = address;
    block.size = bytes;
    block.mapped = false;
    NaiveHeap.tryMerge(block, block.neighbour(-1));
    NaiveHeap.tryMerge(block, block.neighbour(1));
    heap.totalAllocated -= bytes;
    if (segment.pool.owner != null) {
      segment.pool.owner.driverAllocations--;
    }
    listener.segmentUnmapped(address, bytes, segment.stream, segment.pool.small);
  }
}
