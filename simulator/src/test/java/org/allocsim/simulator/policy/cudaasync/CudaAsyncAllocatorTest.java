package org.allocsim.simulator.policy.cudaasync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.junit.jupiter.api.Test;

/**
 * The conformance cases ASY-1 to ASY-6, without ASY-4: traces do not show that one stream waits for
 * an event of another. In ASY-6 the wait that the driver inserts is no call of the program.
 */
class CudaAsyncAllocatorTest {
  private static final long MIB = 1L << 20;
  private static final long CHUNK = 32 * MIB;
  private static final long BASE = DeviceProfile.RANGE_ADDRESS;

  private SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 30));
  private final Heard heard = new Heard();
  private final Map<String, String> options = new HashMap<>();

  private static final class Heard implements EffectListener {
    long reservedBytes;
    OutOfMemory failure;

    @Override
    public void segmentMapped(long address, long bytes, int stream, boolean small) {
      reservedBytes += bytes;
    }

    @Override
    public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
      reservedBytes -= bytes;
    }

    @Override
    public void outOfMemory(OutOfMemory newFailure) {
      failure = newFailure;
    }
  }

  private CudaAsyncAllocator policy() {
    return policy(-1, device, heard);
  }

  private CudaAsyncAllocator policy(long limit, DeviceMemory memory, EffectListener listener) {
    try {
      return (CudaAsyncAllocator)
          new CudaAsyncProvider()
              .create(new PolicySettings(limit, options), FutureRequests.NONE, memory, listener);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new AssertionError(e);
    }
  }

  private long usedBytes() {
    return device.streamOrdered().orElseThrow().poolUsedBytes();
  }

  @Test
  void asy1WaitingReturnsAllThatIsUnused() {
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, MIB, 0, 0);
    assertEquals(CHUNK, heard.reservedBytes);
    assertEquals(MIB, usedBytes());
    policy.free(0);
    assertEquals(0, usedBytes());
    assertEquals(CHUNK, heard.reservedBytes);
    policy.synchronizeStream(0);
    assertEquals(0, heard.reservedBytes);
  }

  @Test
  void asy2AThresholdKeepsMemoryAndTrimmingDoesNot() {
    options.put("release-threshold", "64MiB");
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, MIB, 0, 0);
    policy.free(0);
    policy.synchronizeStream(0);
    assertEquals(CHUNK, heard.reservedBytes);
    policy.trim(40 * MIB);
    assertEquals(CHUNK, heard.reservedBytes);
    policy.trim(0);
    assertEquals(0, heard.reservedBytes);
  }

  @Test
  void asy3WithoutOpportunisticReuseAnotherStreamGrowsThePool() {
    options.put("reuse-opportunistic", "false");
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, 20 * MIB, 1, 0);
    policy.free(0, 1);
    policy.allocate(1, 20 * MIB, 2, 0);
    assertEquals(64 * MIB, heard.reservedBytes);
  }

  @Test
  void asy5WithOpportunisticReuseAnotherStreamTakesWhatIsComplete() {
    CudaAsyncAllocator policy = policy();
    long first = policy.allocate(0, 20 * MIB, 1, 0);
    policy.free(0, 1);
    assertEquals(first, policy.allocate(1, 20 * MIB, 2, 0));
    assertEquals(CHUNK, heard.reservedBytes);
  }

  @Test
  void asy6InternalDependenciesReuseWhereTheDeviceHasNoMore() {
    for (boolean internal : new boolean[] {true, false}) {
      device = new SimulatedDevice(DeviceProfiles.ofCapacity(CHUNK));
      options.put("reuse-opportunistic", "false");
      options.put("reuse-internal-dependencies", Boolean.toString(internal));
      CudaAsyncAllocator policy = policy(-1, device, EffectListeners.NONE);
      long first = policy.allocate(0, 20 * MIB, 1, 0);
      policy.free(0, 1);
      assertEquals(
          internal ? first : AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(1, 20 * MIB, 2, 0));
      assertEquals(0, device.freeBytes());
    }
  }

  @Test
  void aFreeWithoutAStreamIsOneOnTheAllocationsStream() {
    CudaAsyncAllocator policy = policy();
    long first = policy.allocate(0, MIB, 3, 0);
    long second = policy.allocate(1, MIB, 3, 0);
    policy.free(0);
    policy.free(1, 4);
    assertEquals(second, policy.allocate(2, MIB, 4, 0));
    assertEquals(first, policy.allocate(3, MIB, 3, 0));
  }

  @Test
  void aBlockOfSeveralStreamsIsFreedOnOneThatWaitsForThemAll() {
    options.put("reuse-opportunistic", "false");
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, MIB, 1, 0);
    policy.useStream(0, 1, 0);
    long shared = policy.allocate(1, MIB, 1, 0);
    policy.useStream(1, 2, 0);
    policy.free(0, 1);
    policy.free(1, 1);
    assertEquals(BASE, policy.allocate(2, MIB, 1, 0));
    assertEquals(BASE + 2 * MIB, policy.allocate(3, MIB, 1, 0), "the shared block is no one's");
    policy.synchronizeStream(1);
    policy.synchronizeStream(2);
    assertEquals(BASE + 3 * MIB, policy.allocate(4, MIB, 2, 0));
    policy.synchronize();
    assertEquals(shared, policy.allocate(5, MIB, 2, 0));
  }

  @Test
  void emptyingTheCacheWaitsAndTrimsEvenWhereEverythingIsKept() {
    options.put("release-threshold", "max");
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, 100 * MIB, 0, 0);
    policy.free(0);
    policy.synchronize();
    assertEquals(4 * CHUNK, heard.reservedBytes);
    policy.emptyCache();
    assertEquals(0, heard.reservedBytes);
    assertEquals(1, device.driverCalls(DriverCall.TRIM_POOL));
  }

  @Test
  void emptyingTheCacheWaitsForWhatIsNotComplete() {
    options.put("release-threshold", "max");
    options.put("reuse-opportunistic", "false");
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, MIB, 1, 0);
    policy.free(0, 1);
    policy.trim(0);
    assertEquals(CHUNK, heard.reservedBytes);
    policy.emptyCache();
    assertEquals(0, heard.reservedBytes);
  }

  @Test
  void theLayoutShowsRunsOfChunksAndTheAllocationsInThem() {
    options.put("release-threshold", "max");
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, 40 * MIB, 0, 0);
    policy.allocate(1, 100, 1, 0);
    policy.free(0);
    MemoryLayout layout = MemoryLayout.of(policy);
    assertEquals(1, layout.segmentCount());
    assertEquals(64 * MIB, layout.segmentBytes(0));
    assertEquals(3, layout.blockCount());
    assertEquals(BlockState.INACTIVE, layout.state(0));
    assertEquals(1, layout.allocation(1));
    assertEquals(512, layout.blockBytes(1));
    assertEquals(100, layout.requestedBytes(1));
    assertEquals(BASE + 40 * MIB + 512, layout.blockAddress(2));
    assertEquals(24 * MIB - 512, layout.blockBytes(2));
  }

  @Test
  void spareChunksAreShownAboveAllAddresses() {
    options.put("release-threshold", "max");
    CudaAsyncAllocator policy = policy();
    policy.allocate(0, MIB, 0, 0);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(1, 3L << 29, 2, 0));
    assertEquals(2, heard.failure.stream());
    assertEquals(1L << 30, heard.reservedBytes);
    MemoryLayout layout = MemoryLayout.of(policy);
    assertEquals(2, layout.segmentCount());
    assertEquals(StreamOrderedMemory.UNPLACED_ADDRESS, layout.segmentAddress(1));
    assertEquals((1L << 30) - CHUNK, layout.segmentBytes(1));
    assertEquals(BlockState.INACTIVE, layout.state(layout.firstBlock(1)));
  }

  @Test
  void aLimitBoundsWhatThePoolReserves() {
    CudaAsyncAllocator policy = policy(96 * MIB, device, heard);
    policy.allocate(0, 90 * MIB, 0, 0);
    assertEquals(3 * CHUNK, heard.reservedBytes);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(1, 7 * MIB, 0, 0));
    assertEquals(96 * MIB, heard.failure.limitBytes());
    policy.free(1);
    assertTrue(policy.allocate(2, 6 * MIB, 0, 0) > 0);
  }

  @Test
  void aLimitOfNoBytesRefusesEverything() {
    CudaAsyncAllocator policy = policy(0, device, heard);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(0, 1, 0, 0));
    assertEquals(0, heard.failure.limitBytes());
  }

  @Test
  void aPoolThatTellsTotalsOnlyReportsHowTheyChangeAndNothingWhereTheyDoNot() {
    List<String> changes = new ArrayList<>();
    EffectListener listener =
        new EffectListener() {
          @Override
          public void segmentMapped(long address, long bytes, int stream, boolean small) {
            note("mapped", address, bytes);
          }

          @Override
          public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
            note("unmapped", address, bytes);
          }

          private void note(String what, long address, long bytes) {
            long place = (address - StreamOrderedMemory.UNPLACED_ADDRESS) / CHUNK;
            changes.add("%s %d at %d".formatted(what, bytes / CHUNK, place));
          }
        };
    options.put("release-threshold", "64MiB");
    CudaAsyncAllocator policy = policy(-1, new TotalsOnly(device), listener);
    policy.allocate(0, CHUNK, 0, 0);
    policy.allocate(1, 3 * CHUNK, 0, 0);
    policy.free(1);
    assertEquals(List.of("mapped 1 at 0", "mapped 3 at 1"), changes);
    policy.synchronize();
    assertEquals("unmapped 2 at 2", changes.removeLast());
    policy.allocate(2, CHUNK, 0, 0);
    assertEquals(2, changes.size());
    MemoryLayout full = MemoryLayout.of(policy);
    assertEquals(2, full.blockCount());
    policy.free(0);
    policy.free(2);
    policy.synchronize();
    assertEquals(2, changes.size());
    policy.trim(CHUNK);
    assertEquals("unmapped 1 at 1", changes.removeLast());
    policy.emptyCache();
    assertEquals("unmapped 1 at 0", changes.removeLast());
  }

  /** As a real driver, which reports totals only, and the same calls where chunks are known. */
  @Test
  void aPoolThatTellsTotalsOnlyHasASoundLayoutAndTheSameReservedBytes() {
    SplittableRandom random = new SplittableRandom(5);
    Heard totalsHeard = new Heard();
    InvariantChecker checker = new InvariantChecker(InvariantChecker.UNLIMITED);
    CudaAsyncAllocator known = policy();
    CudaAsyncAllocator totals =
        policy(
            -1,
            new TotalsOnly(new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 30))),
            EffectListeners.both(totalsHeard, checker));
    int failures = 0;
    for (int allocation = 0; allocation < 2000; allocation++) {
      long bytes = 1 + random.nextLong(random.nextBoolean() ? 100_000 : 100 * MIB);
      int stream = random.nextInt(3);
      long address = known.allocate(allocation, bytes, stream, 0);
      assertEquals(address, totals.allocate(allocation, bytes, stream, 0));
      failures += address == AllocatorPolicy.OUT_OF_MEMORY ? 1 : 0;
      int freed = random.nextInt(Math.max(0, allocation - 60), allocation + 1);
      known.free(freed, stream);
      totals.free(freed, stream);
      if (random.nextInt(20) == 0) {
        known.synchronizeStream(stream);
        totals.synchronizeStream(stream);
      }
      checker.check(totals);
      assertEquals(heard.reservedBytes, totalsHeard.reservedBytes);
    }
    assertTrue(failures > 20, failures + " failures");
  }

  @Test
  void badOptionsAreRefusedWithASentence() {
    assertRefused("release-threshold", "much");
    assertRefused("release-threshold", "-1");
    assertRefused("reuse-opportunistic", "yes");
    assertRefused("reuse-internal-dependencies", "");
    assertRefused("reuse", "true");
  }

  private void assertRefused(String name, String value) {
    PolicySettings settings = new PolicySettings(-1, Map.of(name, value));
    PolicyOptionException error =
        assertThrows(
            PolicyOptionException.class,
            () ->
                new CudaAsyncProvider()
                    .create(settings, FutureRequests.NONE, device, EffectListeners.NONE));
    assertTrue(error.getMessage().contains(name), error.getMessage());
  }

  @Test
  void aDeviceWithoutStreamOrderedMemoryIsUnfit() {
    UnfitTraceException error =
        assertThrows(
            UnfitTraceException.class,
            () ->
                new CudaAsyncProvider()
                    .create(
                        new PolicySettings(-1, Map.of()),
                        FutureRequests.NONE,
                        new OtherDevice(device),
                        EffectListeners.NONE));
    assertTrue(error.getMessage().contains("stream-ordered"), error.getMessage());
  }
}
