package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Work;

/** Time that the allocator takes. */
public final class AllocationCausesFluctuation implements SuiteScenario {
  private static final int STEPS = 200;
  private static final long TIGHT_BYTES = Requests.gib(6.2);

  @Override
  public Topic topic() {
    return new Topic(
        "allocation-causes-fluctuation",
        Kind.CLAIM,
        "fluctuating utilisation is time spent managing memory",
        "article 'What causes fluctuating GPU utilization and high memory consumption "
            + "in PyTorch?' (its third part); CUDA semantics notes",
        "A step computes for 10 ms on ten tensors of 100 to 500 MiB. Before: on an ample GPU;"
            + " after: on one that is just large enough, with max_split_size_mb:64. The figure"
            + " shown is the fraction of time spent in driver calls, waits included.");
  }

  @Override
  public List<Variant> variants() {
    Variant ample = Variant.of("ample GPU", steps()).capacity(80 * GIB);
    return List.of(
        ample,
        ample.under("max_split_size_mb:64").named("tight GPU, split limit").capacity(TIGHT_BYTES));
  }

  private static AllocationTrace steps() {
    Requests program = new Requests();
    SplittableRandom random = new SplittableRandom(3);
    program.allocate(2 * GIB);
    for (int step = 0; step < STEPS; step++) {
      List<Integer> kept = new ArrayList<>();
      for (int layer = 0; layer < 10; layer++) {
        kept.add(program.allocate(random.nextLong(100 * MIB, 500 * MIB)));
        program.launch(new Work.Timed(1_000_000));
      }
      program.freeAll(kept);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome ample, Outcome tight, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(share(ample), share(tight))
        .tried(lost(ample) > 0.02)
        .tried(lost(tight) > 0.02)
        .documented(Verdict.PARTLY_TRUE)
        .holds("both serve every request", ample.passes() && tight.passes())
        .conclude(
            "With enough memory the allocator serves from its cache, and {} of the GPU's time is"
                + " lost. On a tight GPU with a split limit it frees and reallocates segments"
                + " over and over ({} calls per step), and {} is lost.",
            Numbers.percent(lost(ample)),
            Numbers.count(tight.memoryCalls() / STEPS),
            Numbers.percent(lost(tight)));
  }

  /** Part of the time in which the GPU did not compute. */
  private static double lost(Outcome outcome) {
    return 1 - outcome.time().utilisation();
  }

  private static String share(Outcome outcome) {
    return Numbers.percent(lost(outcome)) + " lost";
  }
}
