package org.allocsim.analysis.suite.claim.allocator;

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
import org.allocsim.analysis.text.Numbers;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.trace.AllocationTrace;

/** Calls of the driver by a program in its stride. */
public final class DriverCallsFragment implements SuiteScenario {

  @Override
  public Topic topic() {
    return new Topic(
        "driver-calls-fragment",
        Kind.CLAIM,
        "repeated cudaMalloc and cudaFree calls fragment memory",
        "article 'What causes fluctuating GPU utilization and high memory consumption "
            + "in PyTorch?'; CUDA semantics notes (the cache exists to avoid the calls)",
        "100 identical steps allocate and free 20 tensors of 50 to 240 MiB. Before: PyTorch's"
            + " cache; after: cudaMalloc and cudaFree for every tensor.");
  }

  @Override
  public List<Variant> variants() {
    Variant cached = Variant.of("cache", steps()).capacity(16 * GIB);
    return List.of(cached, cached.with("direct"));
  }

  private static AllocationTrace steps() {
    Requests program = new Requests();
    for (int step = 0; step < 100; step++) {
      program.mark("step " + step);
      List<Integer> tensors = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        tensors.add(program.allocate((50 + 10L * i) * MIB));
      }
      program.freeAll(tensors);
    }
    return program.build();
  }

  @Override
  public Findings judge(Outcome cached, Outcome direct, Outcomes outcomes) {
    long laterNanos = cached.end().driverNanos() - cached.at("step 1").driverNanos();
    return Findings.ofClaim()
        .shows(calls(cached), calls(direct))
        .tried(laterNanos > 0)
        .tried(direct.peakReservedBytes() > direct.peakAllocatedBytes())
        .documented(Verdict.WRONG)
        .count("cudaMalloc calls without a cache", 2000, direct.calls(DriverCall.ALLOCATE))
        .count("cudaFree calls without a cache", 2000, direct.calls(DriverCall.FREE))
        .conclude(
            "After the first step PyTorch makes no driver calls at all. A program that calls the"
                + " driver every time does not fragment either ({} reserved for {}), but it pays"
                + " in time, at least {} per step, and each cudaFree waits for the device.",
            direct.peakReservedBytes(),
            direct.peakAllocatedBytes(),
            Numbers.millis(direct.result().driverNanos() / 100));
  }

  private static String calls(Outcome outcome) {
    return Numbers.count(outcome.memoryCalls(), "call") + ", " + Findings.reserved(outcome);
  }
}
