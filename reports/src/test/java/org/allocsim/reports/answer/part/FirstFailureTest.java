package org.allocsim.reports.answer.part;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.replay.ReplayQuestion;
import org.allocsim.simulator.run.RunResult;
import org.junit.jupiter.api.Test;

class FirstFailureTest {
  @Test
  void theRequestIsNamedByItsNumberWhereTheTraceHasNoLines() throws IOException {
    Conditions limited =
        Conditions.RECORDED.within(new Conditions.Limit.Size(SmallProgram.NEEDED_BYTES - 1));
    RunResult result = ReplayQuestion.USUAL.ask(SmallProgram.asked(limited)).result();
    assertEquals("request 4 fails to get 32.00 MiB", FirstFailure.fails(result).toString());
    assertEquals(
        "at request 4 (32.00 MiB)",
        FirstFailure.at(result.firstFailure().orElseThrow()).toString());
  }

  @Test
  void whatDoesNotFailHasNoPlace() {
    assertEquals("no", FirstFailure.at(null).toString());
  }
}
