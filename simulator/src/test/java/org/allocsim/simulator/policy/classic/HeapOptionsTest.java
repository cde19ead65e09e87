package org.allocsim.simulator.policy.classic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapOptionsTest {
  private static final long MIB = 1L << 20;

  @Test
  void aHeapGrowsByWholeStepsAndKeepsThem() {
    ClassicHeap heap = new ClassicHeap("best-fit", Map.of("grow-step", "8MiB"), 1L << 30, -1);
    heap.allocate(0, 1);
    assertEquals(8 * MIB, heap.stats.reservedBytes());
    heap.allocate(1, 9 * MIB);
    assertEquals(16 * MIB, heap.stats.reservedBytes());
    heap.free(0);
    heap.free(1);
    assertEquals(16 * MIB, heap.stats.reservedBytes());
    assertEquals(2, heap.device.driverCalls(DriverCall.CREATE));
  }

  @Test
  void aTrimmedHeapGivesWholeFreeStepsAtItsEndBack() {
    ClassicHeap heap = new ClassicHeap("first-fit", Map.of("trim-top", "true"), 1L << 30, -1);
    heap.allocate(0, 3 * MIB);
    heap.allocate(1, 3 * MIB);
    heap.allocate(2, 3 * MIB);
    assertEquals(10 * MIB, heap.stats.reservedBytes());
    heap.free(1);
    assertEquals(10 * MIB, heap.stats.reservedBytes());
    heap.free(2);
    assertEquals(4 * MIB, heap.stats.reservedBytes());
    heap.free(0);
    assertEquals(0, heap.stats.reservedBytes());
    assertEquals(0, heap.layout().segmentCount());
    assertEquals(0, heap.allocate(3, 5 * MIB));
    assertEquals(6 * MIB, heap.stats.reservedBytes());
  }

  @ParameterizedTest
  @CsvSource({"first-fit", "next-fit", "best-fit", "worst-fit", "tlsf", "buddy"})
  void anArenaIsTakenOnceAndNeverGrows(String policy) {
    ClassicHeap heap = new ClassicHeap(policy, Map.of("arena", "16MiB"), 1L << 30, -1);
    assertEquals(-1, heap.allocate(0, 17 * MIB));
    assertEquals(0, heap.stats.reservedBytes());
    assertEquals(0, heap.allocate(1, 8 * MIB));
    assertEquals(16 * MIB, heap.stats.reservedBytes());
    assertEquals(8 * MIB, heap.allocate(2, 8 * MIB));
    assertEquals(-1, heap.allocate(3, 1));
    heap.free(1);
    assertEquals(0, heap.allocate(4, 1));
    assertEquals(16 * MIB, heap.stats.reservedBytes());
    assertEquals(1, heap.device.driverCalls());
  }

  @ParameterizedTest
  @CsvSource({"first-fit", "next-fit", "best-fit", "worst-fit", "tlsf", "buddy", "slab"})
  void theLimitHoldsAndWhatFitsBelowItIsServedFurther(String policy) {
    ClassicHeap heap = new ClassicHeap(policy, Map.of(), 1L << 30, 16 * MIB);
    assertEquals(0, heap.allocate(0, 8 * MIB));
    assertEquals(-1, heap.allocate(1, 9 * MIB));
    assertEquals(8 * MIB, heap.stats.reservedBytes());
    assertNotEquals(-1, heap.allocate(2, 8 * MIB));
    assertEquals(-1, heap.allocate(3, 1));
    assertEquals(16 * MIB, heap.stats.reservedBytes());
    heap.free(0);
    assertNotEquals(-1, heap.allocate(4, 2 * MIB));
  }

  @Test
  void aGrowingBuddyHeapPlacesABlockAtAMultipleOfItsSizeAndUsesTheGap() {
    ClassicHeap heap = new ClassicHeap("buddy", Map.of(), 1L << 30, -1);
    assertEquals(0, heap.allocate(0, 2 * MIB));
    assertEquals(8 * MIB, heap.allocate(1, 8 * MIB));
    assertEquals(16 * MIB, heap.stats.reservedBytes());
    assertEquals(4 * MIB, heap.allocate(2, 3 * MIB));
    assertEquals(2 * MIB, heap.allocate(3, MIB));
    assertEquals(3 * MIB, heap.allocate(4, MIB));
    assertEquals(16 * MIB, heap.stats.reservedBytes());
    assertEquals(16 * MIB, heap.allocate(5, 1));
    assertEquals(18 * MIB, heap.stats.reservedBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "first-fit, unit, 0, unit",
    "best-fit, unit, many, unit",
    "tlsf, unit, 12, multiple of 8",
    "next-fit, grow-step, 3MiB, grow-step",
    "worst-fit, trim-top, maybe, true or false",
    "buddy, min-block, 300, power of two",
    "buddy, arena, 3MiB, power of two",
    "slab, classes-per-doubling, 3, power of two",
    "first-fit, colour, blue, colour"
  })
  void aBadOptionIsRefusedWithASentence(String policy, String option, String value, String reason) {
    PolicyOptionException error =
        assertThrows(
            PolicyOptionException.class,
            () ->
                Policies.named(policy)
                    .orElseThrow()
                    .create(
                        new PolicySettings(-1, Map.of(option, value)),
                        FutureRequests.NONE,
                        new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 30)),
                        EffectListeners.NONE));
    assertTrue(error.getMessage().contains(reason), error.getMessage());
  }

  @Test
  void anArenaCannotBeTrimmed() {
    assertThrows(
        PolicyOptionException.class,
        () ->
            Policies.named("first-fit")
                .orElseThrow()
                .create(
                    new PolicySettings(-1, Map.of("arena", "2MiB", "trim-top", "true")),
                    FutureRequests.NONE,
                    new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 30)),
                    EffectListeners.NONE));
  }
}
