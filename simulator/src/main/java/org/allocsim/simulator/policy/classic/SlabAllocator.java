package org.allocsim.simulator.policy.classic;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.order.OrderedBlocks;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.RefusedRequests;

/**
 * Segregated slabs.
 *
 * <p><b>Rules.</b> A request up to 1 MiB gets a slot of its size class, of which there are four per
 * doubling from 512 B on. Slots lie in slabs of one class, segments of 2 MiB or of eight slots
 * rounded up to 2 MiB; what is left after the last slot is lost. The lowest free slot of the slab
 * at the lowest address that has one is taken, else a new slab. An empty slab goes back to the
 * device if its class has another one, else it is kept until the cache is emptied. A larger request
 * gets a segment of its own, a multiple of 2 MiB, which goes back when it is freed. A refusal of
 * the device is final.
 *
 * <p><b>Source.</b> None: a model of slab allocators, simpler than any of them.
 *
 * <p><b>Cost.</b> A request or free takes time logarithmic in the number of slabs, and up to one
 * step per 64 slots of a slab. <b>Limits.</b> Streams and private pools make no difference.
 */
final class SlabAllocator implements AllocatorPolicy {
  private static final int NONE = -1;
  private static final long PAGE_BYTES = HeapMemory.PAGE_BYTES;
  private static final int MIN_LOG = 9;
  private static final int MAX_LOG = 20;
  private static final int SLOTS_PER_SLAB = 8;

  private final SizeClasses classes;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;

  /** Slabs with a free slot by (class, address). */
  private final OrderedBlocks open = new OrderedBlocks();

  /** The empty slab that a class keeps. */
  private final int[] kept;

  private final SlabTable slabs = new SlabTable();
  private int[] slabOf = new int[1024];
  private int[] slotOf = new int[1024];
  private long[] requests = new long[1024];
  private int[] streams = new int[1024];
  private long heldBytes;

