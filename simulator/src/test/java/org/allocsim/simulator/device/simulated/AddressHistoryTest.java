package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.junit.jupiter.api.Test;

/** What segments show of a process's address space. Places are pages relative to the arena. */
class AddressHistoryTest {
  private static final long PAGE = 2L << 20;

  /** Any process: all its addresses are shifted by whole reservations. */
  private static final long ARENA = DeviceProfile.ARENA_ADDRESS + 7 * (32L << 20);

  @Test
  void aProcessThatFollowsTheRulesHidesNothing() {
    AddressHistory history = learn("8@0 10@-260 1@-250 -10@-260 10@-260");
    assertTrue(history.isKnown());
    assertEquals(0, history.count());
  }

  @Test
  void nothingIsLearnedWithoutSegments() {
    assertFalse(AddressHistoryFinder.find(new EffectLog(), stream -> 0).isKnown());
  }

  @Test
  void nothingIsLearnedWhereTheFirstSegmentLiesInNoKnownPlace() {
    assertFalse(learn("8@3").isKnown());
  }

  @Test
  void aGapThatIsPassedOverIsTaken() {
    assertEquals(-580, replayed("8@0 10@-580 10@-596").get(1));
  }

  @Test
  void whatIsUsedLaterWasGivenBack() {
    replayed("8@0 10@-580 10@-596 10@-260 10@-276");
  }

  @Test
  void aHoleThatIsPassedOverIsTaken() {
    replayed("8@0 10@-260 1@-249 1@-248");
  }

  @Test
  void theLocalMemoryOfTheContextMoves() {
    AddressHistory history = learn("8@0 10@-260 10@-52 16@-68");
    assertEquals(AddressHistory.Change.GROW_LOCAL_MEMORY, history.change(0));
    assertEquals(1, history.count());
    replayed("8@0 10@-260 10@-52 16@-68");
  }

  @Test
  void whereItsSparePageIsInUseTheLocalMemoryLeavesAHole() {
    replayed("8@0 1@-37 10@-260 10@-244 16@-234");
  }

  @Test
  void aSegmentOffTheUnitsLiesInAReservationOfOthers() {
    replayed("8@0 1@-37 10@-260 1@-287 1@-286");
  }

  @Test
  void aReservationThatSomethingKeepsIsAHole() {
    replayed("8@0 42@-292 10@-308 -42@-292 15@-292 15@-277");
  }

  /** As an SFT of Transformers on an H200, whose first segment is too large for the arena. */
  @Test
  void theArenaShowsHowFarBelowItTheFirstGapEnds() {
    replayed("47@-1060 10@0 1@-1013 10@-836 10@-1076");
  }

  @Test
  void thePageBesideTheLocalMemoryShowsItToo() {
    replayed("32@-804 1@-37 32@-836 32@-276 8@0");
  }

  @Test
  void aProcessMayHaveGapsAboveTheArena() {
    replayed("24@-276 10@0 10@156 10@-292 10@140 -10@156 12@156 14@-308");
  }

  @Test
  void otherSettingsFindTheAddressSpaceAsItWas() {
    SimulatedDevice device = device(learn("8@0 10@-580 10@-260"));
    device.advanceTo(0);
    device.allocate(10 * PAGE);
    device.advanceTo(1);
    assertEquals(-596, pageOf(device.allocate(20 * PAGE)), "what lies above is taken");
    device.advanceTo(2);
    assertEquals(-260, pageOf(device.allocate(16 * PAGE)));
  }

  @Test
  void whatCannotBeEndsTheHistory() {
    assertEquals(0, learn("8@0 -10@-260").count());
    assertTrue(learn("8@0 10@-260 10@-255").isKnown());
    assertTrue(learn("8@0 10@-580 10@999999").isKnown());
    EffectLog effects = new EffectLog();
    effects.add(EffectKind.SEGMENT_ALLOC, ARENA, 8 * PAGE, 0);
    effects.add(EffectKind.SEGMENT_ALLOC, -1L << 62, Long.MAX_VALUE & -PAGE, 0);
    effects.add(EffectKind.SEGMENT_ALLOC, Long.MIN_VALUE, PAGE, 0);
    effects.add(EffectKind.SEGMENT_FREE, Long.MIN_VALUE, PAGE, 0);
    assertEquals(0, AddressHistoryFinder.find(effects, stream -> 0).count());
  }

  /** Learns from segments, checks that the same calls get the same places, and returns these. */
  private static List<Integer> replayed(String segments) {
    SimulatedDevice device = device(learn(segments));
    List<Integer> places = new ArrayList<>();
    int request = 0;
    for (String segment : segments.split(" ")) {
      int pages = pages(segment);
      int place = place(segment);
      if (pages < 0) {
        device.free(DeviceProfile.ARENA_ADDRESS + place * PAGE, -pages * PAGE);
      } else {
        device.advanceTo(request++);
        places.add(pageOf(device.allocate(pages * PAGE)));
        assertEquals(place, places.getLast(), segment);
      }
    }
    return places;
  }

  private static SimulatedDevice device(AddressHistory history) {
    return new SimulatedDevice(DeviceProfiles.defaultProfile().withHistory(history));
  }

  /** A recording in which every request gets a segment of its own. */
  private static AddressHistory learn(String segments) {
    EffectLog effects = new EffectLog();
    for (String segment : segments.split(" ")) {
      long address = ARENA + place(segment) * PAGE;
      long bytes = Math.abs(pages(segment)) * PAGE;
      if (pages(segment) < 0) {
        effects.add(EffectKind.SEGMENT_FREE, address, bytes, 0);
      } else {
        effects.add(EffectKind.SEGMENT_ALLOC, address, bytes, 0);
        effects.add(EffectKind.ALLOC, address, bytes, 0);
      }
    }
    return AddressHistoryFinder.find(effects, stream -> 0);
  }

  private static int pages(String segment) {
    return Integer.parseInt(segment.substring(0, segment.indexOf('@')));
  }

  private static int place(String segment) {
    return Integer.parseInt(segment.substring(segment.indexOf('@') + 1));
  }

  private static int pageOf(long address) {
    return Math.toIntExact(Math.floorDiv(address - DeviceProfile.ARENA_ADDRESS, PAGE));
  }
}
