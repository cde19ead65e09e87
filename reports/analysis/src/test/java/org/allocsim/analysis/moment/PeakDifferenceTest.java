package org.allocsim.analysis.moment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.analysis.moment.LiveSet.By;
import org.allocsim.analysis.moment.MomentQuery.Kind;
import org.allocsim.analysis.moment.PeakDifference.Row;
import org.allocsim.analysis.program.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PeakDifferenceTest {
  private static PeakDifference difference(Program one, Program two, By by) {
    Landmarks first = TestPrograms.survey(one);
    Landmarks second = TestPrograms.survey(two);
    MemoryMoment before = TestPrograms.at(first, Kind.PEAK_RESERVED);
    MemoryMoment after = TestPrograms.at(second, Kind.PEAK_RESERVED);
    return PeakDifference.of(
        before,
        LiveSet.of(before, Origins.of(one.input().trace(), 0), by, 3),
        after,
        LiveSet.of(after, Origins.of(two.input().trace(), 0), by, 3));
  }

  @ParameterizedTest
  @EnumSource(By.class)
  void theRowsAddUpToTheProgramsPart(By by) throws Exception {
    PeakDifference difference =
        difference(
            TestPrograms.recorded(TestPrograms.shipped("cat_growth")),
            TestPrograms.recorded(TestPrograms.shipped("device_oom")),
            by);
    long requested = difference.unknown().requestedBytes();
    for (Row row : difference.rows()) {
      requested += row.requestedBytes();
    }
    assertEquals(difference.programBytes(), requested);
    assertEquals(
        difference.reservedBytes(), difference.programBytes() + difference.allocatorBytes());
    assertTrue(difference.reservedBytes() != 0);
  }

  @Test
  void theSameRequestsUnderOtherSettingsDifferByTheAllocatorOnly() throws Exception {
    Program recorded = TestPrograms.recorded(TestPrograms.shipped("cat_growth"));
    PeakDifference difference =
        difference(recorded, TestPrograms.under(recorded, "expandable_segments:True"), By.SIZE);
    assertTrue(difference.reservedBytes() < 0);
    assertEquals(
        difference.reservedBytes(), difference.programBytes() + difference.allocatorBytes());
  }

  @Test
  void aProgramDoesNotDifferFromItself() throws Exception {
    Program recorded = TestPrograms.recorded(TestPrograms.shipped("device_oom"));
    PeakDifference difference = difference(recorded, recorded, By.SIZE);
    assertEquals(0, difference.reservedBytes());
    assertTrue(
        difference.rows().stream()
            .allMatch(row -> row.before().blockBytes() == row.after().blockBytes()));
  }
}
