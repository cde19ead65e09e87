package org.allocsim.simulator.policy.bfc;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.SizeOrderedRows;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * XLA's spatially partitioned BFC: one preallocated range, served from both ends.
 *
 * <p><b>Rules.</b> Sizes are rounded up to 256 bytes. A request takes the smallest hole of its own
 * end that is large enough, else memory at its end of the gap in the middle. {@link Partition} says
 * which buffers lie where and what is cut off. A freed chunk at the border of the gap joins it, and
 * so do holes beside it; other holes stay their end's. With a cap above the preallocated size, an
 * ordinary request that finds nothing maps more memory after the range: as much as the range has,
 * at most up to the cap; a device that refuses is asked for nine tenths, down to what a free chunk
 * at the end of the range lacks. Collective buffers stay in the preallocated part.
 *
 * <p><b>Source.</b> openxla/xla {@code xla/tsl/framework/bfc_allocator.cc}. {@link
 * Partition#COLLECTIVE_HIGH}: its placement functions at 00df9ee, compiled with stubs, gave equal
 * addresses and block sizes in 240 random sequences of 300 operations (November 2026). {@link
 * Partition#COLLECTIVE_LOW} (pull request 48834) and growth (48985 and its document, September
 * 2026) were read in their descriptions only; the size of a step is that of BFC's regions.
 *
 * <p><b>Deviations.</b> No alignments above 256 bytes, no wait for a free by another thread, memory
 * is mapped in pages of 2 MiB instead of one handle for each step.
 *
 * <p><b>Cost.</b> A request or free is a few binary searches. <b>Limits.</b> One thread; 2<sup>61
 * </sup> bytes.
 */
final class PartitionedBfcAllocator implements AllocatorPolicy {
  static final long PAGE_BYTES = 2L << 20;

  private static final int NONE = BlockHeap.NONE;
  private static final byte GAP = 0;
  private static final byte LOW = 1;
  private static final byte HIGH = 2;

  private final Partition partition;
  private final long firstBytes;
  private final long capBytes;
  private final long maxWasteBytes;
  private final DeviceMemory device;
  private final RefusedRequests refused;
  private final BlockHeap blocks;
  private final SizeOrderedRows lowHoles;
  private final SizeOrderedRows highHoles;

  /** By chunk: the end that owns it, or that it is the gap. */
  private byte[] owner = new byte[64];

  private int gap = NONE;
  private int lastChunk = NONE;
  private long collectiveEnd;
  private long poolBytes;
  private long stepBytes;

  /**
   * An allocator that holds nothing.
   *
   * @param firstBytes size of the range at the first request
   * @param capBytes most that it may grow to, {@code firstBytes} for a range that does not grow
   * @param maxWasteBytes a rest of this size is always cut off
   */
  PartitionedBfcAllocator(
      Partition partition,
      long firstBytes,
      long capBytes,
      long maxWasteBytes,
      DeviceMemory device,
      EffectListener listener) {
    this.partition = partition;
    this.capBytes = ChunkHeap.roundedDown(capBytes);
    this.firstBytes = Math.min(ChunkHeap.roundedBytes(firstBytes), this.capBytes);
    this.maxWasteBytes = maxWasteBytes;
    this.device = device;
    refused = new RefusedRequests(ChunkHeap.limitOrNone(capBytes), device, listener);
    blocks = new BlockHeap(listener);
    lowHoles = new SizeOrderedRows(blocks);
    highHoles = new SizeOrderedRows(blocks);
  }

  /** Serves a request; one of a private pool is for a collective buffer. */
  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (requestedBytes > capBytes) {
      return fail(allocation, requestedBytes, stream);
    }
    long rounded = ChunkHeap.roundedBytes(requestedBytes);
    boolean collective = pool != 0;
    int chunk = poolBytes == 0 && !begin(rounded, stream) ? NONE : find(rounded, collective);
    if (chunk == NONE && !collective && grow(rounded, stream)) {
      chunk = find(rounded, false);
    }
    if (chunk == NONE) {
      return fail(allocation, requestedBytes, stream);
    }
    blocks.take(chunk, allocation, requestedBytes, stream);
    return blocks.address(chunk);
  }

  private boolean isLow(boolean collective) {
    return collective == partition.collectiveIsLow();
  }

  /** Takes a chunk out of its end's holes or the gap, cut to the request; else none. */
  private int find(long rounded, boolean collective) {
    boolean low = isLow(collective);
    SizeOrderedRows holes = low ? lowHoles : highHoles;
    int hole = holes.ceiling(rounded, 0);
    while (hole != NONE && room(hole, collective) < rounded) {
      hole = holes.next(hole);
    }
    if (hole != NONE) {
      if (!collective && partition.prefersHighHoles()) {
        hole = highestOfSize(holes, hole);
      }
      holes.remove(hole);
      return cut(hole, rounded, collective, collective && partition.collectiveCutsHoles());
    }
    if (gap == NONE || room(gap, collective) < rounded) {
      return NONE;
    }
    int chunk = gap;
    gap = NONE;
    return cut(chunk, rounded, collective, collective || partition.ordinaryCutsGap());
  }

  private int highestOfSize(SizeOrderedRows holes, int hole) {
    int highest = hole;
    int next = holes.next(hole);
    while (next != NONE && blocks.bytes(next) == blocks.bytes(hole)) {
      highest = next;
      next = holes.next(next);
    }
    return highest;
  }

  /** Bytes of a free chunk that a buffer may have: collective ones end where the range began. */
  private long room(int chunk, boolean collective) {
    long bytes = blocks.bytes(chunk);
    return collective && partition.collectiveIsLow()
        ? Math.min(bytes, collectiveEnd - blocks.address(chunk))
        : bytes;
  }

  /** Cuts a free chunk, which is in no order, for a request at its end. */
  private int cut(int source, long rounded, boolean collective, boolean exactly) {
    boolean low = isLow(collective);
    long restBytes = blocks.bytes(source) - rounded;
    boolean splits =
        exactly ? restBytes > 0 : blocks.bytes(source) >= 2 * rounded || restBytes >= maxWasteBytes;
    int chunk = source;
    if (splits) {
      int upper = split(source, low ? rounded : restBytes);
      chunk = low ? source : upper;
      setFree(low ? upper : source);
    }
    owner[chunk] = low ? LOW : HIGH;
    return chunk;
  }

  private int split(int chunk, long keptBytes) {
    int rest = blocks.split(chunk, keptBytes);
    own(rest, owner[chunk]);
    if (chunk == lastChunk) {
      lastChunk = rest;
    }
    return rest;
  }

  private void own(int chunk, byte end) {
    if (chunk >= owner.length) {
      owner = Arrays.copyOf(owner, Math.max(chunk + 1, owner.length * 2));
    }
    owner[chunk] = end;
  }

  /** Puts a free chunk where its owner finds it. */
  private void setFree(int chunk) {
    switch (owner[chunk]) {
      case LOW -> lowHoles.add(chunk);
      case HIGH -> highHoles.add(chunk);
      default -> gap = chunk;
    }
  }

  private void takeOut(int chunk) {
    switch (owner[chunk]) {
      case LOW -> lowHoles.remove(chunk);
      case HIGH -> highHoles.remove(chunk);
      default -> gap = NONE;
    }
  }

  private boolean growsInPlace() {
    return capBytes > firstBytes;
  }

  /** Obtains the range; whether it holds a request. */
  private boolean begin(long rounded, int stream) {
    boolean inPlace = growsInPlace();
    long unit = inPlace ? PAGE_BYTES : ChunkHeap.UNIT_BYTES;
    long wanted = roundedTo(firstBytes, unit);
    long start = inPlace ? device.reserve(roundedTo(capBytes, unit), unit, stream) : 0;
    if (start == DeviceMemory.REFUSED) {
      return false;
    }
    long bytes = wanted;
    long address = obtain(start, bytes);
    while (address == DeviceMemory.REFUSED) {
      bytes = lessThan(bytes, unit);
      if (bytes < Math.max(rounded, unit)) {
        if (inPlace) {
          device.unreserve(start, roundedTo(capBytes, unit));
        }
        return false;
      }
      address = obtain(start, bytes);
    }
    poolBytes = bytes;
    stepBytes = ChunkHeap.doubled(wanted);
    collectiveEnd = address + bytes;
    lastChunk =
        inPlace
            ? blocks.map(NONE, address, bytes, stream)
            : blocks.addSegment(address, bytes, stream);
    own(lastChunk, GAP);
    gap = lastChunk;
    return true;
  }

  private long obtain(long start, long bytes) {
    if (growsInPlace()) {
      return device.map(start, bytes, PAGE_BYTES) ? start : DeviceMemory.REFUSED;
    }
    return device.allocate(bytes);
  }

  /** Maps more memory after the range, for ordinary buffers; whether a request may fit now. */
  private boolean grow(long rounded, int stream) {
    if (poolBytes == 0 || !growsInPlace()) {
      return false;
    }
    long freeBytes =
        blocks.isFree(lastChunk) && owner[lastChunk] != LOW ? blocks.bytes(lastChunk) : 0;
    long available = (capBytes - poolBytes) / PAGE_BYTES * PAGE_BYTES;
    long least = roundedTo(rounded - freeBytes, PAGE_BYTES);
    if (least > available) {
      return false;
    }
    while (stepBytes < least) {
      stepBytes = ChunkHeap.doubled(stepBytes);
    }
    long address = blocks.address(lastChunk) + blocks.bytes(lastChunk);
    long bytes = Math.min(roundedTo(stepBytes, PAGE_BYTES), available);
    while (!device.map(address, bytes, PAGE_BYTES)) {
      bytes = lessThan(bytes, PAGE_BYTES);
      if (bytes < least) {
        return false;
      }
    }
    poolBytes += bytes;
    stepBytes = ChunkHeap.doubled(stepBytes);
    int chunk = blocks.map(lastChunk, address, bytes, stream);
    own(chunk, HIGH);
    lastChunk = chunk;
    setFree(merge(chunk));
    blocks.settle();
    return true;
  }

  private static long roundedTo(long bytes, long unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  /** Nine tenths in whole units, less in any case. */
  private static long lessThan(long bytes, long unit) {
    return Math.min(roundedTo(ChunkHeap.lessThan(bytes), unit), bytes - unit);
  }

  private long fail(int allocation, long requestedBytes, int stream) {
    long rounded = ChunkHeap.roundedBytes(Math.min(requestedBytes, ChunkHeap.MAX_BYTES));
    return refused.report(allocation, requestedBytes, rounded, rounded, stream);
  }

  @Override
  public void free(int allocation) {
    int chunk = blocks.release(allocation);
    if (chunk == NONE) {
      return;
    }
    if (isAtGap(chunk)) {
      owner[chunk] = GAP;
    }
    setFree(merge(chunk));
    blocks.settle();
  }

  /** Whether a chunk that is freed lies at its end's border. */
  private boolean isAtGap(int chunk) {
    int inner = owner[chunk] == LOW ? blocks.next(chunk) : blocks.previous(chunk);
    return inner == NONE || owner[inner] != owner[chunk];
  }

  /** Merges a free chunk, which is in no order, with its free neighbours. */
  private int merge(int chunk) {
    int merged = chunk;
    if (blocks.isFree(blocks.next(merged))) {
      takeOut(blocks.next(merged));
      absorbNext(merged);
    }
    if (blocks.isFree(blocks.previous(merged))) {
      merged = blocks.previous(merged);
      takeOut(merged);
      absorbNext(merged);
    }
    return merged;
  }

  private void absorbNext(int chunk) {
    int next = blocks.next(chunk);
    if (owner[next] != owner[chunk]) {
      owner[chunk] = GAP;
    }
    if (next == lastChunk) {
      lastChunk = chunk;
    }
    blocks.mergeNext(chunk);
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    blocks.describe(visitor);
  }
}