  /**
   * An allocator that holds nothing.
   *
   * @param classesPerDoublingLog log2 of the number of size classes between powers of two
   */
  SlabAllocator(
      int classesPerDoublingLog, long limitBytes, DeviceMemory device, EffectListener listener) {
    classes = new SizeClasses(MIN_LOG, MAX_LOG, classesPerDoublingLog);
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, device, listener);
    kept = new int[classes.count()];
    Arrays.fill(kept, NONE);
    Arrays.fill(slabOf, NONE);
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    int sizeClass = classes.of(requestedBytes);
    int slab = sizeClass < classes.count() ? openSlab(sizeClass) : NONE;
    if (slab == NONE) {
      slab = newSlab(sizeClass, requestedBytes);
      if (slab == NONE) {
        refuse(allocation, requestedBytes, sizeClass, stream);
        return OUT_OF_MEMORY;
      }
    }
    boolean wasEmpty = slabs.isEmpty(slab);
    int slot = slabs.takeLowest(slab);
    if (sizeClass < classes.count()) {
      if (kept[sizeClass] == slab) {
        kept[sizeClass] = NONE;
      }
      if (slabs.isFull(slab)) {
        open.remove(sizeClass, slabs.address(slab));
      }
    }
    remember(allocation, slab, slot, requestedBytes, stream);
    long address = slabs.slotAddress(slab, slot);
    long bytes = slabs.slotBytes(slab);
    listener.blockAllocated(allocation, address, requestedBytes, bytes, stream, false);
    reportTaken(slab, wasEmpty);
    return address;
  }

  private int openSlab(int sizeClass) {
    int position = open.ceiling(sizeClass, 0);
    return position == OrderedBlocks.NONE || open.bytes(position) != sizeClass
        ? NONE
        : open.block(position);
  }

  /** Bytes of the segment that serves a request of a class, or a larger one. */
  private long segmentBytes(int sizeClass, long requestedBytes) {
    return HeapMemory.roundUp(
        sizeClass < classes.count() ? SLOTS_PER_SLAB * classes.bytes(sizeClass) : requestedBytes,
        PAGE_BYTES);
  }

  private int newSlab(int sizeClass, long requestedBytes) {
    long bytes = segmentBytes(sizeClass, requestedBytes);
    if (bytes > HeapMemory.MAX_BYTES || (limitBytes >= 0 && bytes > limitBytes - heldBytes)) {
      return NONE;
    }
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      return NONE;
    }
    heldBytes += bytes;
    listener.segmentAllocated(address, bytes, 0, false);
    boolean slotted = sizeClass < classes.count();
    int slab = slabs.add(address, bytes, slotted ? classes.bytes(sizeClass) : bytes);
    if (slotted) {
      open.add(sizeClass, address, slab);
    }
    return slab;
  }

  private void refuse(int allocation, long requestedBytes, int sizeClass, int stream) {
    refused.report(
        allocation,
        requestedBytes,
        sizeClass < classes.count()
            ? classes.bytes(sizeClass)
            : segmentBytes(sizeClass, requestedBytes),
        segmentBytes(sizeClass, requestedBytes),
        stream);
  }

  private void remember(int allocation, int slab, int slot, long requested, int stream) {
    if (allocation >= slabOf.length) {
      int old = slabOf.length;
      int capacity = Math.max(allocation + 1, old + (old >> 1));
      slabOf = Arrays.copyOf(slabOf, capacity);
      Arrays.fill(slabOf, old, capacity, NONE);
      slotOf = Arrays.copyOf(slotOf, capacity);
      requests = Arrays.copyOf(requests, capacity);
      streams = Arrays.copyOf(streams, capacity);
    }
    slabOf[allocation] = slab;
    slotOf[allocation] = slot;
    requests[allocation] = requested;
    streams[allocation] = stream;
    slabs.setAllocation(slab, slot, allocation);
  }

  @Override
  public void free(int allocation) {
    if (allocation >= slabOf.length || slabOf[allocation] == NONE) {
      return;
    }
    int slab = slabOf[allocation];
    int slot = slotOf[allocation];
    slabOf[allocation] = NONE;
    long address = slabs.slotAddress(slab, slot);
    long bytes = slabs.slotBytes(slab);
    long requested = requests[allocation];
    int stream = streams[allocation];
    listener.freeRequested(allocation, address, requested, bytes, stream, false);
    listener.freeCompleted(allocation, address, requested, bytes, stream, false);
    int sizeClass = classes.of(bytes);
    boolean wasFull = slabs.isFull(slab);
    slabs.give(slab, slot);
    reportGiven(slab);
    if (sizeClass == classes.count()) {
      release(slab);
      return;
    }
    if (wasFull) {
      open.add(sizeClass, slabs.address(slab), slab);
    }
    if (slabs.isEmpty(slab)) {
      if (kept[sizeClass] == NONE) {
        kept[sizeClass] = slab;
      } else {
        open.remove(sizeClass, slabs.address(slab));
        release(slab);
      }
    }
  }

  private void release(int slab) {
    long address = slabs.address(slab);
    long bytes = slabs.bytes(slab);
    heldBytes -= bytes;
    listener.segmentFreed(address, bytes, 0, false);
    device.free(address, bytes);
    slabs.remove(slab);
  }

  /** Gives the kept empty slabs back, the smallest class first. */
  @Override
  public void emptyCache() {
    for (int sizeClass = 0; sizeClass < kept.length; sizeClass++) {
      int slab = kept[sizeClass];
      if (slab != NONE) {
        kept[sizeClass] = NONE;
        open.remove(sizeClass, slabs.address(slab));
        release(slab);
      }
    }
  }

  /** A slot was taken: one free part less, or all others of a slab that was empty more. */
  private void reportTaken(int slab, boolean wasEmpty) {
    if (wasEmpty) {
      reportParts(slabs.freeParts(slab), slabs.bytes(slab) - slabs.slotBytes(slab));
    } else {
      reportParts(-1, -slabs.slotBytes(slab));
    }
  }

  private void reportGiven(int slab) {
    if (slabs.isEmpty(slab)) {
      reportParts(1 - slabs.freeParts(slab), slabs.slotBytes(slab) - slabs.bytes(slab));
    } else {
      reportParts(1, slabs.slotBytes(slab));
    }
  }

  private void reportParts(int parts, long bytes) {
    if (parts != 0 || bytes != 0) {
      listener.inactiveSplitChanged(parts, bytes, false);
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    slabs.describe(visitor, requests);
  }
}
