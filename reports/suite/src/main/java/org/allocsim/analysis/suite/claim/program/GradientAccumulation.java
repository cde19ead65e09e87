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

/** Micro-batches instead of a large batch. */
public final class GradientAccumulation implements SuiteScenario {
  private static final String SMALL = "batch of 8";

  @Override
  public Topic topic() {
    return new Topic(
        "gradient-accumulation",
        Kind.CLAIM,
        "gradient accumulation lowers memory",
        "article 'Is PyTorch CUDA exceeding available GPU memory?'; article 'What "
            + "causes fluctuating GPU utilization and high memory consumption in PyTorch?'",
        "A GPT-2 of 6 layers. Before: batches of 32 sequences; after: four "
            + "micro-batches of 8 for each step. Also: batches of 8 without accumulation.");
  }

  @Override
  public List<Variant> variants() {
    Variant whole =
        Variant.of("batch of 32", GptTraining.of(Map.of("batch", "32"))).capacity(80 * GIB);
    return List.of(
        whole,
        whole.named("4 times 8").running(GptTraining.of(Map.of("accumulate", "4"))),
        whole.named(SMALL).running(GptTraining.of(Map.of())));
  }

  @Override
  public Findings judge(Outcome whole, Outcome parts, Outcomes outcomes) {
    Outcome small = outcomes.of(SMALL);
    return Findings.ofClaim()
        .shows(whole.peakAllocatedBytes(), parts.peakAllocatedBytes())
        .tried(parts.peakAllocatedBytes() < whole.peakAllocatedBytes())
        .documented(Verdict.TRUE)
        .holds(
            "less than half of the large batch",
            2 * parts.peakAllocatedBytes() < whole.peakAllocatedBytes())
        .holds(
            "more than the micro-batch alone: gradients live through all of them",
            parts.peakAllocatedBytes() > small.peakAllocatedBytes())
        .conclude(
            "Activations are those of the micro-batch: {} instead of {}. Training on the"
                + " micro-batch alone needs {}, because its gradients do not stay alive through"
                + " the next forward pass.",
            parts.peakAllocatedBytes(),
            whole.peakAllocatedBytes(),
            small.peakAllocatedBytes());
  }
}
