package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
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

/** When memory of deleted tensors comes back. */
public final class CollectionIsDelayed implements SuiteScenario {
  private static final String KEPT = "del z only";
  private static final String DELETED = "del x, y and z";

  @Override
  public Topic topic() {
    return new Topic(
        "collection-is-delayed",
        Kind.CLAIM,
        "garbage collection delays the release of tensors",
        "article 'Why is PyTorch only using 15GB of memory on a device with more "
            + "available?'; article 'How can PyTorch effectively manage GPU memory?'; article "
            + "'What causes fluctuating GPU utilization and high memory consumption in "
            + "PyTorch?'; CPython (reference counts free at once, cycles wait for the "
            + "collector)",
        "100 steps allocate a tensor of 64 MiB each. Before: the last reference is dropped at"
            + " the end of the step; after: the tensors are in reference cycles, which the"
            + " collector frees every 20 steps.");
  }

  @Override
  public List<Variant> variants() {
    Variant counted = Variant.of("reference counts", steps(1)).capacity(16 * GIB);
    return List.of(
        counted,
        counted.named("reference cycles").running(steps(20)),
        counted.named(KEPT).running(kept(true)),
        counted.named(DELETED).running(kept(false)));
  }

  private static AllocationTrace steps(int collectEvery) {
    Requests program = new Requests();
    List<Integer> garbage = new ArrayList<>();
    for (int step = 1; step <= 100; step++) {
      garbage.add(program.allocate(64 * MIB));
      if (step % collectEvery == 0) {
        program.freeAll(garbage);
        garbage.clear();
      }
    }
    return program.build();
  }

  /** The article's product of two matrices of 10 000 by 10 000 and its sum. */
  private static AllocationTrace kept(boolean onlySum) {
    Requests program = new Requests();
    int x = program.allocate(10_000L * 10_000 * 4);
    int y = program.allocate(10_000L * 10_000 * 4);
    int z = program.allocate(4);
    program.free(z);
    if (!onlySum) {
      program.free(y);
      program.free(x);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome counted, Outcome cycles, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(Findings.reserved(counted), Findings.reserved(cycles))
        .tried(counted.peakReservedBytes() > 64 * MIB)
        .tried(cycles.peakReservedBytes() > 64 * MIB)
        .documented(Verdict.PARTLY_TRUE)
        .bytes("live tensors of 64 MiB in cycles", 20 * 64 * MIB, cycles.peakAllocatedBytes())
        .bytes(
            "kept alive by undeleted variables: the article's x and y",
            2 * 10_000L * 10_000 * 4,
            outcomes.of(KEPT).end().requestedBytes() - outcomes.of(DELETED).end().requestedBytes())
        .conclude(
            "A tensor is freed as soon as its last reference is dropped, without the garbage"
                + " collector: {} for 100 of them. Only objects in a reference cycle wait for"
                + " the collector ({}), and whatever a variable still refers to is not garbage"
                + " at all.",
            counted.peakReservedBytes(),
            cycles.peakReservedBytes());
  }
}
