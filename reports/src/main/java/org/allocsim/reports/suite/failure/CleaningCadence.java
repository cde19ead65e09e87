package org.allocsim.reports.suite.failure;

import static org.allocsim.reports.suite.Requests.GIB;

import java.util.List;
import java.util.Locale;
import org.allocsim.reports.suite.Findings;
import org.allocsim.reports.suite.Kind;
import org.allocsim.reports.suite.Outcome;
import org.allocsim.reports.suite.Outcomes;
import org.allocsim.reports.suite.Requests;
import org.allocsim.reports.suite.SuiteScenario;
import org.allocsim.reports.suite.Topic;
import org.allocsim.reports.suite.Variant;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** How often a training cleans its cache. */
public final class CleaningCadence implements SuiteScenario {
  private static final int STEPS = 250;
  private static final String EVERY_TENTH = "every 10 steps";

  /**
   * Llama-3.2-3B: 28 layers, 3 072 wide, 8 192 inside, 128 256 tokens known; kernels that take 180
   * ms a step at the mean length, as the published 45 s come to.
   */
  private static final TokenSteps MODEL =
      new TokenSteps(
          28,
          List.of(2 * 3072L, 2 * 3072L, 2 * 8192L, 2 * 8192L),
          List.of(2 * 3072L),
          List.of(2 * 128_256L, 4 * 128_256L),
          3_060);

  /** A scenario; the service loader makes it. */
  public CleaningCadence() {}

  @Override
  public Topic topic() {
    return new Topic(
        "cleaning-cadence",
        Kind.FAILURE,
        "cleaning the cache trades time for memory",
        "huggingface/peft#2894 (table published; program constructed), discuss.pytorch.org 34232",
        "Llama-3.2-3B with adapters, 6.4 GiB, stays; 250 steps of 800 to 3 400 tokens. Before:"
            + " empty_cache() behind every step; after: never.");
  }

  @Override
  public List<Variant> variants() {
    Variant each = Variant.of("every step", steps(1)).capacity(80 * GIB);
    return List.of(
        each, each.named("never").running(steps(0)), each.named(EVERY_TENTH).running(steps(10)));
  }

  private static AllocationTrace steps(int cadence) {
    Requests program = new Requests();
    for (int i = 0; i < 28; i++) {
      program.allocate(Requests.gib(6.4 / 28));
    }
    int done = 0;
    for (long tokens : TokenSteps.lengths(STEPS, 800, 3400, 2894)) {
      MODEL.step(program, tokens);
      done++;
      if (cadence > 0 && done % cadence == 0) {
        program.emptyCache();
      }
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcomes outcomes) {
    Outcome each = outcomes.before();
    Outcome never = outcomes.after();
    Outcome tenth = outcomes.of(EVERY_TENTH);
    double millisPerCall = 1000 * (each.seconds() - never.seconds()) / STEPS;
    double waitMillis = each.time().requestNanos().get(RequestKind.EMPTY_CACHE) / 1e6 / STEPS;
    return Findings.ofFailure()
        .shows(shown(each), shown(never))
        .between("seconds without cleaning, published 45", 43, 47, never.seconds())
        .holds(
            "time: never < every 10 steps < every step, published 45 < 50 < 65 s",
            never.seconds() < tenth.seconds() && tenth.seconds() < each.seconds())
        .holds(
            "mean reserved: never > every 10 steps > every step, published 22.1 > 14.5 > 12.0 GB",
            never.meanReservedBytes() > tenth.meanReservedBytes()
                && tenth.meanReservedBytes() > each.meanReservedBytes())
        .holds(
            "peak reserved: never > every step, published 23.5 > 19.3 GB",
            never.peakReservedBytes() > each.peakReservedBytes())
        .between("ms a call at least, reported 14 (forum) and 80 (table)", 5, 160, millisPerCall)
        .conclude(
            String.format(
                Locale.ROOT,
                "Cleaned every step, the program holds %.1f GiB on average instead of %.1f and"
                    + " takes %.1f s instead of %.1f: a call waits %.0f ms for the GPU to finish,"
                    + " and each step pays %.0f ms for segments that are returned and taken anew"
                    + " while the GPU has nothing to do. Every tenth step it holds %.1f GiB and"
                    + " takes %.1f s.",
                each.meanReservedBytes() / GIB,
                never.meanReservedBytes() / GIB,
                each.seconds(),
                never.seconds(),
                waitMillis,
                millisPerCall,
                tenth.meanReservedBytes() / GIB,
                tenth.seconds()));
  }

  private static String shown(Outcome outcome) {
    return String.format(
        Locale.ROOT, "%.1f s, %.1f GiB mean", outcome.seconds(), outcome.meanReservedBytes() / GIB);
  }
}
