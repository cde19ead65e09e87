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
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.trace.AllocationTrace;

/** Small and large requests side by side. */
public final class SmallAllocations implements SuiteScenario {
  private static final String SURVIVORS = "every other small one stays";

  @Override
  public Topic topic() {
    return new Topic(
        "small-allocations",
        Kind.CLAIM,
        "frequent small allocations fragment memory",
        "article 'What causes fluctuating GPU utilization and high memory consumption "
            + "in PyTorch?'; article 'PyTorch Memory Management Overview'; article 'Why is "
            + "PyTorch only using 15GB of memory on a device with more available?'; "
            + "pytorch/pytorch#17120 (small requests have segments of their own)",
        "Before: 100 000 requests of up to 1 MiB come and go, 500 of them live at a time; after:"
            + " 50 large blocks of different sizes, 100 to 590 MiB, are freed, each followed by"
            + " a long-lived block of 55 % of its size. Also: 4 096 blocks of 512 KiB, every"
            + " other one of them long-lived.");
  }

  @Override
  public List<Variant> variants() {
    Variant small = Variant.of("small ones", small()).capacity(80 * GIB);
    return List.of(
        small,
        small.named("large ones with survivors").running(large()),
        small.named(SURVIVORS).running(survivors()));
  }

  private static AllocationTrace small() {
    Requests program = new Requests();
    SplittableRandom random = new SplittableRandom(12);
    int[] live = new int[500];
    for (int i = 0; i < 100_000; i++) {
      int place = random.nextInt(live.length);
      if (i >= live.length) {
        program.free(live[place]);
        live[place] = program.allocate(random.nextLong(512, MIB + 1));
      } else {
        live[i] = program.allocate(random.nextLong(512, MIB + 1));
      }
    }
    program.emptyCache();
    return program.build();
  }

  private static AllocationTrace large() {
    Requests program = new Requests();
    List<Integer> gone = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      gone.add(program.allocate(sizeBytes(i)));
    }
    program.freeAll(gone);
    for (int i = 0; i < 50; i++) {
      program.allocate(sizeBytes(i) * 11 / 20);
    }
    program.emptyCache();
    return program.build();
  }

  private static long sizeBytes(int i) {
    return (100 + 10L * i) * MIB;
  }

  private static AllocationTrace survivors() {
    Requests program = new Requests();
    List<Integer> gone = new ArrayList<>();
    for (int i = 0; i < 2048; i++) {
      program.allocate(MIB / 2);
      gone.add(program.allocate(MIB / 2));
    }
    program.freeAll(gone);
    program.emptyCache();
    return program.build();
  }

  @Override
  public Findings judge(Outcome small, Outcome large, Outcomes outcomes) {
    Outcome survivors = outcomes.of(SURVIVORS);
    return Findings.ofClaim()
        .shows(stuck(small), stuck(large))
        .tried(small.end().slackBytes() > small.end().allocatedBytes() / 4)
        .tried(survivors.end().slackBytes() > survivors.end().allocatedBytes() / 4)
        .documented(Verdict.PARTLY_TRUE)
        .holds("small ones leave less than 64 MiB stuck", small.end().slackBytes() < 64 * MIB)
        .holds("large ones leave more than 1 GiB stuck", large.end().slackBytes() > GIB)
        .conclude(
            "Requests of up to 1 MiB share 2 MiB segments, and short-lived ones reuse the space:"
                + " {} stuck after 100 000 of them. Large blocks of varying sizes, each replaced"
                + " by a smaller survivor, leave {} stuck. Small blocks do harm only if some"
                + " survive in every segment ({} here).",
            stuck(small),
            stuck(large),
            stuck(survivors));
  }

  private static String stuck(Outcome outcome) {
    return ByteFormat.human(outcome.end().slackBytes()) + " stuck";
  }
}
