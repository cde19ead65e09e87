package org.allocsim.reports.answer.part;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.replay.ReplayQuestion;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.run.RunResult;
import org.junit.jupiter.api.Test;

/** A program that reserves 84 MiB, where allocators can have little more. */
class MarginTest {
  private static final NextCommand NEXT = NextCommand.of("run.jsonl", Conditions.RECORDED, null);

  /** What is said where the limit is between two sizes. */
  private static List<String> margin(long fromMib, long toMib) throws IOException {
    RunResult result = ReplayQuestion.USUAL.ask(SmallProgram.asked(Conditions.RECORDED)).result();
    assertEquals(SmallProgram.RESERVED_BYTES, result.peakReservedBytes());
    RecordedConditions conditions =
        new RecordedConditions(
            toMib * MIB, fromMib * MIB, DeviceProfiles.defaultProfile(), true, List.of());
    return Margin.sentences(result, conditions, Optional.empty(), NEXT).stream()
        .map(Object::toString)
        .toList();
  }

  @Test
  void whatIsLeftIsSaidInParts() throws IOException {
    assertEquals(List.of("It leaves 28.00 MiB of 112.00 MiB (25.0 %)."), margin(112, 112));
  }

  @Test
  void lessThanAFiftiethIsTight() throws IOException {
    assertEquals(List.of("It leaves 2.00 MiB of 86.00 MiB (2.3 %)."), margin(86, 86));
    assertEquals(
        List.of(
            "It leaves only 1.00 MiB of 85.00 MiB (1.2 %): a slightly larger program may fail;"
                + " 'allocsim perturb run.jsonl' tries fifty."),
        margin(85, 85));
  }

  @Test
  void aLimitThatMayBeBelowThePeakIsSaid() throws IOException {
    assertEquals(1, margin(84, 112).size());
    assertEquals(
        List.of(
            "It leaves 28.00 MiB of 112.00 MiB (25.0 %).",
            "The recording shows only that its limit was between 83.00 MiB and 112.00 MiB; pass it"
                + " with --memory-limit or --memory-fraction."),
        margin(83, 112));
  }
}
