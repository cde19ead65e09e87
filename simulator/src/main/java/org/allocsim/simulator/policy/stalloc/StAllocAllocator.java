package org.allocsim.simulator.policy.stalloc;

import java.util.Arrays;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.RefusedRequests;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;

/**
 * STAlloc: requests are placed by a plan that was made from a profile of the program; what departs
 * from the plan is served by a caching allocator.
 *
 * <p><b>Rules.</b> At the first request one arena of the plan's size is obtained. A request of up
 * to 512 bytes takes a slot. Any other is matched with the plan's next row; after the last row the
 * rows of the steady iteration begin again. It gets its planned place if the row has its exact size
 * and the place is free, else memory of the fallback: the caching allocator of PyTorch 2.11, whose
 * own large segments are rounded to 512 bytes only. Where the device refuses the arena no request
 * is served.
 *
 * <p><b>Source.</b> infinigence/STAlloc 3a9f97f (2025-09), {@code Allocator/main.cpp}, {@code
 * StaticAllocator.hpp}, {@code VarAllocator.hpp}; paper arXiv 2507.16274.
 *
 * <p><b>Deviations.</b> The plan is made by a greedy planner (see {@link PlanMaker}) in place of
 * the Synthesizer. The profile is the trace itself, the most favourable one. Of the modes for
 * mixtures of experts only the default is modelled, without separate dynamic layers; so is training
 * without the evaluation phase. What is never freed is planned as resident, because traces may end
 * before the program does; STAlloc leaves up to 128 MiB of it to the fallback. Uses on other
 * streams do not delay reuse, as in STAlloc.
 *
 * <p><b>Cost.</b> A planned request takes time logarithmic in the number of live ranges. The plan
 * takes, for each buffer, time linear in those that live near it. <b>Limits.</b> One device, one
 * thread; 2^31 rows.
 */
public final class StAllocAllocator implements AllocatorPolicy {
  /** Granularity of the fallback's segments for one request ({@code kRoundLarge}). */
  private static final long FALLBACK_ROUND_BYTES = 512;

  private static final byte UNUSED = 0;
  private static final byte SLOT = 1;
  private static final byte PLANNED = 2;
  private static final byte FALLBACK = 3;

  private final StAllocPlan plan;
  private final long limitBytes;
  private final DeviceMemory device;
  private final EffectListener listener;
  private final RefusedRequests refused;
  private final SlotTable slots;
  private final CachingAllocator fallback;

  @SuppressWarnings("NullAway.Init") // made by the first request, and no row is planned without it
  private StaticArena arena;

  private boolean ready;
  private int row = -1;
  private int requests = -1;
  private int nextUnplanned;

  private byte[] place = new byte[1024];
  private int[] slotOf = new int[1024];
  private int[] streamOf = new int[1024];

  /**
   * An allocator that holds nothing.
   *
   * @param plan where requests go
   * @param limitBytes bytes that it may hold from the device, −1 for no limit
   * @param device where its memory comes from
   * @param listener receives what it does
   */
  public StAllocAllocator(
      StAllocPlan plan, long limitBytes, DeviceMemory device, EffectListener listener) {
    this.plan = plan;
    this.limitBytes = limitBytes;
    this.device = device;
    this.listener = listener;
    refused = new RefusedRequests(limitBytes, device, listener);
    slots = new SlotTable(listener);
    long ownBytes = plan.reservedBytes() + firstSlabBytes(plan);
    fallback =
        new CachingAllocator(
            AllocatorConfig.DEFAULT,
            PyTorchVersion.V2_11,
            FALLBACK_ROUND_BYTES,
            limitBytes < 0 ? -1 : Math.max(0, limitBytes - ownBytes),
            device,
            listener);
  }

  private static long firstSlabBytes(StAllocPlan plan) {
    return 2 * plan.slotBytes();
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    if (requestedBytes == 0) {
      return 0;
    }
    if (!ready && !initialise()) {
      return outOfMemory(allocation, requestedBytes, stream, plan.reservedBytes());
    }
    remember(allocation, stream);
    if (requestedBytes > 0 && requestedBytes <= SlotTable.SLOT_BYTES) {
      return allocateSlot(allocation, requestedBytes, stream);
    }
    requests++;
    if (nextUnplanned < plan.unplanned().length && plan.unplanned()[nextUnplanned] == requests) {
      nextUnplanned++;
    } else if (takePlanned(allocation, requestedBytes, stream)) {
      place[allocation] = PLANNED;
      return arena.address() + plan.offsetBytes()[row];
    }
    long address = fallback.allocate(allocation, requestedBytes, stream, 0);
    place[allocation] = address == OUT_OF_MEMORY ? UNUSED : FALLBACK;
    return address;
  }

