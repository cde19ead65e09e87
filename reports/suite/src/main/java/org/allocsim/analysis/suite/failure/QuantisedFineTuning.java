package org.allocsim.analysis.suite.failure;

import static org.allocsim.analysis.suite.Requests.GIB;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.trace.AllocationTrace;

/** Fine-tuning of a quantised model on batches of varying length. */
public final class QuantisedFineTuning implements SuiteScenario {
  private static final int STEPS = 12;
  private static final double STEP_SECONDS = 20.56;

  /** Llama-3-8B with recomputed activations: 4 096 wide, 14 336 inside, 128 256 tokens known. */
  private static final TokenSteps MODEL =
      new TokenSteps(
          32,
          List.of(2 * 4096L),
          List.of(2 * 4096L, 2 * 14_336L, 2 * 14_336L),
          List.of(2 * 128_256L, 4 * 128_256L, 4 * 128_256L));

  @Override
  public Topic topic() {
    return new Topic(
        "quantised-fine-tuning",
        Kind.FAILURE,
        "expandable segments save a third of QLoRA's memory",
        "meta-pytorch/torchtune#1185 (totals published; lengths and order are constructed)",
        "Llama-3-8B in four bits, 7 GiB with its adapters, stays. 12 steps of 2 200 to 2 600"
            + " tokens keep one activation per layer, recompute the others, and create logits in"
            + " half and single precision. Before: default settings; after: expandable segments.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain = Variant.of("default", steps()).capacity(80 * GIB);
    return List.of(plain, plain.under("expandable_segments:True"));
  }

  private static AllocationTrace steps() {
    Requests program = new Requests();
    for (int i = 0; i < 32; i++) {
      program.allocate(Requests.gib(7.0 / 32));
    }
    long[] tokens = TokenSteps.lengths(STEPS, 2200, 2600, 1);
    for (int step = 0; step < STEPS; step++) {
      program.mark("step " + step);
      MODEL.step(program, tokens[step]);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome expandable, Outcomes outcomes) {
    double ratio = (double) expandable.peakReservedBytes() / plain.peakReservedBytes();
    double share = expandable.result().driverNanos() / 1e9 / (STEPS * STEP_SECONDS);
    return Findings.ofFailure()
        .shows(Findings.reserved(plain), Findings.reserved(expandable))
        .between("reserved with expandable segments : default, 10.83 : 16.39", 0.6, 0.72, ratio)
        .between(
            "GiB reserved by default, published 16.39",
            15.5,
            17.3,
            (double) plain.peakReservedBytes() / GIB)
        .between("fraction of the published step time spent in driver calls", 0, 0.01, share)
        .conclude(
            "Each batch has a new length and leaves cached blocks that the next one does not"
                + " fit: {} is reserved for a peak of {}; with one growing segment {} is enough.",
            plain.peakReservedBytes(),
            plain.peakAllocatedBytes(),
            expandable.peakReservedBytes());
  }
}
