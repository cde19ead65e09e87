package org.allocsim.benchmarks.suite;

import java.util.concurrent.TimeUnit;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.policy.pinned.PinnedHostAllocator;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.timing.Roofline;
import org.allocsim.simulator.timing.Simulation;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.validation.benchmark.BenchmarkPlan;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Simulation in time: kernels, copies and requests of a program on streams, with PyTorch's
 * allocator and its statistics. Every pass has a new simulation. Events are rows of the program.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class TimeBenchmark {
  private static final long NO_OVERSIZE = -1;

  /** What is run; see {@link Inputs}. */
  @Param({BenchmarkPlan.GPT, BenchmarkPlan.LLAMA})
  public String trace;

  private AllocationTrace program;
  private int device;
  private long rows;
  private long requests;

  /** For JMH. */
  public TimeBenchmark() {}

  /** Makes the program. */
  @Setup
  public void prepare() {
    program = Inputs.program(trace);
    device = Inputs.firstDevice(program);
    for (int event = 0; event < program.eventCount(); event++) {
      if (program.device(event) == device) {
        rows++;
        requests += program.kind(event).isWork() ? 0 : 1;
      }
    }
  }

  /** Runs the program from its start to its end. */
  @Benchmark
  public TimeResult simulate(PassCounts counts) {
    long startNanos = PassCounts.now();
    DeviceProfile profile = DeviceProfiles.defaultProfile();
    Simulation simulation =
        new Simulation(
            program, device, new SimulatedDevice(profile), Roofline.of(profile.compute()));
    MemoryStats stats = new MemoryStats(NO_OVERSIZE);
    CachingAllocator policy =
        new CachingAllocator(
            AllocatorConfig.DEFAULT,
            PyTorchVersion.DEFAULT,
            MemoryLimit.NONE,
            simulation.memory(),
            EffectListeners.both(stats, simulation.listener()));
    PinnedHostAllocator host =
        new PinnedHostAllocator(
            simulation.hostMemory(), EffectListeners.NONE, HostMemoryListener.NONE);
    TimeResult result =
        simulation.run(policy, host, stats, stats::activeBytes, Simulation.Observer.NONE);
    counts.add(rows, requests, startNanos);
    return result;
  }
}
