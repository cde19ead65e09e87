package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.junit.jupiter.api.Test;

/** Raw allocation, rule by rule. Addresses are pages relative to the arena, as in the rules. */
class SimulatedDeviceTest {
  private static final long PAGE = 2L << 20;
  private static final long MIB = 1L << 20;
  private static final long ARENA = DeviceProfile.ARENA_ADDRESS;

  /** First page of the first reservation of one unit: the top is 244 pages below the arena. */
  private static final int FIRST = -260;

  private final SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(4L << 30));

  @Test
  void aBlockOfAPageOrMoreTakesWholePages() {
    long before = device.freeBytes();
    device.allocate(2 * MIB);
    assertEquals(before - 2 * MIB, device.freeBytes());
    device.allocate(2 * MIB + 1);
    assertEquals(before - 6 * MIB, device.freeBytes());
  }

  @Test
  void smallBlocksShareAPageInStepsOf512Bytes() {
    long before = device.freeBytes();
    long first = device.allocate(1);
    assertEquals(first + 512, device.allocate(513));
    assertEquals(first + 1536, device.allocate(512));
    assertEquals(before - PAGE, device.freeBytes());
  }

  @Test
  void anotherPageIsTakenWhenNoHoleFits() {
    long before = device.freeBytes();
    device.allocate(MIB + 1);
    device.allocate(MIB);
    assertEquals(before - 2 * PAGE, device.freeBytes());
  }

  @Test
  void aBlockJustBelowAPageFillsASharedPage() {
    long address = device.allocate(PAGE - 1);
    assertEquals(0, address % PAGE);
    assertEquals(address, freeAndAllocate(address, PAGE - 1, PAGE - 1));
  }

  @Test
  void aSharedPageIsReturnedWithItsLastBlock() {
    long before = device.freeBytes();
    long a = device.allocate(100);
    long b = device.allocate(100);
    device.free(a, 100);
    assertEquals(before - PAGE, device.freeBytes());
    device.free(b, 100);
    assertEquals(before, device.freeBytes());
  }

  @Test
  void aSmallBlockTakesTheSmallestHole() {
    long a = device.allocate(4096);
    device.allocate(512);
    long b = device.allocate(1024);
    device.allocate(512);
    device.free(a, 4096);
    device.free(b, 1024);
    assertEquals(b, device.allocate(700));
  }

  @Test
  void amongEqualHolesTheOldestIsTaken() {
    long low = device.allocate(512);
    device.allocate(512);
    long high = device.allocate(512);
    device.allocate(512);
    device.free(high, 512);
    device.free(low, 512);
    assertEquals(high, device.allocate(512));
    assertEquals(low, device.allocate(512));
  }

  @Test
  void theRestOfASplitHoleCountsAsNew() {
    long split = device.allocate(1536);
    device.allocate(512);
    long exact = device.allocate(512);
    device.allocate(512);
    device.free(split, 1536);
    device.free(exact, 512);
    assertEquals(split, device.allocate(1024));
    assertEquals(exact, device.allocate(512), "the rest of the split is younger");
    assertEquals(split + 1024, device.allocate(512));
  }

  @Test
  void neighbouringHolesMergeInsideTheirPageOnly() {
    long a = device.allocate(MIB);
    long b = device.allocate(MIB);
    long c = device.allocate(MIB);
    long d = device.allocate(MIB);
    assertEquals(-37, pageOf(a));
    assertEquals(0, pageOf(c));
    long e = device.allocate(MIB);
    assertEquals(1, pageOf(e));
    device.free(d, MIB);
    device.free(e, MIB);
    assertEquals(d, device.allocate(MIB), "the page of e has gone with e");
    device.free(a, MIB);
    device.free(b, MIB);
    device.free(c, MIB);
    long before = device.freeBytes();
    device.allocate(MIB + 512);
    assertEquals(before - PAGE, device.freeBytes(), "the half page beside d is too small");
  }

  @Test
  void theFirstPageGoesToTheSparePageAndTheNextTwelveToTheArena() {
    assertEquals(-37, allocatePages(1));
    assertEquals(0, allocatePages(10));
    assertEquals(10, allocatePages(2));
    assertEquals(FIRST, allocatePages(1));
  }

  @Test
  void aReservationIsWholeUnitsWithTheBlockAtItsLowEnd() {
    assertEquals(-276, allocatePages(17), "two units below page -244");
    assertEquals(-259, allocatePages(15), "the rest of the reservation");
  }

  @Test
  void theNewestReservationWithAHoleServesAndInItTheSmallestHole() {
    assertEquals(FIRST, allocatePages(13));
    assertEquals(-292, allocatePages(31));
    assertEquals(-324, allocatePages(30));
    assertEquals(-294, allocatePages(2));
    assertEquals(-261, allocatePages(1), "newest reservation that still has a page");
    freePages(-324, 30);
    assertEquals(-324, allocatePages(3));
    assertEquals(-321, allocatePages(2));
    freePages(-324, 3);
    assertEquals(-324, allocatePages(3), "3 free pages fit better than 25");
    freePages(-324, 3);
    freePages(-294, 2);
    assertEquals(-324, allocatePages(2));
  }

  @Test
  void anEmptyReservationIsGivenBackAndItsAddressesAreUsedAgain() {
    assertEquals(FIRST, allocatePages(13));
    assertEquals(-276, allocatePages(14));
    freePages(FIRST, 13);
    assertEquals(-308, allocatePages(20), "one unit is too little for two, so below everything");
    assertEquals(-292 - 32, allocatePages(16), "a gap of one unit does not take one unit");
  }

  @Test
  void aGapTakesARequestOneUnitSmallerAtItsUpperEnd() {
    assertEquals(-276, allocatePages(32));
    assertEquals(-292, allocatePages(16));
    freePages(-276, 32);
    assertEquals(FIRST, allocatePages(16));
  }

  @Test
  void theArenaStaysWhenItIsEmpty() {
    assertEquals(0, allocatePages(12));
    freePages(0, 12);
    assertEquals(0, allocatePages(12));
  }

  @Test
  void aCallIsRefusedIfAndOnlyIfItsPagesExceedTheFreeBytes() {
    SimulatedDevice small = new SimulatedDevice(DeviceProfiles.ofCapacity(10 * MIB));
    assertEquals(DeviceMemory.REFUSED, small.allocate(10 * MIB + 1));
    assertEquals(DeviceMemory.REFUSED, small.allocate(Long.MAX_VALUE));
    assertEquals(10 * MIB, small.freeBytes());
    long address = small.allocate(8 * MIB);
    long shared = small.allocate(512);
    assertEquals(0, small.freeBytes());
    assertEquals(shared + 512, small.allocate(512), "a hole in a shared page needs no page");
    assertEquals(DeviceMemory.REFUSED, small.allocate(PAGE));
    assertEquals(DeviceMemory.REFUSED, small.allocate(PAGE - 1));
    small.free(address, 8 * MIB);
    assertEquals(8 * MIB, small.freeBytes());
  }

  @Test
  void aRefusalLeavesNoTrace() {
    SimulatedDevice small = new SimulatedDevice(DeviceProfiles.ofCapacity(40 * MIB));
    small.allocate(26 * MIB);
    assertEquals(DeviceMemory.REFUSED, small.allocate(30 * MIB));
    assertEquals(FIRST + 13, pageOf(small.allocate(6 * MIB)));
  }

  @Test
  void everySecondStreamTakesAPage() {
    long before = device.freeBytes();
    device.createStreams(1);
    assertEquals(before, device.freeBytes());
    device.createStreams(1);
    assertEquals(before - PAGE, device.freeBytes());
    device.createStreams(1);
    assertEquals(before - PAGE, device.freeBytes());
    assertEquals(0, allocatePages(1), "the streams have the spare page");
  }

  @Test
  void theMeasuredContextIsTakenBeforeTheFirstAllocation() {
    assertEquals(84_465_090_560L, new SimulatedDevice(DeviceProfiles.defaultProfile()).freeBytes());
  }

  @Test
  void unknownBlocksAreRefused() {
    long address = device.allocate(PAGE);
    assertThrows(IllegalArgumentException.class, () -> device.free(address, 2 * PAGE));
    assertThrows(IllegalArgumentException.class, () -> device.free(address + 512, PAGE));
    device.free(address, PAGE);
    assertThrows(IllegalArgumentException.class, () -> device.free(address, PAGE));
    assertThrows(IllegalArgumentException.class, () -> device.allocate(0));
  }

  @Test
  void callsAreCountedAndTimed() {
    DriverCosts costs = DriverCosts.H100;
    device.allocate(PAGE);
    long expected = costs.allocateNanos() + costs.allocatePageNanos();
    assertEquals(expected, device.driverNanos());
    long block = device.allocate(32 * PAGE);
    expected += costs.allocateReservingNanos() + 32 * costs.allocateReservingPageNanos();
    assertEquals(expected, device.driverNanos());
    device.free(block, 32 * PAGE);
    expected += costs.freeReservationNanos() + 32 * costs.freeReservationPageNanos();
    assertEquals(expected, device.driverNanos());
    device.allocate(512);
    device.allocate(512);
    expected += costs.allocateNanos() + costs.allocatePageNanos() + costs.allocateSharedNanos();
    assertEquals(expected, device.driverNanos());
    assertEquals(4, device.driverCalls(DriverCall.ALLOCATE));
    assertEquals(1, device.driverCalls(DriverCall.FREE));
    assertEquals(5, device.driverCalls());
  }

  /**
   * Segments of a PyTorch 2.11 process on H100 (default stream only; random sizes): pages@place, a
   * freed one with a minus sign.
   */
  @Test
  void aFreshPyTorchProcessGetsTheRecordedAddresses() {
    replay(
        "1@-37 10@0 11@-260 12@-276 10@-292 34@-340 16@-356 47@-404 1@-357 1@-306 58@-468"
            + " 49@-532 46@-580 55@-644 61@-708 59@-772 63@-836 -10@0 -12@-276 -16@-356"
            + " -34@-340 -49@-532 -59@-772 -61@-708 -63@-836 -1@-306 63@-708 63@-772 -11@-260"
            + " -55@-644 -63@-772 -63@-708 46@-340 -46@-340 -47@-404 -58@-468 62@-468 59@-644"
            + " 59@-708 35@-404 -59@-708 -62@-468 41@-340 49@-468 25@-500 64@-708 64@-772"
            + " -25@-500 -41@-340 -64@-772 -64@-708 1@-419 -59@-644 -1@-419 39@-340 52@-644"
            + " 60@-708 -49@-468 1@-648 54@-468 64@-772 -60@-708 -64@-772 -1@-648 -1@-37"
            + " 32@-500 1@-414 27@-676 24@-708 57@-772 1@-715 59@-836 63@-900 1@-837");
  }

  /** The same with side streams, of which PyTorch makes 32 at once. */
  @Test
  void aPyTorchProcessWithSideStreamsGetsTheRecordedAddresses() {
    device.createStreams(32);
    replay(
        "1@-257 1@-256 1@-255 10@-254 10@-276 -10@-254 10@-254 1@-266 -10@-276 -10@-254"
            + " -1@-266 10@-254 10@-276 -10@-276 -10@-254 1@-254 1@-253 10@-276 10@-292"
            + " -10@-292 -10@-276 -1@-253 -1@-256 1@-256 1@-253 10@-276 -1@-253 -1@-256"
            + " 1@-266 10@-292 -10@-292 -10@-276 -1@-266 10@-276 -10@-276 1@-256 10@-276"
            + " 10@-292 -10@-276 -10@-292 -1@-256 10@-276 1@-266 10@-292 1@-282 -10@-292"
            + " -10@-276 -1@-255 -1@-254 1@-281 10@-292");
  }

  @Test
  void aCapacityIsPositive() {
    assertThrows(IllegalArgumentException.class, () -> DeviceProfiles.ofCapacity(0));
    assertEquals(7, new SimulatedDevice(DeviceProfiles.ofCapacity(7)).freeBytes());
  }

  private void replay(String events) {
    for (String event : events.split(" ")) {
      int at = event.indexOf('@');
      int pages = Integer.parseInt(event.substring(0, at));
      int place = Integer.parseInt(event.substring(at + 1));
      if (pages < 0) {
        freePages(place, -pages);
      } else {
        assertEquals(place, allocatePages(pages), event);
      }
    }
  }

  private long freeAndAllocate(long address, long oldBytes, long newBytes) {
    device.free(address, oldBytes);
    return device.allocate(newBytes);
  }

  private int allocatePages(int pages) {
    return pageOf(device.allocate(pages * PAGE));
  }

  private void freePages(int page, int pages) {
    device.free(ARENA + page * PAGE, pages * PAGE);
  }

  private static int pageOf(long address) {
    return Math.toIntExact(Math.floorDiv(address - ARENA, PAGE));
  }
}
