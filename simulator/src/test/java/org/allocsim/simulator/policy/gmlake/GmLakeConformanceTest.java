package org.allocsim.simulator.policy.gmlake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.UpwardDevice;
import org.junit.jupiter.api.Test;

/** The conformance cases GML-1 to GML-7 of GMLake's rules, and what they leave open. */
class GmLakeConformanceTest {
  private static final long MIB = 1L << 20;

  private static final class Run {
    final SimulatedDevice device;
    final InvariantChecker checker = new InvariantChecker(InvariantChecker.UNLIMITED, true, true);
    final GmLakeAllocator allocator;
    private final Map<DriverCall, Long> before = new EnumMap<>(DriverCall.class);
    private final Totals totals = new Totals();
    private int next;

    Run(GmLakeSettings settings, long capacityBytes) {
      device = new SimulatedDevice(DeviceProfiles.ofCapacity(capacityBytes));
      allocator =
          new GmLakeAllocator(
              settings,
              -1,
              device,
              device.handleMemory().orElseThrow(),
              EffectListeners.both(checker, totals));
    }

    Run() {
      this(GmLakeSettings.DEFAULT, 80L << 30);
    }

    int allocate(long bytes) {
      for (DriverCall call : DriverCall.values()) {
        before.put(call, device.driverCalls(call));
      }
      totals.lastAddress = AllocatorPolicy.OUT_OF_MEMORY;
      assertEquals(allocator.allocate(next, bytes, 0, 0), totals.lastAddress);
      checker.check(allocator);
      return next++;
    }

    long address() {
      return totals.lastAddress;
    }

    void free(int... allocations) {
      for (int allocation : allocations) {
        allocator.free(allocation);
        checker.check(allocator);
      }
    }

    /** Calls of the last request: create, reserve, map, set access. */
    String calls() {
      return "%d create %d reserve %d map %d access"
          .formatted(
              since(DriverCall.CREATE),
              since(DriverCall.ADDRESS_RESERVE),
              since(DriverCall.MAP),
              since(DriverCall.SET_ACCESS));
    }

    long since(DriverCall call) {
      return device.driverCalls(call) - before.get(call);
    }

    /** Blocks in MiB by address, segments apart: number in use by an allocation, {@code -} free. */
    String layout() {
      MemoryLayout layout = MemoryLayout.of(allocator);
      StringBuilder text = new StringBuilder();
      for (int segment = 0; segment < layout.segmentCount(); segment++) {
        text.append(segment == 0 ? "" : " | ");
        for (int b = layout.firstBlock(segment); b < layout.firstBlock(segment + 1); b++) {
          text.append(b == layout.firstBlock(segment) ? "" : " ")
              .append(layout.blockBytes(b) / MIB)
              .append(layout.state(b) == BlockState.INACTIVE ? "-" : "#" + layout.allocation(b));
        }
      }
      return text.toString();
    }
  }

  private static final class Totals implements EffectListener {
    long reservedBytes;
    long lastAddress;

    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      lastAddress = address;
    }

    @Override
    public void segmentAllocated(long address, long bytes, int stream, boolean small) {
      reservedBytes += bytes;
    }

