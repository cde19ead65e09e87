package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.List;
import java.util.Map;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;

/** Backward passes without clearing gradients. */
public final class GradientsWithoutZeroGrad implements SuiteScenario {
  private static final String CLEARED = "cleared each step";

  @Override
  public Topic topic() {
    return new Topic(
        "gradients-without-zero-grad",
        Kind.CLAIM,
        "forgetting zero_grad makes memory grow each step",
        "article 'PyTorch Memory Management Overview'; docs of zero_grad (gradients add "
            + "in place)",
        "A GPT-2 of 6 layers. Before: 2 backward passes without zero_grad(); after: 20. "
            + "Also: 20 steps that clear their gradients each time.");
  }

  @Override
  public List<Variant> variants() {
    Variant two =
        Variant.of("2 passes", GptTraining.of(Map.of("iterations", "1", "accumulate", "2")))
            .capacity(80 * GIB);
    return List.of(
        two,
        two.named("20 passes")
            .running(GptTraining.of(Map.of("iterations", "1", "accumulate", "20"))),
        two.named(CLEARED).running(GptTraining.of(Map.of("iterations", "20"))));
  }

  @Override
  public Findings judge(Outcome two, Outcome twenty, Outcomes outcomes) {
    Outcome cleared = outcomes.of(CLEARED);
    return Findings.ofClaim()
        .shows(two.peakAllocatedBytes(), twenty.peakAllocatedBytes())
        .tried(twenty.peakAllocatedBytes() > two.peakAllocatedBytes())
        .documented(Verdict.WRONG)
        .bytes(
            "peak of 20 passes: that of 2", two.peakAllocatedBytes(), twenty.peakAllocatedBytes())
        .conclude(
            "Gradients are accumulated in place: 20 backward passes without zero_grad() peak at"
                + " {}, the same as 2. The result is wrong, but memory does not grow; clearing"
                + " the gradients at each step peaks at {}.",
            twenty.peakAllocatedBytes(),
            cleared.peakAllocatedBytes());
  }
}