  /** Obtains arena and first slab; answers whether the device gave them. */
  private boolean initialise() {
    long slabBytes = firstSlabBytes(plan);
    if (limitBytes >= 0 && plan.reservedBytes() + slabBytes > limitBytes) {
      return false;
    }
    if (arena == null && plan.reservedBytes() > 0) {
      long address = device.allocate(plan.reservedBytes());
      if (address == DeviceMemory.REFUSED) {
        return false;
      }
      arena = new StaticArena(address, plan.reservedBytes(), listener);
    }
    ready = slabBytes == 0 || slots.addSlab(slabBytes, device);
    return ready;
  }

  private long allocateSlot(int allocation, long requestedBytes, int stream) {
    if (!slots.hasFree()) {
      long slabBytes = slots.nextSlabBytes();
      long held = plan.reservedBytes() + slots.reservedBytes() + fallback.reservedBytes();
      if ((limitBytes >= 0 && held + slabBytes > limitBytes) || !slots.addSlab(slabBytes, device)) {
        return outOfMemory(allocation, requestedBytes, stream, slabBytes);
      }
    }
    slotOf[allocation] = slots.take(allocation, requestedBytes, stream);
    place[allocation] = SLOT;
    return slots.address(slotOf[allocation]);
  }

  private boolean takePlanned(int allocation, long requestedBytes, int stream) {
    row++;
    if (row == plan.rows()) {
      row = plan.firstRows();
    }
    if (row >= plan.rows()) {
      // There is no steady iteration to begin again with.
      row = plan.rows();
      return false;
    }
    return plan.bytes()[row] == requestedBytes
        && arena != null
        && arena.take(allocation, plan.offsetBytes()[row], requestedBytes, stream);
  }

  private long outOfMemory(int allocation, long requestedBytes, int stream, long segmentBytes) {
    return refused.report(allocation, requestedBytes, requestedBytes, segmentBytes, stream);
  }

  @Override
  public void free(int allocation) {
    if (allocation < 0 || allocation >= place.length) {
      return;
    }
    switch (place[allocation]) {
      case SLOT -> slots.release(slotOf[allocation], streamOf[allocation]);
      case PLANNED -> arena.release(allocation, streamOf[allocation]);
      case FALLBACK -> fallback.free(allocation);
      default -> {}
    }
    place[allocation] = UNUSED;
  }

  @Override
  public void emptyCache() {
    fallback.emptyCache();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    MemoryLayout other = MemoryLayout.of(fallback);
    int slab = 0;
    int segment = 0;
    boolean arenaShown = arena == null;
    Integer[] slabs = new Integer[slots.slabs()];
    Arrays.setAll(slabs, i -> i);
    Arrays.sort(slabs, (a, b) -> Long.compareUnsigned(slots.slabAddress(a), slots.slabAddress(b)));
    while (!arenaShown || slab < slabs.length || segment < other.segmentCount()) {
      // −1 is above every address.
      long arenaAt = arenaShown ? -1 : arena.address();
      long slabAt = slab < slabs.length ? slots.slabAddress(slabs[slab]) : -1;
      long segmentAt = segment < other.segmentCount() ? other.segmentAddress(segment) : -1;
      if (!arenaShown
          && Long.compareUnsigned(arenaAt, slabAt) < 0
          && Long.compareUnsigned(arenaAt, segmentAt) < 0) {
        arena.describe(visitor);
        arenaShown = true;
      } else if (slab < slabs.length && Long.compareUnsigned(slabAt, segmentAt) < 0) {
        slots.describe(slabs[slab++], visitor);
      } else {
        describe(other, segment++, visitor);
      }
    }
  }

  private static void describe(MemoryLayout layout, int segment, LayoutVisitor visitor) {
    visitor.segment(
        layout.segmentAddress(segment),
        layout.segmentBytes(segment),
        layout.stream(segment),
        layout.isSmall(segment),
        layout.segmentPool(segment),
        layout.isExpandable(segment));
    for (int i = layout.firstBlock(segment); i < layout.firstBlock(segment + 1); i++) {
      visitor.block(
          layout.blockAddress(i),
          layout.blockBytes(i),
          layout.requestedBytes(i),
          layout.state(i),
          layout.allocation(i));
    }
  }

  private void remember(int allocation, int stream) {
    if (allocation >= place.length) {
      int length = Math.max(allocation + 1, place.length + (place.length >> 1));
      place = Arrays.copyOf(place, length);
      slotOf = Arrays.copyOf(slotOf, length);
      streamOf = Arrays.copyOf(streamOf, length);
    }
    streamOf[allocation] = stream;
  }
}
