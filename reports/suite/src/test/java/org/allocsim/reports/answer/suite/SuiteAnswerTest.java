package org.allocsim.reports.answer.suite;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.PolicyScores;
import org.allocsim.analysis.suite.Suite;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.reports.answer.AnswerFigures;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

/**
 * A program that asks for 30 MiB, marks the moment, gives them back and asks for 40 MiB. PyTorch
 * has a segment for each and keeps the first until the GPU is full; without a cache 40 MiB are
 * enough.
 */
class SuiteAnswerTest {
  private static final long MIB = 1L << 20;

  /** The program on a roomy GPU and on a small one, which is expected to reserve so much. */
  private record Twice(String name, long smallBytes, long expectedBytes) implements SuiteScenario {
    @Override
    public Topic topic() {
      return new Topic(name, Kind.FAILURE, "a cache", "a test", "It asks for more each time.");
    }

    @Override
    public List<Variant> variants() {
      AllocationTrace.Builder program = new AllocationTrace.Builder();
      program.at(0, 0, StackTable.NONE);
      int first = program.allocate(30 * MIB, 0, PoolId.DEFAULT);
      program.markerBegin("held");
      program.markerEnd("held");
      program.free(first);
      program.allocate(40 * MIB, 0, PoolId.DEFAULT);
      Variant roomy = Variant.of("roomy", program.build(StackTable.empty()));
      return List.of(roomy, roomy.named("small").capacity(smallBytes));
    }

    @Override
    public Findings judge(Outcome before, Outcome after, Outcomes outcomes) {
      return Findings.ofFailure()
          .bytes("reserved", expectedBytes, before.peakReservedBytes())
          .count("retries", 1, after.stat("num_alloc_retries"))
          .conclude("It is so.");
    }
  }

  private static AnswerFigures figures(SuiteScenario... scenarios) {
    return AnswerFigures.of(
        new SuiteAnswer(List.of(scenarios).stream().map(Suite::run).toList()).document(true));
  }

  @Test
  void eachVariantHasItsFiguresAndMoments() {
    AnswerFigures answer = figures(new Twice("twice", 69 * MIB, 70 * MIB));
    answer.is("/scenarios/0/variants/0/label", "roomy");
    answer.is("/scenarios/0/variants/0/peak_requested_bytes", 40 * MIB);
    answer.is("/scenarios/0/variants/0/peak_allocated_bytes", 40 * MIB);
    answer.is("/scenarios/0/variants/0/peak_reserved_bytes", 70 * MIB);
    answer.is("/scenarios/0/variants/0/driver_calls", 2);
    answer.has("/scenarios/0/variants/0/moments", 1);
    answer.is("/scenarios/0/variants/0/moments/0/name", "held");
    answer.is("/scenarios/0/variants/0/moments/0/allocated_bytes", 30 * MIB);
    answer.is("/scenarios/0/variants/0/moments/0/reserved_bytes", 30 * MIB);
    answer.isMissing("/scenarios/0/variants/0/limit_bytes");
    answer.is("/scenarios/0/variants/1/device_bytes", 69 * MIB);
    answer.is("/scenarios/0/variants/1/passes", true);
    // It gives the 30 MiB back before it asks again.
    answer.is("/scenarios/0/variants/1/peak_reserved_bytes", 40 * MIB);
    answer.is("/scenarios/0/variants/1/driver_calls", 4);
    answer.is("/scenarios/0/variants/1/moments/0/device_free_bytes", 39 * MIB);
  }

  @Test
  void aScenarioPassesWithAllOfItsChecks() {
    AnswerFigures answer =
        figures(new Twice("right", 69 * MIB, 70 * MIB), new Twice("wrong", 69 * MIB, 71 * MIB));
    answer.says("2 scenarios, 4 checks: 1 of the scenarios fail");
    answer.is("/passes", false);
    answer.is("/scenarios/0/passes", true);
    answer.is("/scenarios/1/passes", false);
    answer.is("/scenarios/1/checks/0/passes", false);
    answer.is("/scenarios/1/checks/1/passes", true);
  }

  @Test
  void aVariantThatRunsOutOfMemoryHasItsFailure() {
    AnswerFigures answer = figures(new Twice("full", 39 * MIB, 70 * MIB));
    answer.is("/scenarios/0/variants/1/passes", false);
    answer.is("/scenarios/0/variants/1/failed_requests", 1);
    answer.is("/scenarios/0/variants/1/peak_reserved_bytes", 30 * MIB);
  }

  /** The first variants: PyTorch reserves 70 MiB of which the program asks for 40. */
  @Test
  void aScoreIsWhatWasAskedForOfWhatWasReserved() {
    AnswerFigures scores =
        AnswerFigures.of(
            new SuiteScoresAnswer(
                    PolicyScores.of(
                        List.of(new Twice("twice", 69 * MIB, 70 * MIB)),
                        List.of(PolicyChoice.parse("pytorch"), PolicyChoice.parse("direct")),
                        (_, _) -> {}))
                .document());
    scores.is("/scenarios/0", "twice");
    scores.is("/policies/0/policy", "direct");
    scores.is("/policies/0/score", 1.0);
    scores.is("/policies/0/results/0/peak_reserved_bytes", 40 * MIB);
    scores.is("/policies/1/policy", "pytorch");
    scores.is("/policies/1/score", 40.0 / 70);
    scores.is("/policies/1/served", 1);
    scores.is("/policies/1/results/0/peak_requested_bytes", 40 * MIB);
    scores.is("/policies/1/results/0/peak_reserved_bytes", 70 * MIB);
  }
}
