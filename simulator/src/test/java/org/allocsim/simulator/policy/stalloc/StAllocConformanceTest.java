package org.allocsim.simulator.policy.stalloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.MemoryLayout;
import org.junit.jupiter.api.Test;

/** The conformance cases STA-1 to STA-6 of STAlloc's rules, and what they leave open. */
class StAllocConformanceTest {
  private static final long FALLBACK = -1;

  private static final StAllocPlan PLAN = plan();

  private static StAllocPlan plan(int... unplanned) {
    return new StAllocPlan(
        new long[] {0, 1024, 3072, 4096},
        new long[] {1024, 2048, 1024, 1536},
        2,
        8192,
        8192,
        4096,
        unplanned);
  }

  private static final class Run {
    final SimulatedDevice device;
    final InvariantChecker checker = new InvariantChecker(InvariantChecker.UNLIMITED);
    final StAllocAllocator allocator;
    long arena = -1;
    long lastSegmentBytes;
    int segments;
    int failures;
    long refusedSegmentBytes;
    private int next;

    Run(StAllocPlan plan, long capacityBytes) {
      this(plan, capacityBytes, -1);
    }

    Run(StAllocPlan plan, long capacityBytes, long limitBytes) {
      device = new SimulatedDevice(DeviceProfiles.ofCapacity(capacityBytes));
      EffectListener segmentListener =
          new EffectListener() {
            @Override
            public void segmentAllocated(long address, long bytes, int stream, boolean small) {
              arena = segments++ == 0 ? address : arena;
              lastSegmentBytes = bytes;
            }

            @Override
            public void outOfMemory(org.allocsim.simulator.effect.OutOfMemory failure) {
              failures++;
              refusedSegmentBytes = failure.segmentBytes();
            }
          };
      allocator =
          new StAllocAllocator(
              plan, limitBytes, device, EffectListeners.both(checker, segmentListener));
    }

    Run(StAllocPlan plan) {
      this(plan, 1L << 30);
    }

    /** Offset in the arena of the next allocation, or {@link #FALLBACK}. */
    long allocate(long bytes) {
      long address = allocator.allocate(next++, bytes, 0, 0);
      checker.check(allocator);
      long offset = address - arena;
      return offset >= 0 && offset < 8192 ? offset : FALLBACK;
    }

    void free(int allocation) {
      allocator.free(allocation);
      checker.check(allocator);
    }
  }

  @Test
  void sta1RowsAreTakenInOrderAndTheSteadyOnesAgain() {
    Run run = new Run(PLAN);
    assertEquals(0, run.allocate(1024));
    assertEquals(1024, run.allocate(2048));
    assertEquals(3072, run.allocate(1024));
    assertEquals(4096, run.allocate(1536));
    run.free(2);
    assertEquals(3072, run.allocate(1024));
  }

  @Test
  void sta2SmallRequestsTakeSlotsAndNoRow() {
    Run run = new Run(plan(1));
    assertEquals(0, run.allocate(1024));
    assertEquals(FALLBACK, run.allocate(400));
    assertEquals(2, run.segments, "the arena and the slab");
    assertEquals(FALLBACK, run.allocate(2048), "request 1 is left out of the plan");
    assertEquals(1024, run.allocate(2048));
  }

  @Test
  void sta3APlaceThatIsInUseSendsTheRequestToTheFallbackAndTheRowIsSpent() {
    Run run = new Run(PLAN);
    run.allocate(1024);
    run.allocate(2048);
    run.allocate(1024);
    run.allocate(1536);
    run.free(3);
    assertEquals(FALLBACK, run.allocate(1024), "row 2 again, still live");
    assertEquals(4096, run.allocate(1536), "row 3");
  }

  @Test
  void sta4AnotherSizeThanPlannedGoesToTheFallbackAndTheRowIsSpent() {
    Run run = new Run(PLAN);
    run.allocate(1024);
    run.allocate(2048);
    assertEquals(FALLBACK, run.allocate(2000));
    assertEquals(4096, run.allocate(1536));
  }

  @Test
  void sta5AnUnplannedRequestSpendsNoRow() {
    Run run = new Run(plan(0, 2));
    assertEquals(FALLBACK, run.allocate(1024));
    assertEquals(0, run.allocate(1024));
    assertEquals(FALLBACK, run.allocate(2048));
    assertEquals(1024, run.allocate(2048));
  }

  @Test
  void sta6TheSlotsDoubleWhenAllAreTaken() {
    Run run = new Run(PLAN);
    for (int i = 0; i < 16; i++) {
      run.allocate(1);
    }
    assertEquals(2, run.segments);
    assertEquals(8192, run.lastSegmentBytes);
    run.allocate(512);
    assertEquals(3, run.segments);
    assertEquals(8192, run.lastSegmentBytes);
    for (int i = 0; i < 15; i++) {
      run.allocate(512);
    }
    assertEquals(3, run.segments, "32 slots");
    run.allocate(512);
    assertEquals(16_384, run.lastSegmentBytes);
  }

