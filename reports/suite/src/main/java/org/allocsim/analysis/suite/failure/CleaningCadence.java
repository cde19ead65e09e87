package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.workloads.program.torch.memory.Device;

/** How often a training cleans its cache. */
public final class CleaningCadence implements SuiteScenario {
  private static final int STEPS = 250;
  private static final String EVERY_TENTH = "every 10 steps";

  private static final int LAYERS = 28;
  private static final long WIDE = 2 * 3072L;
  private static final long KEYS = 2 * 1024L;
  private static final long INNER = 2 * 8192L;
  private static final long LOGITS = 2 * 128_256L;

  /** Input of an adapter of q and v in single precision, the mask of its dropout, the result. */
  private static final List<Long> ADAPTER = List.of(2 * WIDE, WIDE / 2, 2 * WIDE);

  /** Norm of transformers: a copy in single precision, the normed one, that times the weight. */
  private static final List<Long> NORM = List.of(2 * WIDE, WIDE, WIDE);

  /**
   * Kernels of a layer, forward and backward: some 60 and twice as many with eager attention
   * inputs, norms and adapters of single operations; an estimate.
   */
  private static final int KERNELS = 180;

  /**
   * Llama-3.2-3B in half precision with adapters as peft has them: 28 layers, 3 072 wide, 8 key
   * heads of 128, 8 192 inside, 128 256 tokens known; what each operation of a layer keeps for its
   * backward pass. Kernels take 180 ms a step at the mean length, as the published 45 s come to.
   */
  private static final TokenSteps MODEL =
      new TokenSteps(
          LAYERS,
          kept(),
          List.of(2 * WIDE, WIDE, WIDE, INNER),
          List.of(LOGITS, 2 * LOGITS, 2 * LOGITS),
          5_950,
          KERNELS * Device.HOST_NANOS_PER_KERNEL);

  private static List<Long> kept() {
    List<Long> kept = new ArrayList<>(NORM);
    kept.addAll(ADAPTER);
    kept.addAll(ADAPTER);
    // Projections, rotated queries and keys, keys and values for every head, attention's result.
    kept.addAll(List.of(WIDE, KEYS, KEYS, WIDE, KEYS, WIDE, WIDE, WIDE, WIDE));
    kept.addAll(NORM);
    // Gate, its activation, the other half, the product; the residual.
    kept.addAll(List.of(INNER, INNER, INNER, INNER, WIDE));
    return List.copyOf(kept);
  }

  @Override
  public Topic topic() {
    return new Topic(
        "cleaning-cadence",
        Kind.FAILURE,
        "cleaning the cache trades time for memory",
        "huggingface/peft#2894 (table published; program constructed), discuss.pytorch.org 34232",
        "Llama-3.2-3B with adapters, 6.4 GiB, stays; 250 steps of 480 to 1 680 tokens. Before:"
            + " empty_cache() after every step; after: never.");
  }

  @Override
  public List<Variant> variants() {
    Variant each = Variant.of("every step", steps(1)).capacity(80 * GIB);
    return List.of(
        each, each.named("never").running(steps(0)), each.named(EVERY_TENTH).running(steps(10)));
  }

  private static AllocationTrace steps(int cadence) {
    Requests program = new Requests();
    for (int i = 0; i < LAYERS; i++) {
      program.allocate(Requests.gib(6.4 / LAYERS));
    }
    int done = 0;
    for (long tokens : TokenSteps.lengths(STEPS, 480, 1680, 2894)) {
      MODEL.step(program, tokens);
      done++;
      if (cadence > 0 && done % cadence == 0) {
        program.emptyCache();
      }
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome each, Outcome never, Outcomes outcomes) {
    Outcome tenth = outcomes.of(EVERY_TENTH);
    double millisPerCall = 1000 * (each.seconds() - never.seconds()) / STEPS;
    double waitMillis =
        each.time().requestNanos().getOrDefault(RequestKind.EMPTY_CACHE, 0L) / 1e6 / STEPS;
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
        .between("ms per call, published 80: the same order", 80 / 3.0, 80 * 3, millisPerCall)
        .conclude(
            String.format(
                Locale.ROOT,
                "With empty_cache() after every step, the program holds %.1f GiB on average"
                    + " instead of %.1f and takes %.1f s instead of %.1f: a call waits %.0f ms"
                    + " for the GPU to finish, and each step spends %.0f ms on freeing and"
                    + " reallocating segments while the GPU idles. With a call every tenth step"
                    + " it holds %.1f GiB and takes %.1f s.",
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
