package org.allocsim.reports.output;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The units in which progress is counted. */
class ProgressMeterTest {
  private static final String MIB = " MiB";

  @Test
  void aShortFileIsNotNoneOfNone() {
    ProgressMeter.Scale scale = ProgressMeter.Scale.of(MIB, 1L << 20, 97_224);
    assertEquals(new ProgressMeter.Scale(" KiB", 1L << 10), scale);
    assertEquals(94, 97_224 / scale.size());
  }

  @Test
  void fewEventsAreCountedOneByOne() {
    assertEquals(
        new ProgressMeter.Scale(" events", 1), ProgressMeter.Scale.of("k events", 1_000, 900));
  }

  @Test
  void longWorkAndWorkOfUnknownLengthKeepTheirUnits() {
    assertEquals(
        new ProgressMeter.Scale(MIB, 1L << 20), ProgressMeter.Scale.of(MIB, 1L << 20, 10L << 20));
    assertEquals(new ProgressMeter.Scale(MIB, 1L << 20), ProgressMeter.Scale.of(MIB, 1L << 20, -1));
    assertEquals(
        new ProgressMeter.Scale(" settings", 1), ProgressMeter.Scale.of(" settings", 1, 3));
  }
}
