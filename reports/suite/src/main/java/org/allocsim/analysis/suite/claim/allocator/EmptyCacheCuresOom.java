package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.analysis.suite.failure.ArticleGpu;
import org.allocsim.simulator.trace.AllocationTrace;

/** Whether emptying the cache helps, and where. */
public final class EmptyCacheCuresOom implements SuiteScenario {
  private static final String WHOLE = "blocked by whole segments";
  private static final String WHOLE_CLEANED =
      "blocked by whole segments, empty_cache just" + " before";

  @Override
  public Topic topic() {
    return new Topic(
        "empty-cache-cures-oom",
        Kind.CLAIM,
        "empty_cache() cures out-of-memory errors",
        "article 'How can PyTorch effectively manage GPU memory?'; article 'PyTorch Memory"
            + " Management Overview'; docs of torch.cuda.empty_cache; discuss.pytorch.org 34232"
            + " (a maintainer: PyTorch does this before the error anyway)",
        "The GPU of scenario article-gpu. Before: empty_cache() right before the request that"
            + " fails; after: between the phases. Also: right before a request that whole cached"
            + " segments block.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain =
        Variant.of("default", ArticleGpu.program(ArticleGpu.Cleaning.NEVER))
            .capacity(ArticleGpu.GPU_BYTES);
    Variant whole = Variant.of(WHOLE, whole(false)).capacity(12 * GIB);
    return List.of(
        plain.named("just before").running(ArticleGpu.program(ArticleGpu.Cleaning.JUST_BEFORE)),
        plain
            .named("between the phases")
            .running(ArticleGpu.program(ArticleGpu.Cleaning.BETWEEN_PHASES)),
        plain,
        whole,
        whole.named(WHOLE_CLEANED).running(whole(true)));
  }

  private static AllocationTrace whole(boolean cleaned) {
    Requests program = new Requests();
    program.use(5 * GIB);
    program.use(5 * GIB + 2 * MIB);
    if (cleaned) {
      program.emptyCache();
    }
    program.allocate(8 * GIB);
    return program.build();
  }

  @Override
  public Findings judge(Outcome justBefore, Outcome between, Outcomes outcomes) {
    Outcome plain = outcomes.of("default");
    Outcome whole = outcomes.of(WHOLE);
    return Findings.ofClaim()
        .shows(Findings.reserved(justBefore), Findings.reserved(between))
        .tried(justBefore.passes() && !plain.passes())
        .tried(between.passes() && !plain.passes())
        .tried(outcomes.of(WHOLE_CLEANED).passes() && !whole.passes())
        .documented(Verdict.PARTLY_TRUE)
        .count("automatic retries that released the cache", 1, whole.stat("num_alloc_retries"))
        .conclude(
            "PyTorch releases every wholly free segment before it raises the error, so a call"
                + " just before changes nothing: the request {} either way, and a request that a"
                + " release can help is served without the call. Between two phases the call"
                + " helps, because it keeps the second phase out of the first phase's segments.",
            justBefore.passes() ? "passes" : "fails");
  }
}
