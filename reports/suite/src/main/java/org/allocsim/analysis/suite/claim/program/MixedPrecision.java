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

/** Training under autocast. */
public final class MixedPrecision implements SuiteScenario {
  private static final String TINY = "16 tokens";
  private static final String TINY_CAST = "16 tokens, autocast";

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
    Variant single = Variant.of("fp32", GptTraining.of(Map.of("batch", "16"))).capacity(80 * GIB);
    return List.of(
        single,
        single.named("autocast").running(GptTraining.of(Map.of("batch", "16", "amp", "bfloat16"))),
        single
            .named(TINY)
            .running(GptTraining.of(Map.of("batch", "1", "shortest", "16", "longest", "16"))),
        single
            .named(TINY_CAST)
            .running(
                GptTraining.of(
                    Map.of("batch", "1", "shortest", "16", "longest", "16", "amp", "bfloat16"))));
  }

  @Override
  public Findings judge(Outcome single, Outcome cast, Outcomes outcomes) {
    Outcome tiny = outcomes.of(TINY);
    Outcome tinyCast = outcomes.of(TINY_CAST);
    return Findings.ofClaim()
        .shows(single.peakAllocatedBytes(), cast.peakAllocatedBytes())
        .tried(cast.peakAllocatedBytes() < single.peakAllocatedBytes())
        .tried(tinyCast.peakAllocatedBytes() < tiny.peakAllocatedBytes())
        .documented(Verdict.PARTLY_TRUE)
        .conclude(
            "Activations shrink, which lowers the peak from {} to {}; but the weights stay in"
                + " single precision and get a cast copy as well, so with hardly any activations"
                + " the peak is {} instead of {}.",
            single.peakAllocatedBytes(),
            cast.peakAllocatedBytes(),
            tinyCast.peakAllocatedBytes(),
            tiny.peakAllocatedBytes());
  }
}
