package org.allocsim.reports.answer.moment;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.moment.DiffQuestion;
import org.allocsim.reports.question.moment.Grouping;
import org.junit.jupiter.api.Test;

class DiffAnswerTest {
  @Test
  void whatAProgramAsksForMoreIsNotTheAllocators() {
    Asked both =
        new Asked(
            List.of(
                SmallProgram.ending(32 * MIB, Conditions.RECORDED),
                SmallProgram.ending(40 * MIB, Conditions.RECORDED)));
    DiffAnswer answer = new DiffQuestion(Grouping.USUAL, CategoryRules.NONE).ask(both);
    assertEquals(8 * MIB, answer.difference().reservedBytes());
    assertEquals(8 * MIB, answer.difference().programBytes());
    assertEquals(0, answer.difference().allocatorBytes());
  }
}
