package org.allocsim.benchmarks.suite;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * One allocator with all its statistics, over which a trace is sent again and again. At the end of
 * a pass what is still held is given back, so that the next can begin; the allocator's cache stays
 * as it is. From the second pass on this is the steady state of a program that does the same all
 * over, as PyTorch's own allocator is measured.
 */
final class AllocatorPass {
  private static final long NO_OVERSIZE = -1;

  /** Passes after which the cache has what every further pass needs. */
  private static final int PASSES_TO_STEADY_STATE = 2;

  private final AllocatorPolicy policy;
  private final MemoryStats stats = new MemoryStats(NO_OVERSIZE);
  private final Replay replay;
  private final int[] heldAtEnd;
  private final Counter counter = new Counter();

  /**
   * An allocator that holds nothing.
   *
   * @param program the requests, and which of them are held at the end
   * @throws UnfitTraceException where the policy cannot serve the requests
   */
  AllocatorPass(
      Program program, PolicyProvider provider, Map<String, String> options, DeviceProfile profile)
      throws UnfitTraceException, PolicyOptionException {
    this(program, provider, options, profile, false);
  }

  private AllocatorPass(
      Program program,
      PolicyProvider provider,
      Map<String, String> options,
      DeviceProfile profile,
      boolean counts)
      throws UnfitTraceException, PolicyOptionException {
    EffectListener listener = counts ? EffectListeners.both(stats, counter) : stats;
    policy =
        provider.create(
            new PolicySettings(-1, options),
            new FutureRequests(program.trace(), program.device()),
            new SimulatedDevice(profile),
            listener);
    replay = new Replay(program.trace(), program.device(), policy, listener, stats::activeBytes);
    heldAtEnd = program.heldAtEnd();
  }

  /** Sends all requests once, then gives back what is still held. */
  void run() {
    replay.run(_ -> true);
    for (int allocation : heldAtEnd) {
      policy.free(allocation);
    }
  }

  /** The statistics over all passes. */
  MemoryStats stats() {
    return stats;
  }

  /** Effects of the first pass of an allocator. */
  static long eventsOfFirstPass(
      Program program, PolicyProvider provider, Map<String, String> options, DeviceProfile profile)
      throws UnfitTraceException, PolicyOptionException {
    AllocatorPass pass = new AllocatorPass(program, provider, options, profile, true);
    pass.run();
    return pass.counter.effects;
  }

  /** Effects of each pass of an allocator once it has what it needs. */
  static long eventsOfSteadyPass(
      Program program, PolicyProvider provider, Map<String, String> options, DeviceProfile profile)
      throws UnfitTraceException, PolicyOptionException {
    AllocatorPass pass = new AllocatorPass(program, provider, options, profile, true);
    for (int i = 0; i < PASSES_TO_STEADY_STATE; i++) {
      pass.run();
    }
    long before = pass.counter.effects;
    pass.run();
    return pass.counter.effects - before;
  }

  /** Counts effects, at set-up only: what is timed has the statistics and nothing else. */
  private static final class Counter implements EffectListener {
    private long effects;

    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      effects++;
    }

    @Override
    public void freeRequested(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      effects++;
    }

    @Override
    public void freeCompleted(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      effects++;
    }

    @Override
    public void reservedChanged(long bytes) {
      effects++;
    }

    @Override
    public void outOfMemory(org.allocsim.simulator.effect.OutOfMemory failure) {
      effects++;
    }
  }

  /**
   * What is sent.
   *
   * @param trace the requests
   * @param device whose requests count
   * @param requests rows of that device, and those that give back what is held at the end
   * @param heldAtEnd allocations of that device that no row gives back
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Program(AllocationTrace trace, int device, long requests, int[] heldAtEnd) {
    /** The program of a name; see {@link Inputs}. */
    static Program of(String name) {
      return of(Inputs.requests(name));
    }

    static Program of(AllocationTrace trace) {
      int device = Inputs.firstDevice(trace);
      boolean[] held = new boolean[trace.allocationCount()];
      long rows = 0;
      for (int event = 0; event < trace.eventCount(); event++) {
        if (trace.device(event) != device) {
          continue;
        }
        switch (trace.kind(event)) {
          case ALLOCATE, RESTORE_BLOCK -> held[trace.allocation(event)] = true;
          case FREE -> held[trace.allocation(event)] = false;
          case MARKER_BEGIN, MARKER_END -> rows--;
          default -> {}
        }
        rows++;
      }
      int[] atEnd =
          java.util.stream.IntStream.range(0, held.length).filter(id -> held[id]).toArray();
      return new Program(trace, device, rows + atEnd.length, atEnd);
    }
  }
}
