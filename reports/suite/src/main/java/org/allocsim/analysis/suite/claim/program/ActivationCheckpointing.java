package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;

/** Activations that are computed again. */
public final class ActivationCheckpointing implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "activation-checkpointing",
        Kind.CLAIM,
        "gradient checkpointing trades computation for memory",
        "article 'What causes fluctuating GPU utilization and high memory consumption "
            + "in PyTorch?'; docs of torch.utils.checkpoint",
        "A GPT-2 of 6 layers, batches of 8 sequences. Before: all activations are kept; "
            + "after: each block is computed again in the backward pass.");
  }

  @Override
  public List<Variant> variants() {
    Variant kept = Variant.of("kept", GptTraining.of(Map.of())).capacity(80 * GIB);
    return List.of(
        kept, kept.named("computed again").running(GptTraining.of(Map.of("checkpoint", "true"))));
  }

  @Override
  public Findings judge(Outcome kept, Outcome again, Outcomes outcomes) {
    double longer =
        (double) again.time().compute().totalNanos() / kept.time().compute().totalNanos();
    return Findings.ofClaim()
        .shows(kept.peakAllocatedBytes(), again.peakAllocatedBytes())
        .tried(again.peakAllocatedBytes() < kept.peakAllocatedBytes() && longer > 1)
        .documented(Verdict.TRUE)
        .between("kernel time relative to no checkpointing", 1.05, 1.5, longer)
        .conclude(
            "The peak drops from {} to {}, and kernels take {} times as long.",
            kept.peakAllocatedBytes(),
            again.peakAllocatedBytes(),
            String.format(Locale.ROOT, "%.2f", longer));
  }
}
