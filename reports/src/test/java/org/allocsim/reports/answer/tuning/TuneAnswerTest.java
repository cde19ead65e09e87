package org.allocsim.reports.answer.tuning;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.tuning.TuneQuestion;
import org.junit.jupiter.api.Test;

class TuneAnswerTest {
  private static final Tuning TUNING =
      TuneQuestion.USUAL.ask(SmallProgram.asked(Conditions.RECORDED)).answer().tuning();

  @Test
  void theRecordedSettingsComeToThePeakThatOtherAnswersState() {
    assertEquals(SmallProgram.RESERVED_BYTES, TUNING.before().peakReservedBytes());
  }

  /** 80 MiB in pages of 20, where 12 MiB lie in what was given back of the 30, and 2 MiB. */
  @Test
  void expandableSegmentsUseTheirRoomAgain() {
    Tuning.Entry expandable =
        TUNING.ranked().stream()
            .filter(each -> each.conf().equals("expandable_segments:True"))
            .findFirst()
            .orElseThrow();
    assertEquals(82 * MIB, expandable.result().peakReservedBytes());
    assertEquals(SmallProgram.ALLOCATED_BYTES, expandable.result().peakAllocatedBytes());
  }
}
