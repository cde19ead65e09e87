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
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;

/** What a split limit does to large blocks. */
public final class SplitLimitCutsSlabs implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "split-limit-cuts-slabs",
        Kind.CLAIM,
        "max_split_size_mb cuts big slabs into pieces of that size",
        "answers in public threads; CUDA notes (it forbids splitting blocks above the " + "limit)",
        "10 GiB are allocated and freed, then 30 tensors of 100 MiB are created. Before:"
            + " default; after: max_split_size_mb:200.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain = Variant.of("default", program()).capacity(80 * GIB);
    return List.of(plain, plain.under("max_split_size_mb:200"));
  }

  private static AllocationTrace program() {
    Requests program = new Requests();
    program.use(10 * GIB);
    for (int i = 0; i < 30; i++) {
      program.allocate(100 * MIB);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome limited, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(whole(plain), whole(limited))
        .tried(limited.end().slack().releasableBytes() < 10 * GIB)
        .documented(Verdict.WRONG)
        .bytes("wholly free segments by default", 0, plain.end().slack().releasableBytes())
        .bytes("reserved with the limit", 10 * GIB + 30 * 100 * MIB, limited.peakReservedBytes())
        .conclude(
            "With the limit the free segment of 10 GiB stays whole ({} releasable) and the"
                + " tensors get their own segments; without it they are carved out of the large"
                + " one, which leaves {} stuck.",
            limited.end().slack().releasableBytes(),
            plain.end().slack().stuckBytes());
  }

  private static String whole(Outcome outcome) {
    return ByteFormat.human(outcome.end().slack().releasableBytes()) + " whole";
  }
}
