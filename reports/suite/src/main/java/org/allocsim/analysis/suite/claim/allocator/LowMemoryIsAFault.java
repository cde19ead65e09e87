package org.allocsim.analysis.suite.claim.allocator;

import static org.allocsim.analysis.suite.Requests.GIB;
import static org.allocsim.analysis.suite.Requests.MIB;

import java.util.List;
import java.util.Locale;
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

/** What the amount of GPU memory in use shows. */
public final class LowMemoryIsAFault implements SuiteScenario {
  private static final String SMALL = "small batches";
  private static final String LARGE = "large batches";
  private static final long MILLI = 1_000_000;

  @Override
  public Topic topic() {
    return new Topic(
        "low-memory-is-a-fault",
        Kind.CLAIM,
        "low GPU memory use means something is wrong",
        "article 'Why is PyTorch only using 15GB of memory on a device with more "
            + "available?'; article 'What causes fluctuating GPU utilization and high memory "
            + "consumption in PyTorch?'",
        "A model of 1 GiB on 16 GiB. Before: the GPU is always busy; after: it waits for data."
            + " Also: batches so small that launching kernels takes longer than running them,"
            + " and batches eight times as large.");
  }

  @Override
  public List<Variant> variants() {
    Variant busy = Variant.of("busy", steps(1, 20 * MILLI, 100)).capacity(16 * GIB);
    return List.of(
        busy,
        busy.named("starved").running(steps(40 * MILLI, 20 * MILLI, 100)),
        busy.named(SMALL).running(kernels(1)),
        busy.named(LARGE).running(kernels(8)));
  }

  private static AllocationTrace steps(long hostNanos, long stepNanos, int steps) {
    Requests program = new Requests();
    program.allocate(GIB);
    for (int step = 0; step < steps; step++) {
      program.hostWork(hostNanos);
      int batch = program.allocate(100 * MIB);
      program.launch(new Work.Timed(stepNanos));
      program.free(batch);
      if (hostNanos > MILLI) {
        program.synchronize();
      }
    }
    return program.build();
  }

  /** 200 kernels a step, each of which takes 1 microsecond for a batch of one. */
  private static AllocationTrace kernels(int batch) {
    Requests program = new Requests();
    program.allocate(GIB);
    for (int step = 0; step < 20; step++) {
      int held = program.allocate(50L * batch * MIB);
      for (int kernel = 0; kernel < 200; kernel++) {
        program.launch(new Work.Timed(1_000L * batch));
      }
      program.free(held);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome busy, Outcome starved, Outcomes outcomes) {
    Outcome small = outcomes.of(SMALL);
    Outcome large = outcomes.of(LARGE);
    double gain = 8 * small.seconds() / large.seconds();
    return Findings.ofClaim()
        .shows(shown(busy), shown(starved))
        .tried(busy.time().utilisation() < 0.9)
        .tried(starved.peakReservedBytes() < busy.peakReservedBytes())
        .tried(small.peakReservedBytes() < large.peakReservedBytes() && gain > 1.5)
        .documented(Verdict.PARTLY_TRUE)
        .holds(
            "a starved program uses the same memory as a busy one",
            starved.peakReservedBytes() == busy.peakReservedBytes())
        .holds("and the GPU less", starved.time().utilisation() < 0.5)
        .conclude(
            "Memory use and GPU utilisation are independent: with {} of 16 GiB in use the GPU is"
                + " busy {} of the time in one program and {} in another. They are linked only"
                + " when batches are too small for the GPU: batches eight times as large make it"
                + " {} times as fast.",
            busy.peakReservedBytes(),
            Numbers.percent(busy.time().utilisation()),
            Numbers.percent(starved.time().utilisation()),
            String.format(Locale.ROOT, "%.1f", gain));
  }

  private static String shown(Outcome outcome) {
    return Findings.reserved(outcome)
        + ", "
        + Numbers.percent(outcome.time().utilisation())
        + " busy";
  }
}
