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
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;

/** Memory that rises in steps, and memory that leaks. */
public final class PlateauIsALeak implements SuiteScenario {
  private static final String FIRST = "step 0";
  private static final String HALF = "step 100";
  private static final String LAST = "step 199";

  @Override
  public Topic topic() {
    return new Topic(
        "plateau-is-a-leak",
        Kind.CLAIM,
        "a step-by-step rise of memory is a leak",
        "KaijuML/data-to-text-hierarchical#7 (a plateau taken for a leak); article "
            + "'PyTorch Memory Management Overview' (rising memory over epochs)",
        "200 steps. Before: batches of random lengths, with new maximum lengths early on; after:"
            + " equal batches that leak 8 MiB each.");
  }

  @Override
  public List<Variant> variants() {
    Variant plateau = Variant.of("longer batches", steps(false)).capacity(80 * GIB);
    return List.of(plateau, plateau.named("survivors").running(steps(true)));
  }

  private static AllocationTrace steps(boolean leaks) {
    Requests program = new Requests();
    program.allocate(GIB);
    for (int step = 0; step < 200; step++) {
      long length = leaks ? 40 : Math.min(40, 20 + step / 2) - (step >= 60 ? step % 7 : 0);
      List<Integer> kept = new ArrayList<>();
      for (int layer = 0; layer < 10; layer++) {
        kept.add(program.allocate(length * MIB));
      }
      program.freeAll(kept);
      if (leaks) {
        program.allocate(8 * MIB);
      }
      program.mark("step " + step);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome plateau, Outcome leak, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(growth(plateau), growth(leak))
        .tried(liveGrowth(plateau) > 0)
        .documented(Verdict.WRONG)
        .holds(
            "reserved memory rises in the first half",
            plateau.at(HALF).reservedBytes() > plateau.at(FIRST).reservedBytes())
        .bytes(
            "and not in the second",
            plateau.at(HALF).reservedBytes(),
            plateau.at(LAST).reservedBytes())
        .bytes("live memory added by a leak in the second half", 99 * 8 * MIB, liveGrowth(leak))
        .conclude(
            "Reserved memory rises with each batch that is longer than all earlier ones, from {}"
                + " to {}, and then stays; live memory between steps never changes. A leak shows"
                + " up in live memory: {} more in the second half.",
            plateau.at(FIRST).reservedBytes(),
            plateau.at(HALF).reservedBytes(),
            liveGrowth(leak));
  }

  private static long liveGrowth(Outcome outcome) {
    return outcome.at(LAST).allocatedBytes() - outcome.at(HALF).allocatedBytes();
  }

  private static String growth(Outcome outcome) {
    return ByteFormat.human(liveGrowth(outcome)) + " live more";
  }
}
