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

/** How worker processes are started. */
public final class SpawnedWorkers implements SuiteScenario {
  private static final String HOST_FORK = "host memory, fork";
  private static final String HOST_SPAWN = "host memory, spawn";
  private static final int WORKERS = 4;
  private static final long DATA_BYTES = 2 * GIB;

  /** Device of a trace that stands for host memory. */
  private static final int HOST = 1;

  @Override
  public Topic topic() {
    return new Topic(
        "spawned-workers",
        Kind.CLAIM,
        "set_start_method('spawn') cures growing GPU memory",
        "article 'PyTorch Memory Management Overview'; docs of torch.utils.data (fork "
            + "shares pages, spawn sends copies)",
        "Four workers read a data set of 2 GiB for 100 steps. A forked worker copies 8 MiB of"
            + " pages per step, a spawned one copies everything at its start. Before: fork;"
            + " after: spawn.");
  }

  @Override
  public List<Variant> variants() {
    Variant fork = Variant.of("fork", steps(false)).capacity(16 * GIB);
    AllocationTrace spawn = steps(true);
    return List.of(
        fork,
        fork.named("spawn").running(spawn),
        host(fork).named(HOST_FORK),
        host(fork.running(spawn)).named(HOST_SPAWN));
  }

  private static Variant host(Variant variant) {
    return variant.with("direct").ofDevice(HOST).capacity(64 * GIB);
  }

  private static AllocationTrace steps(boolean spawned) {
    Requests program = new Requests();
    program.allocate(2 * GIB);
    program.on(HOST);
    for (int worker = 0; spawned && worker < WORKERS; worker++) {
      program.allocate(DATA_BYTES);
    }
    for (int step = 0; step < 100; step++) {
      program.on(HOST);
      for (int worker = 0; !spawned && worker < WORKERS; worker++) {
        program.allocate(8 * MIB);
      }
      program.on(0).use(100 * MIB);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome fork, Outcome spawn, Outcomes outcomes) {
    long forkHost = outcomes.of(HOST_FORK).peakReservedBytes();
    long spawnHost = outcomes.of(HOST_SPAWN).peakReservedBytes();
    return Findings.ofClaim()
        .shows(Findings.reserved(fork), Findings.reserved(spawn))
        .tried(spawn.peakReservedBytes() < fork.peakReservedBytes())
        .documented(Verdict.WRONG)
        .holds("spawned workers take more host memory", spawnHost > forkHost)
        .conclude(
            "GPU memory is {} either way; host memory for the workers' copies is {} with spawn"
                + " and {} with fork.",
            spawn.peakReservedBytes(),
            spawnHost,
            forkHost);
  }
}
