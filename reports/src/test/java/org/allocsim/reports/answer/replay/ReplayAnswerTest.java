package org.allocsim.reports.answer.replay;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.replay.ReplayQuestion;
import org.allocsim.simulator.run.RunResult;
import org.junit.jupiter.api.Test;

class ReplayAnswerTest {
  private static RunResult replay(Conditions conditions) throws IOException {
    return ReplayQuestion.USUAL.ask(SmallProgram.asked(conditions)).result();
  }

  private static RunResult within(long bytes) throws IOException {
    return replay(Conditions.RECORDED.within(new Conditions.Limit.Size(bytes)));
  }

  @Test
  void withoutALimitEverySegmentIsKept() throws IOException {
    RunResult result = replay(Conditions.RECORDED);
    assertEquals(SmallProgram.RESERVED_BYTES, result.peakReservedBytes());
    assertEquals(SmallProgram.ALLOCATED_BYTES, result.peakAllocatedBytes());
    assertEquals(4, result.driverCallsByFunction().get("cuMemAlloc"));
    assertEquals(0, result.stat("num_alloc_retries"));
  }

  @Test
  void cachedSegmentsAreReleasedBeforeARequestFails() throws IOException {
    RunResult result = within(SmallProgram.NEEDED_BYTES);
    assertTrue(result.passes());
    assertEquals(SmallProgram.NEEDED_BYTES, result.peakReservedBytes());
    assertEquals(1, result.stat("num_alloc_retries"));
    assertEquals(1, result.driverCallsByFunction().get("cuMemFree"));
  }

  @Test
  void aByteLessIsTooLittleForTheLastRequest() throws IOException {
    RunResult result = within(SmallProgram.NEEDED_BYTES - 1);
    assertEquals(1, result.failureCount());
    assertEquals(32 * MIB, result.firstFailure().orElseThrow().requestedBytes());
  }
}
