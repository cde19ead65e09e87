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

/** Training under autocast. */
public final class MixedPrecision implements SuiteScenario {
  private static final String TINY = "16 tokens";
  private static final String TINY_CAST = "16 tokens, autocast";

  /** A scenario; the service loader makes it. */
  public MixedPrecision() {}

  @Override
  public Topic topic() {
    return new Topic(
        "mixed-precision",
        Kind.CLAIM,
        "AMP always saves memory",
        "article 'PyTorch Memory Management Overview'; pytorch/pytorch#85698 (a cast of "
            + "an expanded tensor)",
        "A GPT-2 of 6 layers. Before: batches of 16 sequences of 256 tokens in single "
            + "precision; after: under autocast. Also: one sequence of 16 tokens.");
  }

  @Override
  public List<Variant> variants() {
    Variant single = Variant.of("fp32", train(Map.of("batch", "16"))).capacity(80 * GIB);
    return List.of(
        single,
        single.named("autocast").running(train(Map.of("batch", "16", "amp", "bfloat16"))),
        single.named(TINY).running(train(Map.of("batch", "1", "shortest", "16", "longest", "16"))),
        single
            .named(TINY_CAST)
            .running(
                train(Map.of("batch", "1", "shortest", "16", "longest", "16", "amp", "bfloat16"))));
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
    Outcome single = outcomes.before();
    Outcome cast = outcomes.after();
    Outcome tiny = outcomes.of(TINY);
    Outcome tinyCast = outcomes.of(TINY_CAST);
    return Findings.ofClaim()
        .shows(
            ByteFormat.human(single.peakAllocatedBytes()),
            ByteFormat.human(cast.peakAllocatedBytes()))
        .tried(cast.peakAllocatedBytes() < single.peakAllocatedBytes())
        .tried(tinyCast.peakAllocatedBytes() < tiny.peakAllocatedBytes())
        .documented(Verdict.PARTLY_TRUE)
        .conclude(
            "Activations shrink, from "
                + ByteFormat.human(single.peakAllocatedBytes())
                + " to "
                + ByteFormat.human(cast.peakAllocatedBytes())
                + " at the peak; but weights stay in single precision and are cast as well, so with"
                + " hardly any activations it is "
                + ByteFormat.human(tinyCast.peakAllocatedBytes())
                + " instead of "
                + ByteFormat.human(tiny.peakAllocatedBytes())
                + ".");
  }
}
