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
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.trace.AllocationTrace;

/** A speech model on utterances of varying length. */
public final class SpeechTraining implements SuiteScenario {
  private static final int STEPS = 60;

  /** Four layers of a conformer, 512 wide, on batches of frames. */
  private static final TokenSteps MODEL =
      new TokenSteps(
          4,
          List.of(4 * 512L, 4 * 2048L, 4 * 2048L, 4 * 512L, 4 * 1024L),
          List.of(4 * 2048L),
          List.of(4 * 1024L, 4 * 1024L));

  @Override
  public Topic topic() {
    return new Topic(
        "speech-training",
        Kind.FAILURE,
        "a split limit cures the OOM and costs driver calls",
        "mlcommons/algorithmic-efficiency#522 (outcome published; program constructed)",
        "Four layers of a conformer train on 60 batches of 46 666 to 140 000 frames on 16 GiB."
            + " Before: default; after: max_split_size_mb:256.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain = Variant.of("default", steps()).capacity(16 * GIB);
    return List.of(
        plain,
        plain.under("max_split_size_mb:256"),
        plain.under("expandable_segments:True"),
        plain.named("ample GPU").capacity(80 * GIB));
  }

  public static AllocationTrace steps() {
    Requests program = new Requests();
    for (int i = 0; i < 16; i++) {
      program.allocate(Requests.gib(1.0 / 16));
    }
    int step = 0;
    for (long frames : TokenSteps.lengths(STEPS, 46_666, 140_000, 522)) {
      program.mark("step " + step++);
      MODEL.step(program, frames);
    }
    program.mark("step " + STEPS);
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome limited, Outcomes outcomes) {
    Outcome ample = outcomes.of("ample GPU");
    double calls = (double) limited.memoryCalls() / ample.memoryCalls();
    return Findings.ofFailure()
        .shows(Findings.reserved(plain), Findings.reserved(limited))
        .holds("the default runs out of memory", !plain.passes())
        .holds("max_split_size_mb:256 passes", limited.passes())
        .between("cudaMalloc and cudaFree calls, relative to an ample GPU", 2, 1000, calls)
        .conclude(
            "With the split limit large segments are freed and reallocated instead of being"
                + " split: {} calls per step instead of {} on an ample GPU. Expandable segments"
                + " {} with {}.",
            Numbers.count(limited.memoryCalls() / STEPS),
            Numbers.count(ample.memoryCalls() / STEPS),
            outcomes.of("expandable_segments:True").passes() ? "pass" : "fail",
            Numbers.count(outcomes.of("expandable_segments:True").memoryCalls() / STEPS));
  }
}
