package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.stats.MemoryStats;
import org.junit.jupiter.api.Test;

class PeakMomentTest {
  private final MemoryStats stats = new MemoryStats(-1);
  private final PeakMoment peak = new PeakMoment(stats);
  private final EffectListener effects = EffectListeners.both(stats, peak);

  private void assertPeak(int row, long requested, long allocated, long active, long reserved) {
    assertEquals(row, peak.row());
    assertEquals(new RunResult.Moment(requested, allocated, active, reserved), peak.moment());
  }

  @Test
  void theMomentIsAfterTheRequestThatTookMemoryToItsPeak() {
    assertPeak(-1, 0, 0, 0, 0);
    effects.segmentAllocated(0, 100, 0, false);
    effects.blockAllocated(0, 0, 30, 40, 0, false);
    peak.look(3);
    effects.segmentMapped(100, 50, 0, true);
    effects.blockAllocated(1, 100, 20, 50, 0, false);
    effects.freeRequested(0, 0, 30, 40, 0, false);
    peak.look(5);
    assertPeak(5, 50, 50, 90, 150);
    effects.freeCompleted(0, 0, 30, 40, 0, false);
    peak.look(6);
    effects.segmentUnmapped(100, 50, 0, true);
    effects.segmentAllocated(100, 50, 0, true);
    peak.look(7);
    assertPeak(5, 50, 50, 90, 150);
  }

  @Test
  void ofTheMomentsOfTheHighestReservationTheFullestCounts() {
    effects.segmentAllocated(0, 100, 0, false);
    effects.blockAllocated(0, 0, 10, 10, 0, false);
    peak.look(0);
    effects.blockAllocated(1, 10, 60, 70, 0, false);
    peak.look(1);
    assertPeak(1, 70, 80, 80, 100);
    effects.freeRequested(1, 10, 60, 70, 0, false);
    effects.freeCompleted(1, 10, 60, 70, 0, false);
    peak.look(2);
    effects.blockAllocated(2, 10, 70, 70, 0, false);
    peak.look(3);
    assertPeak(1, 70, 80, 80, 100);
    effects.segmentFreed(0, 1, 0, false);
    effects.blockAllocated(3, 80, 9, 9, 0, false);
    peak.look(4);
    assertPeak(1, 70, 80, 80, 100);
  }

  @Test
  void aPeakWithinARequestIsThatRightBeforeMemoryWasReturned() {
    effects.segmentAllocated(0, 100, 0, false);
    effects.blockAllocated(0, 0, 30, 40, 0, false);
    effects.segmentFreed(0, 60, 0, false);
    effects.blockAllocated(1, 0, 3, 4, 0, false);
    effects.segmentUnmapped(0, 10, 0, false);
    peak.look(2);
    assertPeak(2, 30, 40, 40, 100);
    effects.segmentMapped(0, 70, 0, false);
    peak.look(3);
    assertPeak(3, 33, 44, 44, 100);
    effects.segmentMapped(0, 1, 0, false);
    peak.look(4);
    assertPeak(4, 33, 44, 44, 101);
  }

  @Test
  void memoryFromBeforeTheFirstRequestIsAPeakBeforeAllRows() {
    stats.segmentAllocated(0, 100, 0, false);
    stats.blockAllocated(0, 0, 30, 40, 0, false);
    peak.startWith(100);
    assertPeak(-1, 30, 40, 40, 100);
    effects.segmentAllocated(200, 1, 0, false);
    peak.look(0);
    assertPeak(0, 30, 40, 40, 101);
  }
}
