package org.allocsim.reports.answer.validation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.recording.VerifyQuestion;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerifyAnswerTest {
  private static final String FOLDER = "src/test/resources/recordings/single-steps/";

  @ParameterizedTest
  @ValueSource(strings = {"02-mlp-6-backward", "06-gpt-12-backward", "28-conv-48-forward"})
  void aRecordedStepIsRepeatedToItsEnd(String name) {
    AskedTrace trace = AskedTrace.ofName(FOLDER + name + ".pickle.xz", null, Conditions.RECORDED);
    VerifyAnswer answer = VerifyQuestion.USUAL.ask(new Asked(List.of(trace)));
    assertEquals(List.of(), answer.unreadable());
    assertEquals(1, answer.devices().size());
    VerifiedDevice device = answer.devices().getFirst();
    assertEquals(Optional.empty(), device.verification().firstDivergence());
    assertTrue(device.verification().eventsRecorded() > 0);
    assertEquals(device.verification().eventsRecorded(), device.verification().eventsMatched());
    assertEquals(List.of(), device.statisticsDifferences());
  }
}
