package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.cost.HandleCosts;
import org.junit.jupiter.api.Test;

/** Address ranges and what is mapped in them. */
class VirtualMemoryTest {
  private static final long MIB = 1L << 20;
  private static final long PAGE = 2 * MIB;
  private static final long BASE = DeviceProfile.RANGE_ADDRESS;

  private final SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(100 * MIB));

  /** Ranges of PyTorch 2.11 on an 80 GB GPU: 45 607 pages of 2 MiB and 4 561 of 20 MiB. */
  @Test
  void rangesLieWhereTheRecordedProcessesHadThem() {
    long small = 45_607 * PAGE;
    long large = 4_561 * 20 * MIB;
    assertEquals(0x3_0200_0000L, device.reserve(small, PAGE, 0));
    assertEquals(0x19_4800_0000L, device.reserve(large, 20 * MIB, 0));
    assertEquals(0x2f_8e00_0000L, device.reserve(large, 20 * MIB, 1));
    assertEquals(0x45_d400_0000L, device.reserve(small, PAGE, 1));
    assertEquals(0x5c_1a00_0000L, device.reserve(small, PAGE, 2));
  }

  /** Ranges of PyTorch 2.11 on H200 (recorded): the seventh would lie across 2^40. */
  @Test
  void noRangeLiesAcrossTwoToTheFortieth() {
    long small = 80_544 * PAGE;
    long large = 8_052 * 20 * MIB;
    assertEquals(0x3_0200_0000L, device.reserve(small, PAGE, 0));
    assertEquals(0x2a_5600_0000L, device.reserve(large, 20 * MIB, 0));
    assertEquals(0x51_a800_0000L, device.reserve(large, 20 * MIB, 1));
    assertEquals(0x78_fa00_0000L, device.reserve(small, PAGE, 1));
    assertEquals(0xa0_4e00_0000L, device.reserve(large, 20 * MIB, 2));
    assertEquals(0xc7_a000_0000L, device.reserve(small, PAGE, 2));
    assertEquals(0x100_0400_0000L, device.reserve(small, PAGE, 3));
    assertEquals(0x127_5800_0000L, device.reserve(large, 20 * MIB, 3));
    assertEquals(0xee_f400_0000L, device.reserve(64 * MIB, PAGE, 4));
  }

  @Test
  void aRangeGivenBackIsUsedAgainLowestFirst() {
    long first = device.reserve(64 * MIB, PAGE, 0);
    long second = device.reserve(64 * MIB, PAGE, 0);
    device.reserve(64 * MIB, PAGE, 0);
    device.unreserve(second, 64 * MIB);
    device.unreserve(first, 64 * MIB);
    assertEquals(first, device.reserve(64 * MIB, PAGE, 0));
    assertEquals(second, device.reserve(64 * MIB, PAGE, 0));
  }

  @Test
  void aGapTooSmallIsPassedOver() {
    long first = device.reserve(32 * MIB, PAGE, 0);
    device.reserve(32 * MIB, PAGE, 0);
    device.unreserve(first, 32 * MIB);
    assertEquals(BASE + 64 * MIB, device.reserve(34 * MIB, PAGE, 0));
    assertEquals(first, device.reserve(32 * MIB, PAGE, 0));
  }

  /** As on an H200: the newest reservation with room serves, not the lowest. */
  @Test
  void aSmallRangeTakesTheRestOfTheNewestReservation() {
    device.reserve(100 * MIB, PAGE, 0);
    long second = device.reserve(40 * MIB, PAGE, 0);
    assertEquals(second + 40 * MIB, device.reserve(6 * MIB, PAGE, 0));
    assertEquals(BASE + 100 * MIB, device.reserve(28 * MIB, PAGE, 0));
  }

  @Test
  void aRangeTakesNoMemoryAndMappingTakesItsBytes() {
    long range = device.reserve(1L << 40, 20 * MIB, 0);
    assertEquals(100 * MIB, device.freeBytes());
    assertTrue(device.map(range + 20 * MIB, 40 * MIB, 20 * MIB));
    assertEquals(60 * MIB, device.freeBytes());
    device.unmap(range + 40 * MIB, 20 * MIB, 20 * MIB);
    assertEquals(80 * MIB, device.freeBytes());
  }

  @Test
  void mappingAndRawBlocksShareTheFreeBytes() {
    long range = device.reserve(200 * MIB, PAGE, 0);
    assertTrue(device.map(range, 90 * MIB, PAGE));
    assertEquals(DeviceMemory.REFUSED, device.allocate(12 * MIB));
    device.allocate(10 * MIB);
    assertFalse(device.map(range + 90 * MIB, PAGE, PAGE));
  }

  @Test
  void mappingIsAllOrNothing() {
    long range = device.reserve(400 * MIB, 20 * MIB, 0);
    assertTrue(device.map(range, 80 * MIB, 20 * MIB));
    assertFalse(device.map(range + 80 * MIB, 40 * MIB, 20 * MIB));
    assertEquals(20 * MIB, device.freeBytes());
    assertTrue(device.map(range + 80 * MIB, 20 * MIB, 20 * MIB));
    assertEquals(0, device.freeBytes());
  }

  @Test
  void callsAreCountedPerHandle() {
    long range = device.reserve(200 * MIB, 20 * MIB, 0);
    device.map(range, 60 * MIB, 20 * MIB);
    assertEquals(3, device.driverCalls(DriverCall.CREATE));
    assertEquals(3, device.driverCalls(DriverCall.MAP));
    assertEquals(1, device.driverCalls(DriverCall.SET_ACCESS));
    HandleCosts costs = DriverCosts.H100.handles();
    long mapNanos = 3 * (costs.createNanos(10) + costs.mapNanos(10)) + costs.setAccessNanos(3, 30);
    assertEquals(costs.reserveNanos() + mapNanos, device.driverNanos());
    device.unmap(range, 40 * MIB, 20 * MIB);
    assertEquals(2, device.driverCalls(DriverCall.UNMAP));
    assertEquals(2, device.driverCalls(DriverCall.RELEASE));
    device.map(range + 60 * MIB, 100 * MIB, 20 * MIB);
    assertEquals(3 + 5, device.driverCalls(DriverCall.CREATE), "four handles and the refused one");
    assertEquals(2 + 4, device.driverCalls(DriverCall.RELEASE));
    assertEquals(3, device.driverCalls(DriverCall.MAP));
  }

  @Test
  void whatTheDriverWouldCallInvalidIsRefused() {
    long range = device.reserve(64 * MIB, PAGE, 0);
    assertInvalid(() -> device.map(range, 3 * MIB, 3 * MIB));
    assertInvalid(() -> device.map(range, 3 * MIB, PAGE));
    assertInvalid(() -> device.map(range + 64 * MIB, PAGE, PAGE));
    assertInvalid(() -> device.map(range, 66 * MIB, PAGE));
    device.map(range + 4 * MIB, 4 * MIB, PAGE);
    assertInvalid(() -> device.map(range + 6 * MIB, 4 * MIB, PAGE));
    assertInvalid(() -> device.map(range, 6 * MIB, PAGE));
    assertInvalid(() -> device.unmap(range, PAGE, PAGE));
    assertInvalid(() -> device.unmap(range + 6 * MIB, 4 * MIB, PAGE));
    assertInvalid(() -> device.unreserve(range, 64 * MIB));
    device.unmap(range + 4 * MIB, 4 * MIB, PAGE);
    assertInvalid(() -> device.unreserve(range, 32 * MIB));
    device.unreserve(range, 64 * MIB);
    assertInvalid(() -> device.unreserve(range, 64 * MIB));
    assertEquals(100 * MIB, device.freeBytes());
  }

  @Test
  void addressesMayRunOut() {
    assertEquals(DeviceMemory.REFUSED, device.reserve(Long.MAX_VALUE, PAGE, 0));
    assertEquals((1L << 40) + 64 * MIB, device.reserve(1L << 46, PAGE, 0));
    assertEquals(DeviceMemory.REFUSED, device.reserve(1L << 46, PAGE, 0));
  }

  private static void assertInvalid(Runnable call) {
    assertThrows(IllegalArgumentException.class, call::run);
  }
}