    @Override
    public void segmentFreed(long address, long bytes, int stream, boolean small) {
      reservedBytes -= bytes;
    }
  }

  private static Run threeSegments() {
    Run run = new Run();
    int a = run.allocate(300 * MIB);
    int b = run.allocate(300 * MIB);
    run.allocate(300 * MIB);
    run.free(a, b);
    return run;
  }

  @Test
  void gml1SmallRequestsShareSegmentsOfTwoMebibytes() {
    Run run = new Run();
    run.allocate(100);
    assertEquals(1, run.since(DriverCall.ALLOCATE));
    MemoryLayout layout = MemoryLayout.of(run.allocator);
    assertEquals(512, layout.blockBytes(0));
    assertEquals(2_096_640, layout.blockBytes(1));
    assertEquals(BlockState.INACTIVE, layout.state(1));
  }

  @Test
  void gml2LargeRequestsAreRoundedToChunksAndShareSegmentsOfTwentyMebibytes() {
    Run run = new Run();
    run.allocate(3 * MIB + 1);
    assertEquals("10 create 1 reserve 10 map 10 access", run.calls());
    assertEquals("4#0 16-", run.layout());
  }

  @Test
  void gml3TwoFreeSegmentsAreStitchedWithoutNewMemory() {
    Run run = threeSegments();
    run.allocate(600 * MIB);
    assertEquals("0 create 1 reserve 300 map 300 access", run.calls());
    assertEquals("300#3 | 300#3 | 300#2", run.layout());
    assertEquals(900 * MIB, run.totals.reservedBytes);
  }

  @Test
  void gml4TheExcessStaysFreeAtTheHighEndOfTheLastBlockTaken() {
    Run run = threeSegments();
    run.allocate(550 * MIB);
    assertEquals("250#3 50- | 300#3 | 300#2", run.layout());
    assertEquals("0 create 1 reserve 275 map 275 access", run.calls());
  }

  @Test
  void gml5BelowTheFragmentationLimitANewSegmentIsMade() {
    Run run = threeSegments();
    run.allocate(500 * MIB);
    assertEquals("300- | 300- | 300#2 | 500#3", run.layout());
    assertEquals(1400 * MIB, run.totals.reservedBytes);
  }

  @Test
  void gml6AStitchedBlockThatWasFreedIsReusedWithoutDriverCalls() {
    Run run = threeSegments();
    int stitched = run.allocate(600 * MIB);
    long address = run.address();
    run.free(stitched);
    assertEquals("300- | 300- | 300#2", run.layout());
    int again = run.allocate(600 * MIB);
    assertEquals("0 create 0 reserve 0 map 0 access", run.calls());
    assertEquals(address, run.address());
    run.free(again);
    run.allocate(400 * MIB);
    assertEquals(address, run.address());
    assertEquals("100#5 200- | 300#5 | 300#2", run.layout());
    run.allocate(200 * MIB);
    assertEquals("100#5 200#6 | 300#5 | 300#2", run.layout());
  }

  @Test
  void gml7APrimitiveBlockThatIsLargeEnoughComesBeforeStitchedOnes() {
    Run run = threeSegments();
    run.free(run.allocate(600 * MIB));
    int small = run.allocate(250 * MIB);
    assertEquals("250#4 50- | 300- | 300#2", run.layout());
    assertEquals("0 create 0 reserve 0 map 0 access", run.calls());
    int stitched = run.allocate(350 * MIB);
    assertEquals("175 create 1 reserve 175 map 175 access", run.calls());
    assertEquals("250#4 50- | 300- | 300#2 | 350#5", run.layout(), "the stitched one is in pieces");
    run.free(small, stitched);
    run.allocate(400 * MIB);
    assertEquals("0 create 0 reserve 0 map 0 access", run.calls(), "it is whole again");
  }

  @Test
  void theReuseLimitKeepsSmallRequestsOffLargeStitchedBlocks() {
    Run run = new Run(new GmLakeSettings(true, 4 * MIB, 1.5, 0, 1L << 40, false), 80L << 30);
    int a = run.allocate(300 * MIB);
    int b = run.allocate(300 * MIB);
    run.free(a, b);
    run.free(run.allocate(600 * MIB));
    run.allocate(390 * MIB);
    assertEquals("0 create 1 reserve 195 map 195 access", run.calls(), "600 > 1.5 * 390");
  }

  @Test
  void releasingASegmentDestroysTheStitchedBlocksThatMapIt() {
    Run run = threeSegments();
    run.free(run.allocate(600 * MIB));
    int whole = run.allocate(300 * MIB);
    run.allocator.emptyCache();
    run.checker.check(run.allocator);
    assertEquals("300#4 | 300#2", run.layout());
    assertEquals((80L << 30) - 600 * MIB, run.device.freeBytes());
    run.free(whole, 2);
    run.allocator.emptyCache();
    assertEquals("", run.layout());
    assertEquals(80L << 30, run.device.freeBytes());
  }

  @Test
  void aSegmentBehindTheUnusedEndOfAnActiveStitchedBlockGoesBackAtOnce() {
    Run run = new Run(new GmLakeSettings(true, 4 * MIB, 10, 0, 1L << 40, false), 1L << 30);
    int a = run.allocate(100 * MIB);
    int b = run.allocate(100 * MIB);
    int c = run.allocate(100 * MIB);
    run.free(a, b, c);
    run.free(run.allocate(300 * MIB));
    // The stitched block begins with c's segment and ends with a's, which this leaves free.
    int user = run.allocate(150 * MIB);
    assertEquals("100- | 50#4 50- | 100#4", run.layout());
    long free = run.device.freeBytes();
    run.allocator.emptyCache();
    run.checker.check(run.allocator);
    assertEquals("50#4 50- | 100#4", run.layout());
    assertEquals(free + 100 * MIB, run.device.freeBytes());
    run.free(user);
    run.allocate(200 * MIB);
    assertEquals("0 create 1 reserve 100 map 100 access", run.calls(), "the old one is gone");
  }

  @Test
  void emptyingTheCacheUnmapsStitchedBlocksToo() {
    Run run = new Run(new GmLakeSettings(true, 4 * MIB, 10, 0, 1L << 40, false), 1L << 30);
    int a = run.allocate(100 * MIB);
    int b = run.allocate(100 * MIB);
    run.free(a, b);
    run.free(run.allocate(200 * MIB));
    long mapped = run.device.driverCalls(DriverCall.UNMAP);
    run.allocator.emptyCache();
    assertEquals(mapped + 100 + 100, run.device.driverCalls(DriverCall.UNMAP));
    assertEquals(1L << 30, run.device.freeBytes());
  }

  @Test
  void reallocationAsksTheDeviceOnlyForWhatIsMissing() {
    Run run = new Run(new GmLakeSettings(true, 4 * MIB, 10, 0, 1L << 40, true), 80L << 30);
    run.free(run.allocate(300 * MIB));
    run.allocate(500 * MIB);
    assertEquals("300#1 | 200#1", run.layout());
    assertEquals("100 create 2 reserve 350 map 350 access", run.calls());
  }

  @Test
  void levelsBelowTheDefragLevelAreSkipped() {
    Run run = new Run(new GmLakeSettings(true, 4 * MIB, 10, 1, 1L << 40, false), 1000 * MIB);
    int a = run.allocate(300 * MIB);
    int b = run.allocate(300 * MIB);
    run.free(a, b);
    run.allocate(600 * MIB);
    assertEquals(
        "300#2 | 300#2", run.layout(), "the device refused 600 MiB, then level 1 stitched");
    assertEquals("201 create 1 reserve 300 map 300 access", run.calls());
  }

  @Test
  void theDriverIsNotAskedForMoreChunksThanAnyDeviceHas() {
    Run run = new Run();
    run.allocate((16L << 40) + 1);
    assertEquals("0 create 0 reserve 0 map 0 access", run.calls());
    assertEquals("", run.layout());
  }

  @Test
  void withoutMemoryThatCanBeMappedTwiceNothingIsStitched() throws Exception {
    UpwardDevice device = new UpwardDevice(1 << 21, 1L << 40);
    PolicyProvider provider = Policies.named("gmlake").orElseThrow();
    assertThrows(
        UnfitTraceException.class,
        () ->
            provider.create(
                new PolicySettings(-1, Map.of()),
                FutureRequests.NONE,
                device,
                EffectListeners.NONE));
    AllocatorPolicy plain =
        provider.create(
            new PolicySettings(-1, Map.of("stitching", "false")),
            FutureRequests.NONE,
            device,
            EffectListeners.NONE);
    assertEquals(1 << 21, plain.allocate(0, 600 * MIB, 0, 0));
    assertEquals(List.of("allocate " + 600 * MIB), device.calls());
  }
}
