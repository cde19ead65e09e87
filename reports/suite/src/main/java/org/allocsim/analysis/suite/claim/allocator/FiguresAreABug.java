package org.allocsim.analysis.suite.claim.allocator;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.analysis.suite.failure.ArticleGpu;

/** Whether an error beside cached memory is a defect. */
public final class FiguresAreABug implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "figures-are-a-bug",
        Kind.CLAIM,
        "failing with 2.5 GiB of cached memory must be a bug",
        "article 'PyTorch Memory Management Overview' (its error message); "
            + "pytorch/pytorch#13751 (what the figures mean)",
        "The GPU of scenario article-gpu. Before: the error; after: the same request "
            + "with max_split_size_mb:256.");
  }

  @Override
  public List<Variant> variants() {
    Variant gpu =
        Variant.of("default", ArticleGpu.program(ArticleGpu.Cleaning.NEVER))
            .capacity(ArticleGpu.GPU_BYTES);
    return List.of(gpu, gpu.under("max_split_size_mb:256"));
  }

  @Override
  public Findings judge(Outcome plain, Outcome after, Outcomes outcomes) {
    long missed = plain.end().slack().releasableBytes();
    return Findings.ofClaim()
        .shows(Findings.reserved(plain), Findings.reserved(after))
        .tried(missed > 0)
        .documented(Verdict.WRONG)
        .bytes(
            "cached memory in segments still in use",
            plain.end().slackBytes(),
            plain.end().slack().stuckBytes())
        .holds("another setting serves the request", after.passes())
        .conclude(
            "Of the {} that is cached, {} could have been released; the rest is in the tails of"
                + " 29 segments that are still in use, and a request cannot span two segments.",
            plain.end().slackBytes(),
            missed);
  }
}
