package org.allocsim.analysis.suite.claim.program;

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
import org.allocsim.simulator.trace.AllocationTrace;

/** Buffers that grow by concatenation. */
public final class CatGrowth implements SuiteScenario {
  private static final String GEOMETRIC = "capacities that grow by half";
  private static final int TENSORS = 56;
  private static final int STEPS = 59;
  private static final long FIRST_BYTES = 20 * MIB;
  private static final long STEP_BYTES = MIB / 2;

  private enum Growth {
    CAT,
    GEOMETRIC,
    PRESIZED
  }

  @Override
  public Topic topic() {
    return new Topic(
        "cat-growth",
        Kind.CLAIM,
        "torch.cat's temporaries inflate the peak",
        "article 'Is PyTorch CUDA exceeding available GPU memory?'; "
            + "ml-explore/mlx-lm#1038, foundation-model-stack#84 (growing KV caches)",
        "56 tensors of 20 MiB grow by 0.5 MiB 59 times, each time by a copy into a new tensor."
            + " Before: with torch.cat; after: every tensor has its final size from the start."
            + " Also: capacities that grow by half, and expandable segments.");
  }

  @Override
  public List<Variant> variants() {
    Variant cat = Variant.of("torch.cat", grow(Growth.CAT)).capacity(80 * GIB);
    return List.of(
        cat,
        cat.named("final size from the start").running(grow(Growth.PRESIZED)),
        cat.named(GEOMETRIC).running(grow(Growth.GEOMETRIC)),
        cat.under("expandable_segments:True"),
        cat.under("max_split_size_mb:64"),
        cat.named("one torch.cat").running(once()));
  }

  private static AllocationTrace grow(Growth growth) {
    Requests program = new Requests();
    int[] tensors = new int[TENSORS];
    long capacity = growth == Growth.PRESIZED ? FIRST_BYTES + STEPS * STEP_BYTES : FIRST_BYTES;
    for (int i = 0; i < TENSORS; i++) {
      tensors[i] = program.allocate(capacity);
    }
    for (int step = 1; step <= STEPS; step++) {
      long needed = FIRST_BYTES + step * STEP_BYTES;
      if (needed <= capacity) {
        continue;
      }
      capacity = growth == Growth.GEOMETRIC ? capacity + capacity / 2 : needed;
      for (int i = 0; i < TENSORS; i++) {
        int grown = program.allocate(capacity);
        program.free(tensors[i]);
        tensors[i] = grown;
      }
    }
    return program.build();
  }

  private static AllocationTrace once() {
    Requests program = new Requests();
    int left = program.allocate(GIB);
    int right = program.allocate(GIB);
    program.allocate(2 * GIB);
    program.free(left);
    program.free(right);
    return program.build();
  }

  @Override
  public Findings judge(Outcome cat, Outcome presized, Outcomes outcomes) {
    Outcome once = outcomes.of("one torch.cat");
    return Findings.ofClaim()
        .shows(Findings.reserved(cat), Findings.reserved(presized))
        .tried(once.peakAllocatedBytes() > once.end().allocatedBytes())
        .tried(cat.peakReservedBytes() > 2 * cat.peakAllocatedBytes())
        .documented(Verdict.TRUE)
        .gib("reserved by growing", "31.15", cat.peakReservedBytes())
        .gib("live at the end", "2.73", cat.end().allocatedBytes())
        .gib(
            "with max_split_size_mb:64",
            "31.15",
            outcomes.of("max_split_size_mb:64").peakReservedBytes())
        .gib(
            "with expandable segments",
            "3.11",
            outcomes.of("expandable_segments:True").peakReservedBytes())
        .holds(
            "capacities that grow by half reserve less than a third",
            3 * outcomes.of(GEOMETRIC).peakReservedBytes() < cat.peakReservedBytes())
        .conclude(
            "The old and the new tensor are live at the same time, a cost that a single"
                + " torch.cat pays once; in a loop every size is new as well, so no cached block"
                + " fits: {} is reserved for {} of live memory. Created at their final size the"
                + " tensors need {}, with capacities that grow by half {}.",
            cat.peakReservedBytes(),
            cat.peakAllocatedBytes(),
            presized.peakReservedBytes(),
            outcomes.of(GEOMETRIC).peakReservedBytes());
  }
}
