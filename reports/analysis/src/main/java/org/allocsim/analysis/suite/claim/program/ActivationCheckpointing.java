package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.HashMap;
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
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.Programs;

/** Activations that are computed again. */
public final class ActivationCheckpointing implements SuiteScenario {
  /** A scenario; the service loader makes it. */
  public ActivationCheckpointing() {}

  @Override
  public Topic topic() {
    return new Topic(
        "activation-checkpointing",
        Kind.CLAIM,
        "gradient checkpointing saves memory for computation",
        "article 'What causes fluctuating GPU utilization and high memory consumption "
            + "in PyTorch?'; docs of torch.utils.checkpoint",
        "A GPT-2 of 6 layers, batches of 8 sequences. Before: all activations are kept; "
            + "after: each block is computed again in the backward pass.");
  }

  @Override
  public List<Variant> variants() {
    Variant kept = Variant.of("kept", train(Map.of())).capacity(80 * GIB);
    return List.of(kept, kept.named("computed again").running(train(Map.of("checkpoint", "true"))));
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
    Outcome kept = outcomes.before();
    Outcome again = outcomes.after();
    double longer =
        (double) again.time().compute().totalNanos() / kept.time().compute().totalNanos();
    return Findings.ofClaim()
        .shows(
            ByteFormat.human(kept.peakAllocatedBytes()),
            ByteFormat.human(again.peakAllocatedBytes()))
        .tried(again.peakAllocatedBytes() < kept.peakAllocatedBytes() && longer > 1)
        .documented(Verdict.TRUE)
        .between("time of kernels, over that without", 1.05, 1.5, longer)
        .conclude(
            "The peak falls from "
                + ByteFormat.human(kept.peakAllocatedBytes())
                + " to "
                + ByteFormat.human(again.peakAllocatedBytes())
                + ", and kernels take "
                + String.format(Locale.ROOT, "%.2f", longer)
                + " times as long.");
  }
}
