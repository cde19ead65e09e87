package org.allocsim.analysis.suite.claim.program;

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

/** Operations that overwrite their input. */
public final class InPlaceOperations implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "in-place-operations",
        Kind.CLAIM,
        "in-place operations need less memory",
        "article 'PyTorch Memory Management Overview'; PyTorch's notes on autograd (saved"
            + " tensors must not be overwritten)",
        "Ten operations on a tensor of 1 GiB. Before: each creates a new tensor; after: each"
            + " overwrites its input.");
  }

  @Override
  public List<Variant> variants() {
    Variant fresh = Variant.of("new tensors", operations(false)).capacity(16 * GIB);
    return List.of(fresh, fresh.named("in place").running(operations(true)));
  }

  private static AllocationTrace operations(boolean inPlace) {
    Requests program = new Requests();
    int tensor = program.allocate(GIB);
    for (int i = 0; i < 10; i++) {
      if (!inPlace) {
        int result = program.allocate(GIB);
        program.free(tensor);
        tensor = result;
      }
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome fresh, Outcome inPlace, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(Findings.reserved(fresh), Findings.reserved(inPlace))
        .tried(inPlace.peakReservedBytes() < fresh.peakReservedBytes())
        .documented(Verdict.TRUE)
        .bytes("input and result at once", 2 * GIB, fresh.peakAllocatedBytes())
        .bytes("in place", GIB, inPlace.peakAllocatedBytes())
        .conclude(
            "Out of place, the result and its input are live at the same time: {}; in place,"
                + " only one tensor is: {}. Ten operations need no more than one: the cache"
                + " serves the rest.",
            fresh.peakAllocatedBytes(),
            inPlace.peakAllocatedBytes());
  }
}
