package org.allocsim.validation.benchmark;

import java.util.Optional;
import java.util.ServiceLoader;

/** Measures. Implementations are services of an optional part of allocsim. */
public interface BenchmarkEngine {
  /** Receives how far the work is. */
  @FunctionalInterface
  interface Progress {
    /** So many of all measurements are done. */
    void done(int measurements, int total);
  }

  /**
   * Measures everything that a plan names.
   *
   * @throws BenchmarkException where a benchmark fails
   */
  BenchmarkResults run(BenchmarkPlan plan, Progress progress) throws BenchmarkException;

  /**
   * A replay in this process that is measured a sample at a time, warmed up.
   *
   * @param plan with one program and one policy
   * @throws BenchmarkException where the program cannot be read or the policy cannot serve it
   */
  ReplayInTurns inTurns(BenchmarkPlan plan) throws BenchmarkException;

  /** The engine; empty where the part is not installed. */
  static Optional<BenchmarkEngine> installed() {
    return ServiceLoader.load(BenchmarkEngine.class).findFirst();
  }
}
