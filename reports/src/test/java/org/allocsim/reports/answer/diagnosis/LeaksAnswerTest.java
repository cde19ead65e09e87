package org.allocsim.reports.answer.diagnosis;

import static org.allocsim.reports.answer.SmallProgram.MIB;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.LeakVerdict;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.SmallProgram;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.replay.LeaksQuestion;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;

class LeaksAnswerTest {
  private static final int STEPS = 30;

  private static LeakAnalysis analysis(long keptBytes) {
    return answer(keptBytes).analysis();
  }

  private static LeaksAnswer answer(long keptBytes) {
    Asked asked =
        new Asked(
            List.of(
                SmallProgram.trace(
                    Conditions.RECORDED,
                    program -> {
                      for (int step = 0; step < STEPS; step++) {
                        program.markerBegin("step");
                        int activation = program.allocate(8 * MIB, 0, PoolId.DEFAULT);
                        int kept = program.allocate(2 * MIB, 0, PoolId.DEFAULT);
                        program.free(activation);
                        if (keptBytes == 0) {
                          program.free(kept);
                        }
                        program.markerEnd("step");
                      }
                    })));
    return new LeaksQuestion(finder -> finder.byMarker("step"), null, null, false)
        .ask(asked)
        .answer();
  }

  @Test
  void anIntervalWithoutWidthIsNotTold() {
    String sentence =
        Objects.requireNonNull(answer(2 * MIB).document(false).verdict()).sentence().toString();
    assertTrue(sentence.contains("grows by 2.00 MiB per iteration"), sentence);
    assertTrue(!sentence.contains("interval"), sentence);
  }

  @Test
  void whatEachStepKeepsIsTheSlope() {
    LeakAnalysis analysis = analysis(2 * MIB);
    assertEquals(LeakVerdict.LEAK, analysis.verdict());
    assertEquals(2.0 * MIB, analysis.deciding().slope());
  }

  @Test
  void whatEachStepGivesBackIsNoLeak() {
    LeakAnalysis analysis = analysis(0);
    assertEquals(0.0, analysis.deciding().slope());
    // From one begin to the next, so that the last one is not whole.
    assertEquals(STEPS - 1, analysis.iterations().count());
  }
}
