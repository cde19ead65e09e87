package org.allocsim.analysis.suite.claim.program;

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

/** Copies from pinned and from pageable host memory. */
public final class PinnedCopies implements SuiteScenario {
  private static final long COPY_STREAM = 7;

  @Override
  public Topic topic() {
    return new Topic(
        "pinned-copies",
        Kind.CLAIM,
        "pin_memory with non_blocking copies speeds up training",
        "article 'Why is PyTorch only using 15GB of memory on a device with more "
            + "available?'; article 'What causes fluctuating GPU utilization and high memory "
            + "consumption in PyTorch?'; docs of pinned memory",
        "Batches of 256 MiB are copied to the GPU, a step computes for 20 ms. Before: "
            + "from pageable memory; after: from two pinned buffers.");
  }

  @Override
  public List<Variant> variants() {
    Variant pageable = Variant.of("pageable", steps(false)).capacity(16 * GIB);
    return List.of(pageable, pageable.named("pinned").running(steps(true)));
  }

  private static AllocationTrace steps(boolean pinned) {
    Requests program = new Requests();
    program.allocate(2 * GIB);
    int[] buffers = new int[2];
    for (int i = 0; pinned && i < 2; i++) {
      buffers[i] = program.allocateHost(256 * MIB);
    }
    int[] batches = {program.allocate(256 * MIB), program.allocate(256 * MIB)};
    for (int step = 0; step < 100; step++) {
      program.launch(new Work.Copy(256 * MIB, true, pinned), COPY_STREAM);
      program.recordEvent(2 * step, COPY_STREAM);
      program.waitEvent(2 * step, 0);
      program.launch(new Work.Timed(20_000_000));
      program.recordEvent(2 * step + 1, 0);
      if (step > 0) {
        // The other buffer must have been read before it is filled again.
        program.waitEvent(2 * step - 1, COPY_STREAM);
      }
    }
    for (int i = 0; i < 2; i++) {
      program.free(batches[i]);
      if (pinned) {
        program.freeHost(buffers[i]);
      }
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome pageable, Outcome pinned, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(busy(pageable), busy(pinned))
        .tried(pinned.seconds() < pageable.seconds())
        .documented(Verdict.TRUE)
        .holds("GPU memory is the same", pageable.peakReservedBytes() == pinned.peakReservedBytes())
        .bytes(
            "host memory pinned: two buffers of 256 MiB",
            512 * MIB,
            pinned.time().pinnedPeakBytes())
        .conclude(
            "100 steps take {} with pageable and {} with pinned memory: copies from pinned"
                + " memory are faster and overlap with kernels. GPU memory is {} either way.",
            Numbers.duration(pageable.time().endNanos()),
            Numbers.duration(pinned.time().endNanos()),
            pinned.peakReservedBytes());
  }

  private static String busy(Outcome outcome) {
    return Numbers.percent(outcome.time().utilisation()) + " busy";
  }
}
