package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.HashMap;
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
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.Programs;

/** Backward passes without clearing gradients. */
public final class GradientsWithoutZeroGrad implements SuiteScenario {
  private static final String CLEARED = "cleared each step";

  /** A scenario; the service loader makes it. */
  public GradientsWithoutZeroGrad() {}

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
        Variant.of("2 passes", train(Map.of("iterations", "1", "accumulate", "2")))
            .capacity(80 * GIB);
    return List.of(
        two,
        two.named("20 passes").running(train(Map.of("iterations", "1", "accumulate", "20"))),
        two.named(CLEARED).running(train(Map.of("iterations", "20"))));
  }

  private static AllocationTrace train(Map<String, String> options) {
    Map<String, String> all =
        new HashMap<>(
            Map.of(
                "iterations", "3",
                "batch", "8",
                "shortest", "256",
                "longest", "256"));
    all.putAll(options);
    return Programs.generate("gpt", all, 1);
  }

  @Override
  public Findings judge(Outcomes outcomes) {
    Outcome two = outcomes.before();
    Outcome twenty = outcomes.after();
    Outcome cleared = outcomes.of(CLEARED);
    return Findings.ofClaim()
        .shows(
            ByteFormat.human(two.peakAllocatedBytes()),
            ByteFormat.human(twenty.peakAllocatedBytes()))
        .tried(twenty.peakAllocatedBytes() > two.peakAllocatedBytes())
        .documented(Verdict.WRONG)
        .bytes(
            "peak of 20 passes: that of 2", two.peakAllocatedBytes(), twenty.peakAllocatedBytes())
        .conclude(
            "Gradients are added in place: 20 backward passes without zero_grad() hold "
                + ByteFormat.human(twenty.peakAllocatedBytes())
                + " at the peak, as 2 do. What is wrong then is the result, not the memory;"
                + " clearing them each step peaks at "
                + ByteFormat.human(cleared.peakAllocatedBytes())
                + ".");
  }
}
