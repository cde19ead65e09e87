package org.allocsim.benchmarks;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.allocsim.benchmarks.suite.PassCounts;
import org.allocsim.benchmarks.suite.ReplayBenchmark;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.validation.benchmark.BenchmarkException;
import org.allocsim.validation.benchmark.BenchmarkPlan.Effort;
import org.allocsim.validation.benchmark.PolicyCase;
import org.allocsim.validation.benchmark.ReplayInTurns;

/**
 * The replay that {@link BenchmarkRunner} measures, in this process and a sample whenever one is
 * asked for: so it can take turns with another program on one core. Where the speed of cores
 * changes by the second, only samples of the same moment compare.
 */
final class SteadyReplay implements ReplayInTurns {
  /**
   * Warm-up samples without compilation after which none is expected. Whether the compiler rests
   * shows more than whether the speed is steady, which other programs disturb.
   */
  private static final int SAMPLES_OF_REST = 5;

  /** How many times longer than it should the warm-up may take until the compiler rests. */
  private static final int MAX_WARM_UP = 3;

  private final ReplayBenchmark replay = new ReplayBenchmark();
  private final boolean plans;
  private final long sampleNanos;
  private long requestsPerPass;
  private long passes;

  private SteadyReplay(PolicyCase policy, Effort effort) {
    plans = policy.plans();
    sampleNanos = TimeUnit.MILLISECONDS.toNanos(effort.sampleMillis());
  }

  /**
   * Makes the trace and the allocator, and replays until the compiler has done its work.
   *
   * @param program a program, or the path of a trace
   * @throws BenchmarkException where it cannot be read or the policy cannot serve it
   */
  static SteadyReplay of(String program, PolicyCase policy, Effort effort)
      throws BenchmarkException {
    SteadyReplay made = new SteadyReplay(policy, effort);
    made.replay.trace = program;
    made.replay.policy = policy.id();
    made.replay.options = policy.optionText();
    try {
      made.replay.prepare();
      PassCounts first = new PassCounts();
      made.pass(first);
      made.requestsPerPass = first.requests;
      if (first.requests == 0) {
        throw new IllegalArgumentException(program + ": holds no requests to measure");
      }
      made.warmUp(effort.warmUps());
    } catch (IllegalArgumentException e) {
      throw new BenchmarkException(e.getMessage(), e);
    } catch (UnfitTraceException e) {
      throw new BenchmarkException(
          policy.label() + " on " + program + ": needs " + e.getMessage(), e);
    } catch (PolicyOptionException e) {
      throw new BenchmarkException(policy.label() + " on " + program + ": " + e.getMessage(), e);
    }
    made.passes = 0;
    return made;
  }

  private void warmUp(int samples) throws UnfitTraceException, PolicyOptionException {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    long compiledMillis = 0;
    int rests = 0;
    for (int done = 0;
        done < samples || (rests < SAMPLES_OF_REST && done < MAX_WARM_UP * samples);
        done++) {
      measure();
      long before = compiledMillis;
      compiledMillis = compiler == null ? 0 : compiler.getTotalCompilationTime();
      rests = compiledMillis == before ? rests + 1 : 0;
    }
  }

  /** Measures one sample; a pass ahead of it brings the caches back from whoever had them. */
  @Override
  public Sample sample() throws BenchmarkException {
    try {
      return measure();
    } catch (UnfitTraceException | PolicyOptionException e) {
      throw new BenchmarkException(e.getMessage(), e);
    }
  }

  private Sample measure() throws UnfitTraceException, PolicyOptionException {
    pass(new PassCounts());
    PassCounts counts = new PassCounts();
    long beginNanos = System.nanoTime();
    long nanos;
    do {
      pass(counts);
      passes++;
      nanos = System.nanoTime() - beginNanos;
    } while (nanos < sampleNanos);
    return new Sample(
        (double) nanos / counts.events,
        (double) nanos / counts.requests,
        (double) counts.cpuNanos / nanos);
  }

  private void pass(PassCounts counts) throws UnfitTraceException, PolicyOptionException {
    if (plans) {
      replay.fresh(counts);
    } else {
      replay.steady(counts);
    }
  }

  @Override
  public long requestsPerPass() {
    return requestsPerPass;
  }

  @Override
  public long passes() {
    return passes;
  }
}
