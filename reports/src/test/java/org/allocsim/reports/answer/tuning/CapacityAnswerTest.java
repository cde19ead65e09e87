package org.allocsim.reports.answer.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.tuning.CapacitySearch;
import org.allocsim.reports.answer.AnswerFigures;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.tuning.CapacityQuestion;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;

class CapacityAnswerTest {
  @Test
  void cachedSegmentsAreNotNeeded() {
    CapacityAnswer answer =
        new CapacityQuestion(List.of(PolicyChoice.parse("pytorch")), List.of(""))
            .ask(SmallProgram.asked(Conditions.RECORDED));
    CapacitySearch.Result result = answer.results().getFirst();
    assertEquals(SmallProgram.NEEDED_BYTES, result.capacityBytes());
    assertEquals(SmallProgram.RESERVED_BYTES, result.ample().peakReservedBytes());
    assertEquals(1, answer.results().size());
    assertTrue(answer.skipped().isEmpty());
  }

  @Test
  void everyGpuIsListed() {
    AnswerFigures figures =
        AnswerFigures.of(
            new CapacityQuestion(List.of(PolicyChoice.parse("pytorch")), List.of(""))
                .ask(SmallProgram.asked(Conditions.RECORDED))
                .document(false));
    int gpus = ShippedProfiles.all().size();
    figures.is("/gpus/" + (gpus - 1) + "/name", "b200");
    int others = ShippedProfiles.others().size();
    figures.is("/other_gpus/" + (others - 1) + "/name", "mi355x");
  }
}
