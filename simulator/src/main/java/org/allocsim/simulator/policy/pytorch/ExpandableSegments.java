package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.OrderedBlocks;

/**
 * Segments whose address range is reserved once, larger than the device, and filled with physical
 * pages as needed.
 *
 * <p><b>Source.</b> PyTorch 2.11, {@code c10/cuda/CUDACachingAllocator.cpp}: {@code
 * ExpandableSegment}, {@code find_expandable_block}, {@code map_block}, {@code
 * try_allocate_expandable_block}, {@code unmap_block}.
 */
final class ExpandableSegments {
  /** Size assumed for a device that does not tell its own: an H100 80GB. */
  private static final long ASSUMED_DEVICE_BYTES = 85_017_493_504L;

  private final BlockTable blocks;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final ReservedMemory reserved;
  private final long largePageBytes;

  private long[] base = new long[4];
  private long[] rangeBytes = new long[4];
  private long[] pageBytes = new long[4];
  private int count;

  ExpandableSegments(
      BlockTable blocks,
      DeviceMemory device,
      EffectListener listener,
      ReservedMemory reserved,
      long largePageBytes) {
    this.blocks = blocks;
    this.device = device;
    this.listener = listener;
    this.reserved = reserved;
    this.largePageBytes = largePageBytes;
  }

  /** Whether an unmapped range lies behind a block. */
  boolean canGrow(int block) {
    return !blocks.isMapped(blocks.next(block));
  }

  /** Bytes that a free block could grow to without leaving its place. */
  long expandableBytes(int block) {
    return blocks.bytes(block) + (canGrow(block) ? blocks.bytes(blocks.next(block)) : 0);
  }

  /**
   * Finds or makes a mapped block of at least {@code roundedBytes} that is in no set.
   *
   * @return the block, or {@link BlockTable#NONE} where the device refused; pages mapped before the
   *     refusal stay mapped
   */
  int allocate(FreeList list, long roundedBytes) {
    int candidate = find(list, roundedBytes);
    if (candidate == BlockTable.NONE) {
      return BlockTable.NONE;
    }
    if (!blocks.isMapped(candidate)
        && !map(candidate, Math.min(blocks.bytes(candidate), roundedBytes))) {
      return BlockTable.NONE;
    }
    while (blocks.bytes(candidate) < roundedBytes) {
      int next = blocks.next(candidate);
      long missing = roundedBytes - blocks.bytes(candidate);
      if (next == BlockTable.NONE || !map(next, Math.min(missing, blocks.bytes(next)))) {
        return BlockTable.NONE;
      }
      candidate = next;
    }
    list.remove(candidate);
    return candidate;
  }

  /**
   * Returns the pages that lie completely inside a free block to the device.
   *
   * @return whether any page was returned
   */
  boolean unmap(int block) {
    int segment = blocks.expandable(block);
    FreeList list = blocks.list(block);
    long page = pageBytes[segment];
    long start = blocks.address(block) - base[segment];
    long end = start + blocks.bytes(block);
    long firstByte = RequestSizes.roundUp(start, page);
    long endByte = end / page * page;
    if (firstByte >= endByte) {
      return false;
    }
    long unmappedAddress = base[segment] + firstByte;
    long unmappedBytes = endByte - firstByte;
    device.unmap(unmappedAddress, unmappedBytes, page);
    list.remove(block);
    if (firstByte > start) {
      int before = blocks.createLike(block, blocks.address(block), firstByte - start);
      blocks.linkBefore(block, before);
      list.add(before);
    }
    if (endByte < end) {
      int after = blocks.createLike(block, base[segment] + endByte, end - endByte);
      blocks.linkBehind(block, after);
      list.add(after);
    }
    blocks.place(block, unmappedAddress, unmappedBytes);
    blocks.setMapped(block, false);
    blocks.mergeNeighbours(block);
    list.addUnmapped(block);
    reserved.bytes -= unmappedBytes;
    listener.segmentUnmapped(unmappedAddress, unmappedBytes, list.stream, list.pool.small);
    if (!blocks.isSplit(block)) {
      list.removeUnmapped(block);
      device.unreserve(base[segment], rangeBytes[segment]);
      blocks.destroy(block);
    }
    return true;
  }