  @Test
  void slabsMayLieAnywhere() {
    Run run = new Run(PLAN);
    List<Long> addresses = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      int segments = run.segments;
      addresses.add(run.allocator.allocate(i, 100, 0, 0));
      run.checker.check(run.allocator);
      if (run.segments > segments) {
        run.device.allocate(512L * (i + 1));
      }
    }
    assertEquals(8, run.segments, "the arena and seven slabs");
    assertEquals(600, addresses.stream().distinct().count());
    for (int i = 0; i < 600; i++) {
      run.free(i);
    }
    MemoryLayout layout = MemoryLayout.of(run.allocator);
    assertEquals(8, layout.blockCount(), "every segment is one free block");
    for (int block = 0; block < 8; block++) {
      assertEquals(0, layout.requestedBytes(block));
    }
  }

  private static final long OWN_BYTES = 8192 + 2 * 4096;

  @Test
  void arenaAndFirstSlabMustFitTheLimit() {
    assertEquals(0, new Run(PLAN, 1L << 30, OWN_BYTES).allocate(1024));
    Run refused = new Run(PLAN, 1L << 30, OWN_BYTES - 1);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, refused.allocator.allocate(0, 1024, 0, 0));
    assertEquals(8192, refused.refusedSegmentBytes);
    assertEquals(0, refused.segments);
  }

  @Test
  void theFallbackHasWhatTheLimitLeaves() {
    long segment = 2L << 20;
    Run run = new Run(PLAN, 1L << 30, OWN_BYTES + segment);
    run.allocate(3000);
    assertEquals(0, run.failures);
    assertEquals(segment, run.lastSegmentBytes);
    Run less = new Run(PLAN, 1L << 30, OWN_BYTES + segment - 1);
    less.allocate(3000);
    assertEquals(1, less.failures);
    Run least = new Run(PLAN, 1L << 30, OWN_BYTES);
    least.allocate(3000);
    assertEquals(1, least.failures);
  }

  @Test
  void anotherSlabMustFitTheLimitBesideWhatTheFallbackHolds() {
    long held = OWN_BYTES + (2L << 20);
    for (long left : new long[] {8191, 8192}) {
      Run run = new Run(PLAN, 1L << 30, held + left);
      run.allocate(3000);
      for (int i = 0; i < 17; i++) {
        run.allocate(100);
      }
      assertEquals(left == 8192 ? 0 : 1, run.failures);
      assertEquals(left == 8192 ? 0 : 8192, run.refusedSegmentBytes);
    }
  }

  @Test
  void aSlabThatTheDeviceRefusesIsAskedForAgain() {
    StAllocPlan plan =
        new StAllocPlan(new long[0], new long[0], 0, 8192, 8192, 4L << 20, new int[0]);
    Run run = new Run(plan, 6L << 20);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, run.allocator.allocate(0, 100, 0, 0));
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, run.allocator.allocate(1, 100, 0, 0));
    assertEquals(1, run.segments, "the arena");
    run.free(0);
    assertEquals(4L << 20, run.device.freeBytes());
  }

  @Test
  void whatTheFallbackCachesCanBeGivenBack() {
    Run run = new Run(PLAN);
    run.allocate(1024);
    long free = run.device.freeBytes();
    run.allocate(30L << 20);
    assertEquals(free - (30L << 20), run.device.freeBytes());
    run.free(1);
    run.allocator.emptyCache();
    assertEquals(free, run.device.freeBytes());
    run.free(-1);
    run.free(1 << 20);
  }

  @Test
  void theSlotGivenBackLastIsUsedFirst() {
    Run run = new Run(PLAN);
    long first = run.allocator.allocate(0, 100, 0, 0);
    long second = run.allocator.allocate(1, 100, 0, 0);
    assertEquals(first - 512, second, "a new slab is used from its end");
    run.allocator.free(0);
    run.allocator.free(1);
    assertEquals(second, run.allocator.allocate(2, 100, 0, 0));
  }

  @Test
  void theFallbackRoundsItsLargeSegmentsTo512Bytes() {
    Run run = new Run(StAllocPlan.NONE);
    run.allocate((30L << 20) + 1);
    assertEquals((30L << 20) + 512, run.lastSegmentBytes);
  }

  @Test
  void withoutTheArenaNothingIsServed() {
    Run run =
        new Run(
            new StAllocPlan(new long[0], new long[0], 0, 64L << 20, 0, 0, new int[0]), 32L << 20);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, run.allocator.allocate(0, 4096, 0, 0));
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, run.allocator.allocate(1, 16, 0, 0));
    assertEquals(2, run.failures);
    assertEquals(0, MemoryLayout.of(run.allocator).segmentCount());
  }

  @Test
  void requestsBehindAPlanWithoutSteadyRowsGoToTheFallback() {
    StAllocPlan once =
        new StAllocPlan(new long[] {0}, new long[] {1024}, 1, 1024, 1024, 0, new int[0]);
    Run run = new Run(once);
    assertEquals(0, run.allocate(1024));
    run.free(0);
    for (int i = 0; i < 5; i++) {
      assertEquals(FALLBACK, run.allocate(1024));
    }
    assertTrue(run.segments > 1);
  }
}
