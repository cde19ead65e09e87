package org.allocsim.analysis.suite.failure;

import java.util.List;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Kind;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.Outcomes;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.profile.ShippedProfiles;

/** Training a policy on generated answers of varying length. */
public final class PolicyTraining implements SuiteScenario {
  private static final int BATCHES = 12;
  private static final DeviceProfile GPU = ShippedProfiles.named("h200");

  /** Qwen2.5-7B: 28 layers, 3 584 wide, 18 944 inside, 152 064 tokens known. */
  private static final TokenSteps MODEL =
      new TokenSteps(
          28,
          List.of(2 * 3584L, 2 * 4608L, 2 * 3584L, 2 * 18_944L, 2 * 18_944L, 2 * 18_944L),
          List.of(2 * 3584L),
          List.of(2 * 152_064L, 4 * 152_064L, 4 * 152_064L));

  @Override
  public Topic topic() {
    return new Topic(
        "policy-training",
        Kind.FAILURE,
        "half of a reinforcement learner's reserved memory is slack",
        "nvidia-cosmos/cosmos-rl#388 (totals published; lengths and order are constructed)",
        "Weights, gradients and optimizer states of Qwen2.5-7B, 60.9 GiB, stay. Twelve batches"
            + " of generated answers, 5 000 to 7 500 tokens, are trained on. Before: default"
            + " settings; after: expandable segments.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain = Variant.of("default", steps()).on(GPU);
    return List.of(plain, plain.under("expandable_segments:True"));
  }

  private static AllocationTrace steps() {
    Requests program = new Requests();
    for (int i = 0; i < 28; i++) {
      program.allocate(Requests.gib(60.9 / 28));
    }
    for (long tokens : TokenSteps.lengths(BATCHES, 5000, 7500, 1)) {
      MODEL.step(program, tokens);
    }
    program.mark("third step");
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome expandable, Outcomes outcomes) {
    double slack = (double) plain.end().slackBytes() / plain.end().reservedBytes();
    double ratio = (double) expandable.peakReservedBytes() / plain.peakReservedBytes();
    return Findings.ofFailure()
        .shows(Findings.reserved(plain), Findings.reserved(expandable))
        .between("slack : reserved, published 66.04 : 126.97", 0.46, 0.58, slack)
        .between("reserved with expandable segments : default, 96.61 : 126.97", 0.7, 0.82, ratio)
        .bytes(
            "memory that the driver shows beyond reserved memory, the same in both",
            outside(plain),
            outside(expandable))
        .conclude(
            "After the batches {} is live and {} is cached in the sizes of earlier batches;"
                + " expandable segments need {}. What the driver shows beyond reserved memory is"
                + " the process's context, {} with either setting.",
            plain.end().allocatedBytes(),
            plain.end().slackBytes(),
            expandable.peakReservedBytes(),
            outside(plain));
  }

  /** What the driver counts as used beside the allocator's memory. */
  private static long outside(Outcome outcome) {
    return GPU.totalBytes() - outcome.end().deviceFreeBytes() - outcome.end().reservedBytes();
  }
}
