package org.allocsim.analysis.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SettingOrderTest {
  private static SettingOrder.Figures serving(String conf, long peakBytes) {
    return new SettingOrder.Figures(conf, true, 0, peakBytes, 0);
  }

  private static SettingOrder.Figures failing(String conf, long progress) {
    return new SettingOrder.Figures(conf, false, progress, 100, 0);
  }

  /** The simplest within 2 bytes of the lowest peak. */
  private static Optional<String> simplest(SettingOrder.Figures... ranked) {
    return SettingOrder.simplest(List.of(ranked), Function.identity(), 2)
        .map(SettingOrder.Figures::conf);
  }

  @Test
  void ofSettingsNearTheLowestPeakTheOneWithTheFewestOptionsIsTaken() {
    assertEquals(
        Optional.of("a:1"),
        simplest(serving("a:1,b:2", 98), serving("a:1", 100), serving("", 150)));
    assertEquals(
        Optional.of(""), simplest(serving("a:1,b:2", 98), serving("a:1", 99), serving("", 100)));
  }

  @Test
  void aSettingThatSavesMoreIsWorthItsOptions() {
    assertEquals(
        Optional.of("a:1,b:2"),
        simplest(serving("a:1,b:2", 97), serving("a:1", 100), serving("", 150)));
  }

  @Test
  void whatTheRankingCountsAsEqualIsNear() {
    assertEquals(2, SettingOrder.nearBytes(100, 1));
    assertEquals(5, SettingOrder.nearBytes(100, 5));
  }

  @Test
  void ofAsManyOptionsTheFirstIsTaken() {
    assertEquals(Optional.of("b:2"), simplest(serving("b:2", 100), serving("a:1", 98)));
  }

  @Test
  void aListIsOneOption() {
    assertEquals(
        Optional.of("a:[1:2,4:8]"), simplest(serving("b:1,c:2", 99), serving("a:[1:2,4:8]", 99)));
  }

  @Test
  void whatFailsOrGetsLessFarIsNotTakenForItsSimplicity() {
    assertEquals(Optional.of("a:1"), simplest(serving("a:1", 100), failing("", 9)));
    assertEquals(Optional.of("a:1"), simplest(failing("a:1", 9), failing("", 8)));
    assertEquals(Optional.empty(), simplest());
  }
}
