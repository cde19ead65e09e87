package org.allocsim.analysis.suite.need;

import static org.allocsim.analysis.suite.Requests.GIB;

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
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.transform.Perturbation;

/** How little it takes to turn a pass into a failure. */
public final class FragilePass implements SuiteScenario {
  private static final int COPIES = 20;

  @Override
  public Topic topic() {
    return new Topic(
        "fragile-pass",
        Kind.NEED,
        "swapping two tensor creations brings an OOM back",
        "discuss.pytorch.org 34232 (a maintainer's remark), NVIDIA-NeMo/RL#2471",
        "On 8 GiB: 6 GiB are freed, tensors of 3.5 and 2.5 GiB fill their segment, and 1.9 GiB"
            + " come from the GPU. Before: unchanged; after: one of 20 random copies with"
            + " neighbouring requests swapped. Also: sizes changed by up to 2 %.");
  }

  @Override
  public List<Variant> variants() {
    List<Variant> variants = new ArrayList<>();
    Variant plain = Variant.of("unchanged", program()).capacity(8 * GIB);
    variants.add(plain);
    for (int seed = 1; seed <= COPIES; seed++) {
      variants.add(
          plain
              .named("swapped, seed " + seed)
              .running(
                  new Perturbation(true, 0, Perturbation.Resize.SIZE)
                      .apply(plain.trace(), 0, seed)));
      variants.add(
          plain
              .named("resized, seed " + seed)
              .running(
                  new Perturbation(false, 0.02, Perturbation.Resize.SIZE)
                      .apply(plain.trace(), 0, seed)));
    }
    return variants;
  }

  private static AllocationTrace program() {
    Requests program = new Requests();
    program.use(6 * GIB);
    program.allocate(Requests.gib(3.5));
    program.allocate(Requests.gib(2.5));
    program.allocate(Requests.gib(1.9));
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome after, Outcomes outcomes) {
    long swapped = failures(outcomes, "swapped");
    long resized = failures(outcomes, "resized");
    return Findings.ofFailure()
        .shows(Findings.reserved(plain), swapped + " of " + COPIES + " OOM")
        .holds("the unchanged program passes", plain.passes())
        .holds("some swapped copies fail and some pass", swapped > 0 && swapped < COPIES)
        .holds("some resized copies fail", resized > 0)
        .conclude(
            "The program passes, but {} of {} copies with neighbouring requests swapped at"
                + " random fail, and so do {} of {} copies whose sizes differ by up to 2 %: it"
                + " passes only because its sizes and their order happen to fit.",
            String.valueOf(swapped), COPIES, String.valueOf(resized), COPIES);
  }

  private static long failures(Outcomes outcomes, String change) {
    return outcomes.list().stream()
        .filter(each -> each.variant().label().startsWith(change) && !each.passes())
        .count();
  }
}