  /**
   * Recreates a segment of which nothing is mapped yet.
   *
   * @return its only block, unmapped and in no set
   */
  int restore(FreeList list, long address) {
    return create(list, address, reservationBytes(list.pool));
  }

  /** Lets an unmapped range that is in no set begin later; the part before stays unmapped. */
  void carveGap(int range, long address) {
    long gapBytes = address - blocks.address(range);
    if (gapBytes > 0) {
      int gap = blocks.createLike(range, blocks.address(range), gapBytes);
      blocks.setMapped(gap, false);
      blocks.linkBefore(range, gap);
      blocks.list(gap).addUnmapped(gap);
      blocks.place(range, address, blocks.bytes(range) - gapBytes);
    }
  }

  /** Size of the address range that a new segment of a pool reserves. */
  long reservationBytes(BlockPool pool) {
    long total = device.totalBytes() >= 0 ? device.totalBytes() : ASSUMED_DEVICE_BYTES;
    return RequestSizes.roundUp(total + total / 8, pageBytesOf(pool));
  }

  private long pageBytesOf(BlockPool pool) {
    return pool.small ? RequestSizes.SMALL_SEGMENT_BYTES : largePageBytes;
  }

  /** The lowest place where neighbouring free ranges, mapped or not, make up the bytes. */
  private int find(FreeList list, long roundedBytes) {
    OrderedBlocks unmapped = list.unmapped;
    for (int at = unmapped.first(); at != OrderedBlocks.NONE; at = unmapped.next(at)) {
      int range = unmapped.block(at);
      int before = blocks.previous(range);
      int start = blocks.isAllocatable(before) ? before : range;
      long sum = 0;
      for (int b = start; sum < roundedBytes && blocks.isAllocatable(b); b = blocks.next(b)) {
        sum += blocks.bytes(b);
      }
      if (sum >= roundedBytes) {
        return start;
      }
    }
    long bytes = reservationBytes(list.pool);
    long address = device.reserve(bytes, pageBytesOf(list.pool), list.stream);
    if (address == DeviceMemory.REFUSED) {
      return BlockTable.NONE;
    }
    int block = create(list, address, bytes);
    list.addUnmapped(block);
    return block;
  }

  private int create(FreeList list, long address, long bytes) {
    if (count == base.length) {
      base = Arrays.copyOf(base, count * 2);
      rangeBytes = Arrays.copyOf(rangeBytes, count * 2);
      pageBytes = Arrays.copyOf(pageBytes, count * 2);
    }
    base[count] = address;
    rangeBytes[count] = bytes;
    pageBytes[count] = pageBytesOf(list.pool);
    int block = blocks.create(address, bytes, list);
    blocks.setExpandable(block, count++);
    blocks.setMapped(block, false);
    return block;
  }

  /** Maps pages at the start of an unmapped range; all of them or none. */
  private boolean map(int range, long wantedBytes) {
    FreeList list = blocks.list(range);
    long page = pageBytes[blocks.expandable(range)];
    long address = blocks.address(range);
    long mappedBytes = RequestSizes.roundUp(wantedBytes, page);
    if (!device.map(address, mappedBytes, page)) {
      return false;
    }
    list.removeUnmapped(range);
    long restBytes = blocks.bytes(range) - mappedBytes;
    if (restBytes > 0) {
      int rest = blocks.createLike(range, address + mappedBytes, restBytes);
      blocks.setMapped(rest, false);
      blocks.linkBehind(range, rest);
      list.addUnmapped(rest);
      blocks.place(range, address, mappedBytes);
    }
    blocks.setMapped(range, true);
    blocks.mergeNeighbours(range);
    list.add(range);
    reserved.bytes += mappedBytes;
    listener.segmentMapped(address, mappedBytes, list.stream, list.pool.small);
    return true;
  }
}
