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

/** The share of the GPU that JAX takes. */
public final class JaxThreeQuarters implements SuiteScenario {
  private static final String PREALLOCATED = "growing buffers, preallocated";
  private static final String GROWN = "growing buffers, growing regions";

  @Override
  public Topic topic() {
    return new Topic(
        "jax-three-quarters",
        Kind.CLAIM,
        "JAX can only ever use 75 % of the GPU",
        "answers in public threads; docs of JAX, GPU memory allocation",
        "A program allocates 88 blocks of 0.5 GiB on 50 GiB. Before: JAX's defaults; after:"
            + " XLA_PYTHON_CLIENT_MEM_FRACTION=0.9. Also: without preallocation.");
  }

  @Override
  public List<Variant> variants() {
    Variant plain =
        Variant.of("default", blocks(88)).capacity(50 * GIB).with("bfc").named("default");
    return List.of(
        plain,
        plain.with("bfc(fraction=0.9)"),
        plain.with("bfc(fraction=0.9;preallocate=false)"),
        plain
            .named("40 GiB growing by 2 GiB, preallocated")
            .running(growing())
            .with("bfc(fraction=0.9)")
            .named(PREALLOCATED),
        plain.running(growing()).with("bfc(fraction=0.9;preallocate=false)").named(GROWN));
  }

  private static AllocationTrace blocks(int count) {
    Requests program = new Requests();
    for (int i = 0; i < count; i++) {
      program.allocate(GIB / 2);
    }
    return program.build();
  }

  /** A buffer that grows by copies. */
  private static AllocationTrace growing() {
    Requests program = new Requests();
    int buffer = program.allocate(GIB);
    for (int i = 2; i <= 14; i++) {
      int grown = program.allocate(i * GIB);
      program.free(buffer);
      buffer = grown;
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome plain, Outcome more, Outcomes outcomes) {
    Outcome preallocated = outcomes.of(PREALLOCATED);
    Outcome grown = outcomes.of(GROWN);
    return Findings.ofClaim()
        .shows(Findings.reserved(plain), Findings.reserved(more))
        .tried(!plain.passes())
        .tried(!more.passes())
        .documented(Verdict.PARTLY_TRUE)
        .gib(
            "reserved at the first request by default: 75 % of 50 GiB",
            "37.50", plain.peakReservedBytes())
        .holds("growing regions serve less than one pool", preallocated.passes() && !grown.passes())
        .conclude(
            "By default JAX reserves 75 % of the GPU at the first request, and that is the"
                + " limit; a fraction of 0.9 raises it to {}, and the program passes. Without"
                + " preallocation memory grows on demand, in regions that are never merged: a"
                + " program that fits in one pool fails there with {} free in the regions.",
            more.peakReservedBytes(), grown.end().slackBytes());
  }
}
