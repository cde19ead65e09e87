package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.OrderedBlocks;
import org.jspecify.annotations.Nullable;

/**
 * Segments whose address range is reserved once, larger than the device, and filled with physical
 * pages as needed.
 *
 * <p><b>Source.</b> PyTorch 2.11, {@code c10/cuda/CUDACachingAllocator.cpp}: {@code
 * ExpandableSegment}, {@code find_expandable_block}, {@code map_block}, {@code
 * try_allocate_expandable_block}, {@code unmap_block}. Smaller ranges, and the refusal of requests
 * that none of them can hold: main of August 2026, read only ({@link ReservedRange}).
 */
final class ExpandableSegments {
  /** Size assumed for a device that does not report its own: an H100 80GB. */
  private static final long ASSUMED_DEVICE_BYTES = 85_017_493_504L;

  private final BlockTable blocks;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final ReservedMemory reserved;

  /** Page size of segments for large blocks that are made from now on. */
  long largePageBytes;

  /** Addresses that segments made from now on reserve. */
  ReservedRange reservedRange;

  private long[] base = new long[4];
  private long[] rangeBytes = new long[4];
  private long[] pageBytes = new long[4];
  private int count;

  ExpandableSegments(
      BlockTable blocks,
      DeviceMemory device,
      EffectListener listener,
      ReservedMemory reserved,
      AllocatorConfig config) {
    this.blocks = blocks;
    this.device = device;
    this.listener = listener;
    this.reserved = reserved;
    largePageBytes = config.largeSegmentBytes();
    reservedRange = config.reservedRange();
  }

  /** Whether an unmapped range lies after a block. */
  boolean canGrow(Block block) {
    return !block.next.isMapped();
  }

  /** Bytes that a free block could grow to without leaving its place. */
  long expandableBytes(Block block) {
    return block.bytes() + (canGrow(block) ? block.next.bytes() : 0);
  }

  /**
   * Finds or makes a mapped block of at least {@code roundedBytes} that is in no set.
   *
   * @return the block, or null where the device refused; pages mapped before the refusal stay
   *     mapped
   */
  @Nullable Block allocate(FreeList list, long roundedBytes) {
    Block candidate = find(list, roundedBytes);
    if (candidate == null) {
      return null;
    }
    if (!candidate.isMapped() && !map(candidate, Math.min(candidate.bytes(), roundedBytes))) {
      return null;
    }
    while (candidate.bytes() < roundedBytes) {
      Block next = candidate.next;
      long missing = roundedBytes - candidate.bytes();
      if (next.isEdge() || !map(next, Math.min(missing, next.bytes()))) {
        return null;
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
  boolean unmap(Block block) {
    int segment = block.expandable;
    FreeList list = block.list;
    long page = pageBytes[segment];
    long start = block.address() - base[segment];
    long end = start + block.bytes();
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
      Block before = blocks.createLike(block, block.address(), firstByte - start);
      block.linkBefore(before);
      list.add(before);
    }
    if (endByte < end) {
      Block after = blocks.createLike(block, base[segment] + endByte, end - endByte);
      block.linkBehind(after);
      list.add(after);
    }
    block.placeAt(unmappedAddress, unmappedBytes);
    block.setMapped(false);
    blocks.mergeNeighbours(block, list, false);
    list.addUnmapped(block);
    reserved.bytes -= unmappedBytes;
    listener.segmentUnmapped(unmappedAddress, unmappedBytes, list.stream, list.pool.small);
    if (!block.isSplit()) {
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
  Block restore(FreeList list, long address) {
    long bytes = reservationBytes(list.pool);
    return create(list, address, bytes, blocks.createOldSegment(address, bytes, list));
  }

  /** Lets an unmapped range that is in no set begin later; the part before stays unmapped. */
  void carveGap(Block range, long address) {
    long gapBytes = address - range.address();
    if (gapBytes > 0) {
      Block gap = blocks.createLike(range, range.address(), gapBytes);
      gap.setMapped(false);
      range.linkBefore(gap);
      gap.list.addUnmapped(gap);
      range.placeAt(address, range.bytes() - gapBytes);
    }
  }

  /** Size of the address range that a new segment of a pool reserves. */
  long reservationBytes(BlockPool pool) {
    long total = device.totalBytes() >= 0 ? device.totalBytes() : ASSUMED_DEVICE_BYTES;
    return RequestSizes.roundUp(reservedRange.bytes(total), pageBytesOf(pool));
  }

  private long pageBytesOf(BlockPool pool) {
    return pool.small ? RequestSizes.SMALL_SEGMENT_BYTES : largePageBytes;
  }

  /** The lowest place where neighbouring free ranges, mapped or not, make up the bytes. */
  private @Nullable Block find(FreeList list, long roundedBytes) {
    OrderedBlocks unmapped = list.unmapped;
    for (int at = unmapped.first(); at != OrderedBlocks.NONE; at = unmapped.next(at)) {
      Block range = blocks.block(unmapped.block(at));
      Block before = range.previous;
      Block start = before.isAllocatable() ? before : range;
      long sum = 0;
      for (Block b = start; sum < roundedBytes && b.isAllocatable(); b = b.next) {
        sum += b.bytes();
      }
      if (sum >= roundedBytes) {
        return start;
      }
    }
    long bytes = reservationBytes(list.pool);
    if (bytes < roundedBytes && reservedRange.isSet()) {
      return null;
    }
    long address = device.reserve(bytes, pageBytesOf(list.pool), list.stream);
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    Block block = create(list, address, bytes, blocks.createSegment(address, bytes, list));
    list.addUnmapped(block);
    return block;
  }

  private Block create(FreeList list, long address, long bytes, Block block) {
    if (count == base.length) {
      base = Arrays.copyOf(base, count * 2);
      rangeBytes = Arrays.copyOf(rangeBytes, count * 2);
      pageBytes = Arrays.copyOf(pageBytes, count * 2);
    }
    base[count] = address;
    rangeBytes[count] = bytes;
    pageBytes[count] = pageBytesOf(list.pool);
    list.pool.hasSegment(pageBytes[count]);
    block.expandable = count++;
    block.setMapped(false);
    return block;
  }

  /** Maps pages at the start of an unmapped range; all of them or none. */
  private boolean map(Block range, long wantedBytes) {
    FreeList list = range.list;
    long page = pageBytes[range.expandable];
    long address = range.address();
    long mappedBytes = RequestSizes.roundUp(wantedBytes, page);
    if (!device.map(address, mappedBytes, page)) {
      return false;
    }
    list.removeUnmapped(range);
    long restBytes = range.bytes() - mappedBytes;
    if (restBytes > 0) {
      Block rest = blocks.createLike(range, address + mappedBytes, restBytes);
      rest.setMapped(false);
      range.linkBehind(rest);
      list.addUnmapped(rest);
      range.placeAt(address, mappedBytes);
    }
    range.setMapped(true);
    blocks.mergeNeighbours(range, list, true);
    list.add(range);
    reserved.bytes += mappedBytes;
    listener.segmentMapped(address, mappedBytes, list.stream, list.pool.small);
    return true;
  }
}
