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
import org.allocsim.simulator.trace.Loader;
import org.allocsim.simulator.trace.Work;

/** A data loader with and without workers, in time. */
public final class LoadingInTheMainProcess implements SuiteScenario {
  private static final String SLOW_STEP = "0 workers, long steps";
  private static final String SLOW_STEP_WORKERS = "4 workers, long steps";
  private static final long MILLI = 1_000_000;

  @Override
  public Topic topic() {
    return new Topic(
        "loading-in-the-main-process",
        Kind.CLAIM,
        "num_workers=0 makes the GPU wait for data",
        "article 'What causes fluctuating GPU utilization and high memory consumption "
            + "in PyTorch?'; PyTorch's performance tuning guide",
        "Preparing a batch takes 30 ms, plus or minus 2 ms, a step 10 ms on the GPU. Before:"
            + " num_workers=0; after: 4 workers. Also: 1 worker, and 4 where a step takes 40 ms.");
  }

  @Override
  public List<Variant> variants() {
    Variant none = Variant.of("0 workers", steps(0, 10)).capacity(16 * GIB);
    return List.of(
        none,
        none.named("4 workers").running(steps(4, 10)),
        none.named("1 worker").running(steps(1, 10)),
        none.named(SLOW_STEP).running(steps(0, 40)),
        none.named(SLOW_STEP_WORKERS).running(steps(4, 40)));
  }

  private static AllocationTrace steps(int workers, int stepMillis) {
    Requests program = new Requests();
    int loader = program.loader(new Loader(workers, 2, 30 * MILLI, 2 * MILLI, 4));
    program.allocate(2 * GIB);
    for (int step = 0; step < 200; step++) {
      program.beginStep("step");
      program.loadBatch(loader);
      int batch = program.allocate(100 * MIB);
      program.launch(new Work.Timed(stepMillis * MILLI));
      program.free(batch);
      // The loss is read in every step.
      program.synchronize();
      program.endStep("step");
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome none, Outcome four, Outcomes outcomes) {
    return Findings.ofClaim()
        .shows(busy(none), busy(four))
        .tried(none.time().utilisation() < four.time().utilisation())
        .tried(
            outcomes.of(SLOW_STEP).time().utilisation()
                < outcomes.of(SLOW_STEP_WORKERS).time().utilisation())
        .documented(Verdict.TRUE)
        .between("busy share with 0 workers: 10 of 40 ms", 0.23, 0.27, none.time().utilisation())
        .between(
            "with 1 worker: 10 of 30 ms", 0.31, 0.36, outcomes.of("1 worker").time().utilisation())
        .holds("GPU memory is the same", none.peakReservedBytes() == four.peakReservedBytes())
        .conclude(
            "The GPU is busy {} of the time when the main process loads the batches, {} with one"
                + " worker and {} with four, which prepare batches in parallel; GPU memory is {}"
                + " in every case.",
            Numbers.percent(none.time().utilisation()),
            Numbers.percent(outcomes.of("1 worker").time().utilisation()),
            Numbers.percent(four.time().utilisation()),
            none.peakReservedBytes());
  }

  private static String busy(Outcome outcome) {
    return Numbers.percent(outcome.time().utilisation()) + " busy";
  }
}
