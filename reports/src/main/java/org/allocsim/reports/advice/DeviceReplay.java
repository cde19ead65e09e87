package org.allocsim.reports.advice;

import java.util.function.IntConsumer;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.pinned.PinnedHostAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.timing.Simulation;
import org.allocsim.simulator.timing.TimeResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * Sends the requests of one device to an allocator as the recorded PyTorch process would: counts
 * the allocation requests, makes streams when the program first asks for one, and ends where a
 * failed request is to end it.
 *
 * <p><b>Requests that fail.</b> A request that failed in the recording is an ALLOCATE row with its
 * FREE right behind it: where it is served under other settings, its memory is given back at once,
 * because the recording does not tell what the program would have done with it. A request that
 * fails only here has its later rows (FREE, USE_STREAM, USE_COMPLETE) passed over: the program is
 * taken to have caught the error and gone on. From the first such request on, the program is no
 * longer known to be the recorded one; {@link AfterOom#STOP} ends there.
 */
public final class DeviceReplay {
  private final AllocationTrace trace;
  private final int device;
  private final AfterOom afterOom;
  private final MemoryStats stats;
  private final RequestFailures failures;

  private int lastRow = Integer.MAX_VALUE;

  /** Null where the addresses are recorded ones. */
  private PyTorchProcess process;

  /**
   * A replay that has not begun.
   *
   * @param trace the requests
   * @param device index of the device whose requests are sent
   * @param version whose words failed requests get; null for allocators that are not PyTorch's
   * @param afterOom how to go on behind a failed request
   * @param stats statistics that hear of the allocator
   * @param mostFailures failed requests that are kept with their message
   */
  public DeviceReplay(
      AllocationTrace trace,
      int device,
      PyTorchVersion version,
      AfterOom afterOom,
      MemoryStats stats,
      int mostFailures) {
    this.trace = trace;
    this.device = device;
    this.afterOom = afterOom;
    this.stats = stats;
    failures = new RequestFailures(device, version, stats, mostFailures);
  }

  /** The failed requests; the allocator's listener must pass on to it what it hears. */
  public RequestFailures failures() {
    return failures;
  }

  /** Whether the replay ended at a failed request. */
  public boolean isStopped() {
    return afterOom == AfterOom.STOP && failures.count() > 0;
  }

  /** The replay is to end behind this row. */
  public void endBehind(int row) {
    lastRow = row;
  }

  /** Sends all requests to an allocator that holds nothing and takes memory from {@code memory}. */
  public void run(
      AllocatorPolicy policy, SimulatedDevice memory, EffectListener listener, IntConsumer before) {
    process = memory == null ? null : new PyTorchProcess(trace, memory);
    replay(policy, listener).run(event -> next(event, before));
  }

  /** As {@link #run}, several times over; see {@link Replay#run(long, Replay.Observer)}. */
  public void run(
      long passes,
      AllocatorPolicy policy,
      SimulatedDevice memory,
      EffectListener listener,
      IntConsumer before) {
    process = new PyTorchProcess(trace, memory);
    replay(policy, listener).run(passes, event -> next(event, before));
  }

  /** As {@link #run}, in time; the policy takes memory from the simulation. */
  public TimeResult runInTime(
      Simulation simulation,
      AllocatorPolicy policy,
      SimulatedDevice memory,
      EffectListener listener,
      IntConsumer before) {
    process = new PyTorchProcess(trace, memory);
    AllocatorPolicy host =
        new PinnedHostAllocator(
            simulation.hostMemory(), EffectListeners.NONE, HostMemoryListener.NONE);
    return simulation.run(policy, host, listener, stats::activeBytes, event -> next(event, before));
  }

  /** Sends the requests behind the prologue to an allocator that was restored to its end. */
  public void runRestored(AllocatorPolicy policy, EffectListener listener, IntConsumer before) {
    replay(policy, listener).runRestored(event -> next(event, before));
  }

  private Replay replay(AllocatorPolicy policy, EffectListener listener) {
    return new Replay(trace, device, policy, listener, stats::activeBytes);
  }

  private boolean next(int event, IntConsumer before) {
    if (isStopped() || event > lastRow) {
      return false;
    }
    before.accept(event);
    boolean allocates = trace.kind(event) == RequestKind.ALLOCATE;
    failures.before(event, allocates && event >= trace.prologueCount());
    if (process != null) {
      process.before(event);
    }
    return true;
  }
}
