package org.allocsim.analysis.suite.claim.allocator;

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
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.trace.AllocationTrace;

/** A program on a machine with two GPUs. */
public final class MemoryOfAllGpus implements SuiteScenario {
  private static final String SECOND = "second GPU";
  private static final String SECOND_SPLIT = "second GPU, split";

  @Override
  public Topic topic() {
    return new Topic(
        "memory-of-all-gpus",
        Kind.CLAIM,
        "PyTorch spreads memory over all GPUs",
        "article 'Why is PyTorch only using 15GB of memory on a device with more "
            + "available?' ('might not always optimally distribute memory'); CUDA semantics "
            + "notes (tensors go to the current device)",
        "A model of 20 layers of 1 GiB on two GPUs of 16 GiB. Before: the program never names a"
            + " device; after: it moves every other layer to the second GPU.");
  }

  @Override
  public List<Variant> variants() {
    Variant one = Variant.of("as written", layers(false)).capacity(16 * GIB);
    AllocationTrace split = layers(true);
    return List.of(
        one,
        one.named("split by the program").running(split),
        one.named(SECOND).ofDevice(1),
        one.named(SECOND_SPLIT).running(split).ofDevice(1));
  }

  private static AllocationTrace layers(boolean split) {
    Requests program = new Requests();
    for (int layer = 0; layer < 20; layer++) {
      program.on(split ? layer % 2 : 0).allocate(GIB);
    }
    program.on(1).mark("built");
    return program.build();
  }

  @Override
  public Findings judge(Outcome first, Outcome after, Outcomes outcomes) {
    Outcome second = outcomes.of(SECOND);
    return Findings.ofClaim()
        .shows(Findings.reserved(first), Findings.reserved(after))
        .tried(second.peakReservedBytes() > 0)
        .documented(Verdict.WRONG)
        .holds("the first GPU runs out of memory", !first.passes())
        .holds("split by the program, it does not", after.passes())
        .bytes(
            "reserved on the second GPU meanwhile",
            10 * GIB,
            outcomes.of(SECOND_SPLIT).peakReservedBytes())
        .conclude(
            "Every tensor goes to the current device: the first GPU fails with {} reserved while"
                + " the second holds {}. The program has to place its own layers.",
            first.peakReservedBytes(),
            second.peakReservedBytes());
  }
}
