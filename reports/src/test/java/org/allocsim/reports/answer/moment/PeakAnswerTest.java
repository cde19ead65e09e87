package org.allocsim.reports.answer.moment;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.moment.Grouping;
import org.allocsim.reports.question.moment.PeakQuestion;
import org.junit.jupiter.api.Test;

class PeakAnswerTest {
  private static final PeakAnswer ANSWER =
      new PeakQuestion(Grouping.USUAL, CategoryRules.NONE)
          .ask(SmallProgram.asked(Conditions.RECORDED));

  @Test
  void thePeakIsTheFullestMomentOfTheHighestReservation() {
    assertEquals(4, ANSWER.at().moment().requestIndex());
    assertEquals(SmallProgram.RESERVED_BYTES, ANSWER.at().moment().bytes().reservedBytes());
    assertEquals(SmallProgram.ALLOCATED_BYTES, ANSWER.at().moment().bytes().allocatedBytes());
    assertEquals(SmallProgram.REQUESTED_BYTES, ANSWER.at().moment().bytes().requestedBytes());
  }

  @Test
  void withoutStacksBlocksAreGroupedBySizeLargestFirst() {
    assertEquals(LiveSet.By.SIZE, ANSWER.live().by());
    assertEquals(
        List.of(32 * MIB, 12 * MIB, 4 * MIB, 1024L),
        ANSWER.live().groups().stream().map(LiveSet.Group::blockBytes).toList());
    assertEquals(SmallProgram.ALLOCATED_BYTES, ANSWER.live().allocated().blockBytes());
  }

  @Test
  void categoriesAddUpToWhatIsAllocated() {
    assertEquals(
        SmallProgram.ALLOCATED_BYTES,
        ANSWER.categories().rows().stream().mapToLong(row -> row.group().blockBytes()).sum());
  }
}
