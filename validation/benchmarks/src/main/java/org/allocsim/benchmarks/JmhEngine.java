package org.allocsim.benchmarks;

import org.allocsim.validation.benchmark.BenchmarkEngine;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.BenchmarkResults;
import org.allocsim.validation.benchmark.ReplayInTurns;

/** Measures with JMH. */
public final class JmhEngine implements BenchmarkEngine {
  /** Called by the service loader. */
  public JmhEngine() {}

  @Override
  public BenchmarkResults run(BenchmarkPlan plan, Progress progress) throws BenchmarkException {
    return new BenchmarkRunner(plan).run(progress);
  }

  @Override
  public ReplayInTurns inTurns(BenchmarkPlan plan) throws BenchmarkException {
    return SteadyReplay.of(plan.programs().getFirst(), plan.policies().getFirst(), plan.effort());
  }
}
