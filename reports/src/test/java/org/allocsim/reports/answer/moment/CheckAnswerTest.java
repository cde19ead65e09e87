package org.allocsim.reports.answer.moment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.tuning.LimitCheck;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.moment.CheckQuestion;
import org.junit.jupiter.api.Test;

class CheckAnswerTest {
  private static CheckAnswer check(long reservedBytes, long allocatedBytes) {
    return new CheckQuestion(reservedBytes, allocatedBytes, null, null, true)
        .ask(SmallProgram.asked(Conditions.RECORDED));
  }

  @Test
  void aFigureThatEqualsItsLimitKeepsIt() {
    CheckAnswer answer = check(SmallProgram.RESERVED_BYTES, SmallProgram.ALLOCATED_BYTES);
    assertTrue(answer.holds());
    assertEquals(
        List.of(SmallProgram.RESERVED_BYTES, SmallProgram.ALLOCATED_BYTES, 0L),
        answer.checks().stream().map(LimitCheck::actual).toList());
  }

  @Test
  void oneByteMoreThanALimitIsTooMuch() {
    assertFalse(check(SmallProgram.RESERVED_BYTES - 1, SmallProgram.ALLOCATED_BYTES).holds());
    assertFalse(check(SmallProgram.RESERVED_BYTES, SmallProgram.ALLOCATED_BYTES - 1).holds());
  }
}
