package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

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
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Work;

/** Memory beside fast and slow kernels. */
public final class KernelsHideMemory implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "kernels-hide-memory",
        Kind.CLAIM,
        "kernels that use shared memory badly leave GPU memory unused",
        "article 'Why is PyTorch only using 15GB of memory on a device with more "
            + "available?' (its third part); CUDA programming guide (shared memory is on the "
            + "chip)",
        "100 steps of 50 kernels on 4 GiB. Before: kernels that read their input from "
            + "global memory each time, 10 ms; after: kernels that keep it in shared memory, "
            + "2 ms.");
  }

  @Override
  public List<Variant> variants() {
    Variant slow = Variant.of("global memory", steps(10)).capacity(16 * GIB);
    return List.of(slow, slow.named("shared memory").running(steps(2)));
  }

  private static AllocationTrace steps(int kernelMillis) {
    Requests program = new Requests();
    program.allocate(4 * GIB);
    for (int step = 0; step < 100; step++) {
      for (int kernel = 0; kernel < 50; kernel++) {
        int result = program.allocate(64 * MIB);
        program.launch(new Work.Timed(kernelMillis * 1_000_000L));
        program.free(result);
      }
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome slow, Outcome fast, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(shown(slow), shown(fast))
        .tried(slow.peakReservedBytes() < fast.peakReservedBytes())
        .documented(Verdict.WRONG)
        .between(
            "time of slow kernels / time of fast kernels",
            4.5,
            5.5,
            slow.seconds() / fast.seconds())
        .conclude(
            "Both use {}: a kernel's shared memory is on the chip and never goes through the"
                + " allocator. Only the time differs, {} against {}.",
            fast.peakReservedBytes(),
            Numbers.duration(slow.time().endNanos()),
            Numbers.duration(fast.time().endNanos()));
  }

  private static String shown(Outcome outcome) {
    return Findings.reserved(outcome) + ", " + Numbers.duration(outcome.time().endNanos());
  }
}
