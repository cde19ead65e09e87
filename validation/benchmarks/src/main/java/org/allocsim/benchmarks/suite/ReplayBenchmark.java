package org.allocsim.benchmarks.suite;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.allocsim.validation.benchmark.PolicyCase;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Replay of a trace through a policy, with PyTorch's 122 statistics. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ReplayBenchmark {
  /** What is replayed; see {@link Inputs}. */
  @Param({BenchmarkPlan.GPT, BenchmarkPlan.LLAMA})
  public String trace;

  /** The allocator, by its id. */
  @Param("pytorch")
  public String policy;

  /** Its options, as {@code name=value}, separated by semicolons. */
  @Param({"", "conf=expandable_segments:True"})
  public String options;

  private PolicyProvider provider;
  private Map<String, String> values;
  private AllocatorPass.Program program;
  private AllocatorPass pass;
  private long eventsOfFirstPass;
  private long eventsOfSteadyPass;

  /** For JMH. */
  public ReplayBenchmark() {}

  /** Makes the trace and an allocator whose cache has what the trace needs. */
  @Setup
  public void prepare() throws UnfitTraceException, PolicyOptionException {
    provider =
        Policies.named(policy)
            .orElseThrow(() -> new IllegalArgumentException("no policy " + policy));
    values = PolicyCase.parseOptions(options);
    program = AllocatorPass.Program.of(trace);
    pass = newPass();
    eventsOfFirstPass =
        AllocatorPass.eventsOfFirstPass(program, provider, values, DeviceProfiles.defaultProfile());
    eventsOfSteadyPass =
        AllocatorPass.eventsOfSteadyPass(
            program, provider, values, DeviceProfiles.defaultProfile());
    pass.run();
  }

  /** Why a policy cannot serve a program; empty where it can. */
  public static Optional<String> reasonAgainst(PolicyCase policy, String program) {
    try {
      new AllocatorPass(
          AllocatorPass.Program.of(program),
          policy.provider(),
          policy.options(),
          DeviceProfiles.defaultProfile());
      return Optional.empty();
    } catch (UnfitTraceException e) {
      return Optional.of("needs " + e.getMessage());
    } catch (PolicyOptionException e) {
      return Optional.of(e.getMessage());
    }
  }

  private AllocatorPass newPass() throws UnfitTraceException, PolicyOptionException {
    return new AllocatorPass(program, provider, values, DeviceProfiles.defaultProfile());
  }

  /** The same allocator pass after pass: its cache has what it needs. */
  @Benchmark
  public long steady(PassCounts counts) {
    long startNanos = PassCounts.now();
    pass.run();
    counts.add(eventsOfSteadyPass, program.requests(), startNanos);
    return pass.stats().reservedBytes();
  }

  /** A new allocator for each pass, as one replay of a recording has; making it counts. */
  @Benchmark
  public long fresh(PassCounts counts) throws UnfitTraceException, PolicyOptionException {
    long startNanos = PassCounts.now();
    AllocatorPass first = newPass();
    first.run();
    counts.add(eventsOfFirstPass, program.requests(), startNanos);
    return first.stats().reservedBytes();
  }
}
