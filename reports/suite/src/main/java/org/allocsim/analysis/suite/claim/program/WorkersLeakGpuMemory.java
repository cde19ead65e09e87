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
import org.allocsim.simulator.trace.AllocationTrace;

/** Memory of data loaders with and without worker processes. */
public final class WorkersLeakGpuMemory implements SuiteScenario {
  private static final String HOST_WORKERS = "host memory, 4 workers";
  private static final String HOST_NONE = "host memory, none";
  private static final String TENTH = "step 10";
  private static final String LAST = "step 199";
  private static final long COPIED_BYTES = 8 * MIB;
  private static final long DATA_BYTES = 2 * GIB;

  /** Device of a trace that stands for host memory. */
  private static final int HOST = 1;

  @Override
  public Topic topic() {
    return new Topic(
        "workers-leak-gpu-memory",
        Kind.CLAIM,
        "num_workers=0 cures growing GPU memory",
        "article 'PyTorch Memory Management Overview'; pytorch/pytorch#64337, #13246, " + "#5902",
        "200 steps on batches of 100 MiB with a model of 2 GiB. A forked worker writes to 8 MiB"
            + " of the parent's data set per step, which copies these pages, until all 2 GiB are"
            + " copied. Before: 4 workers; after: none.");
  }

  @Override
  public List<Variant> variants() {
    Variant workers = Variant.of("4 workers", steps(4)).capacity(16 * GIB);
    AllocationTrace none = steps(0);
    return List.of(
        workers,
        workers.named("none").running(none),
        host(workers).named(HOST_WORKERS),
        host(workers.running(none)).named(HOST_NONE));
  }

  private static Variant host(Variant variant) {
    return variant.with("direct").ofDevice(HOST).capacity(64 * GIB);
  }

  private static AllocationTrace steps(int workers) {
    Requests program = new Requests();
    program.allocate(2 * GIB);
    for (int step = 0; step < 200; step++) {
      program.on(HOST).mark("step " + step);
      for (int worker = 0; worker < workers && step * COPIED_BYTES < DATA_BYTES; worker++) {
        program.allocate(COPIED_BYTES);
      }
      program.on(0).mark("step " + step);
      program.use(100 * MIB);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome workers, Outcome none, Outcomes outcomes) {
    Outcome host = outcomes.of(HOST_WORKERS);
    long gpuGrowth = workers.at(LAST).reservedBytes() - workers.at(TENTH).reservedBytes();
    long hostGrowth = host.at(LAST).reservedBytes() - host.at(TENTH).reservedBytes();
    return Findings.ofClaim()
        .shows(Findings.reserved(workers), Findings.reserved(none))
        .tried(gpuGrowth > 0)
        .tried(none.peakReservedBytes() < workers.peakReservedBytes())
        .documented(Verdict.WRONG)
        .holds("host memory grows with workers", hostGrowth > 0)
        .bytes(
            "host memory of copies without workers", 0, outcomes.of(HOST_NONE).peakReservedBytes())
        .conclude(
            "GPU memory is {} with and without workers and does not grow. Host memory grows, by"
                + " {}: pages of the data set that each worker copies when it touches them.",
            workers.peakReservedBytes(),
            hostGrowth);
  }
}
