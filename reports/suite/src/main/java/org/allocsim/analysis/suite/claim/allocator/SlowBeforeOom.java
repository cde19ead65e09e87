package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.timing.Step;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Work;

/** How a program behaves before its GPU is full. */
public final class SlowBeforeOom implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "slow-before-oom",
        Kind.CLAIM,
        "a slow-down precedes out-of-memory errors",
        "article 'Is PyTorch CUDA exceeding available GPU memory?'; CUDA semantics notes (the"
            + " cache is released and the request retried)",
        "Steps of varying length whose live memory grows by 40 MiB each, on 8 GiB, until a request"
            + " fails, with max_split_size_mb:64. Before: varying sizes; after: equal sizes.");
  }

  @Override
  public List<Variant> variants() {
    Variant varying =
        Variant.of("varying sizes", steps(true))
            .capacity(8 * GIB)
            .under("max_split_size_mb:64")
            .named("varying sizes");
    return List.of(varying, varying.named("equal sizes").running(steps(false)));
  }

  private static AllocationTrace steps(boolean varies) {
    Requests program = new Requests();
    SplittableRandom random = new SplittableRandom(5);
    for (int step = 0; step < 300; step++) {
      program.beginStep("step");
      List<Integer> kept = new ArrayList<>();
      for (int layer = 0; layer < 10; layer++) {
        kept.add(program.allocate(varies ? random.nextLong(100 * MIB, 200 * MIB) : 150 * MIB));
        // The same for every size, so that only the allocator changes a step's time.
        program.launch(new Work.Timed(500_000));
      }
      program.freeAll(kept);
      program.allocate(40 * MIB);
      program.synchronize();
      program.endStep("step");
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome varying, Outcome equal, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(shown(varying), shown(equal))
        .tried(slowdown(varying) > 1.1)
        .tried(slowdown(equal) > 1.1)
        .documented(Verdict.PARTLY_TRUE)
        .holds("both run out of memory", !varying.passes() && !equal.passes())
        .conclude(
            String.format(
                Locale.ROOT,
                "With varying sizes the allocator frees and refills its cache more and more"
                    + " often as the GPU fills up (%d cudaMalloc calls): the last ten steps take"
                    + " %.1f times as long as the median step. With equal sizes there is no"
                    + " warning: they take %.1f times as long.",
                varying.calls(DriverCall.ALLOCATE),
                slowdown(varying),
                slowdown(equal)));
  }

  /** Time of the last ten whole steps over ten times that of the median step. */
  private static double slowdown(Outcome outcome) {
    List<Long> nanos = new ArrayList<>();
    List<Step> steps = outcome.time().steps();
    for (Step step : steps.subList(0, Math.max(0, steps.size() - 1))) {
      nanos.add(step.endNanos() - step.beginNanos());
    }
    double last = nanos.subList(nanos.size() - 10, nanos.size()).stream().mapToLong(n -> n).sum();
    return last / 10 / nanos.stream().sorted().toList().get(nanos.size() / 2);
  }

  private static String shown(Outcome outcome) {
    return String.format(Locale.ROOT, "last steps %.2f times the median", slowdown(outcome));
  }
}
