package org.allocsim.analysis.suite.claim.program;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

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
import org.allocsim.analysis.suite.Verdict;
import org.allocsim.simulator.trace.AllocationTrace;

/** Pinned host memory beside GPU memory. */
public final class PinnedMemory implements SuiteScenario {
  private static final String HOST_PINNED = "host memory, pinned";
  private static final String BUFFER = "20.4 GiB pinned";
  private static final String BUFFER_EXACT = "20.4 GiB pinned, rounding threshold";

  /** Device of a trace that stands for host memory. */
  private static final int HOST = 1;

  @Override
  public Topic topic() {
    return new Topic(
        "pinned-memory",
        Kind.CLAIM,
        "pin_memory changes how much GPU memory is used",
        "article 'Why is PyTorch only using 15GB of memory on a device with more "
            + "available?'; article 'PyTorch Memory Management Overview'; "
            + "pytorch/pytorch#95823 (20.4 GiB pinned as 32)",
        "Batches of 100 MiB are copied to the GPU from host memory. Before: pageable; "
            + "after: from two pinned buffers. Also: a buffer of 20.4 GiB is pinned, with the "
            + "default rounding and with a threshold.");
  }

  @Override
  public List<Variant> variants() {
    Variant pageable = Variant.of("pageable", steps(false)).capacity(16 * GIB);
    AllocationTrace pinned = steps(true);
    Variant host = Variant.of(BUFFER, buffer()).with("torch-host").capacity(64 * GIB);
    return List.of(
        pageable,
        pageable.named("pinned").running(pinned),
        pageable
            .running(pinned)
            .with("torch-host")
            .ofDevice(HOST)
            .capacity(64 * GIB)
            .named(HOST_PINNED),
        host.named(BUFFER),
        host.with("torch-host(pinned-max-round-threshold=1GiB)").named(BUFFER_EXACT));
  }

  private static AllocationTrace steps(boolean pinned) {
    Requests program = new Requests();
    program.allocate(2 * GIB);
    for (int step = 0; step < 100; step++) {
      List<Integer> buffers = new ArrayList<>();
      program.on(HOST);
      for (int i = 0; i < (pinned ? 2 : 0); i++) {
        buffers.add(program.allocate(100 * MIB));
      }
      program.on(0).use(100 * MIB);
      program.on(HOST).freeAll(buffers);
    }
    return program.build();
  }

  private static AllocationTrace buffer() {
    Requests program = new Requests();
    program.allocate(Requests.gib(20.4));
    return program.build();
  }

  @Override
  public Findings judge(Outcome pageable, Outcome pinned, Outcomes outcomes) {
    Outcome host = outcomes.of(HOST_PINNED);
    Outcome buffer = outcomes.of(BUFFER);
    return Findings.ofClaim()
        .shows(Findings.reserved(pageable), Findings.reserved(pinned))
        .tried(pageable.peakReservedBytes() != pinned.peakReservedBytes())
        .tried(pageable.end().slackBytes() != pinned.end().slackBytes())
        .documented(Verdict.WRONG)
        .bytes("pinned by two buffers of 100 MiB", 256 * MIB, host.peakReservedBytes())
        .gib("pinned for 20.4 GiB by default", "32.00", buffer.peakReservedBytes())
        .gib("with a rounding threshold", "20.40", outcomes.of(BUFFER_EXACT).peakReservedBytes())
        .conclude(
            "GPU memory is {} either way. Pinned buffers are host memory, rounded up to powers"
                + " of two: {} for two of 100 MiB, {} for one of 20.4 GiB.",
            pinned.peakReservedBytes(),
            host.peakReservedBytes(),
            buffer.peakReservedBytes());
  }
}
