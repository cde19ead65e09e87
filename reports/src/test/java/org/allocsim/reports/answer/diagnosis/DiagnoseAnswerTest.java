package org.allocsim.reports.answer.diagnosis;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.util.Objects;
import org.allocsim.analysis.diagnosis.Diagnosis;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.tuning.DiagnoseQuestion;
import org.junit.jupiter.api.Test;

class DiagnoseAnswerTest {
  private static DiagnosedProgram within(long limitBytes) throws IOException {
    Conditions limited = Conditions.RECORDED.within(new Conditions.Limit.Size(limitBytes));
    return Objects.requireNonNull(
        DiagnoseQuestion.USUAL.ask(SmallProgram.asked(limited)).program());
  }

  @Test
  void theRequestThatFailsAndWhatIsHeldThenAreNamed() throws IOException {
    Diagnosis diagnosis = within(SmallProgram.NEEDED_BYTES - 1).diagnosis();
    assertEquals(32 * MIB, Objects.requireNonNull(diagnosis.moment().failure()).requestedBytes());
    assertEquals(16 * MIB + 1024, diagnosis.moment().bytes().allocatedBytes());
    // What was cached has been released.
    assertEquals(22 * MIB, diagnosis.moment().bytes().reservedBytes());
  }

  @Test
  void aProgramThatFitsIsLookedAtAtItsPeak() throws IOException {
    Diagnosis diagnosis = within(SmallProgram.NEEDED_BYTES).diagnosis();
    assertNull(diagnosis.moment().failure());
    assertEquals(SmallProgram.NEEDED_BYTES, diagnosis.moment().bytes().reservedBytes());
    assertEquals(SmallProgram.ALLOCATED_BYTES, diagnosis.moment().bytes().allocatedBytes());
  }
}
