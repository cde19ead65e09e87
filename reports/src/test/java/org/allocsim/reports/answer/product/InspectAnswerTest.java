package org.allocsim.reports.answer.product;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.recording.InspectQuestion;
import org.junit.jupiter.api.Test;

class InspectAnswerTest {
  @Test
  void requestsAreCountedAsTheyWereMade() {
    InspectAnswer answer =
        new InspectQuestion(0, Long.MAX_VALUE, null, null, null)
            .ask(SmallProgram.asked(Conditions.RECORDED));
    assertEquals(1, answer.requests().size());
    TraceContents.Device device = answer.requests().getFirst();
    assertEquals(78 * MIB + 1000, device.requestedBytes());
    assertEquals(SmallProgram.REQUESTED_BYTES, device.peakLiveBytes());
    assertEquals(1, device.liveAtEnd());
    assertEquals(9, device.requests().values().stream().mapToLong(Long::longValue).sum());
  }
}
