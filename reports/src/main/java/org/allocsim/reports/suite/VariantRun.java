package org.allocsim.reports.suite;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.advice.PolicyResult;
import org.allocsim.reports.advice.PolicyTrial;
import org.allocsim.reports.advice.SlackSplit;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemoryTimeline;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/** Replays a variant and looks at its memory at every marker. */
final class VariantRun implements PolicyTrial.Observer, EffectListener {
  /** PyTorch's {@code max_split_size} where it is not set: no block counts as oversize. */
  private static final long NO_OVERSIZE = -1;

  /** Page of expandable segments in the large pool (PyTorch 2.11). */
  private static final long PAGE_BYTES = 20 * Requests.MIB;

  private final AllocationTrace trace;
  private final MemoryStats stats = new MemoryStats(NO_OVERSIZE);
  private final List<Moment> moments = new ArrayList<>();
  private final Map<DriverCall, Long> calls = new EnumMap<>(DriverCall.class);
  private Moment atFirstFailure;
  private Moment end;
  private double reservedSum;
  private long rows;
  private SimulatedDevice device;

  private VariantRun(Variant variant) {
    trace = variant.trace();
  }

  /**
   * The outcome of a variant.
   *
   * @throws IllegalArgumentException where its allocator cannot serve its program
   */
  static Outcome of(Variant variant) {
    VariantRun run = new VariantRun(variant);
    PolicyResult result =
        new PolicyTrial(
                variant.trace(),
                variant.device(),
                variant.profile(),
                variant.limitBytes(),
                variant.version(),
                variant.afterOom())
            .run(variant.choice(), run.stats, new MemoryTimeline(2), run, run);
    if (!result.isRun()) {
      throw new IllegalArgumentException(variant.label() + ": " + result.notRunBecause());
    }
    return new Outcome(
        variant,
        result,
        run.moments,
        run.atFirstFailure,
        run.end,
        run.rows == 0 ? 0 : run.reservedSum / run.rows,
        run.calls);
  }

  @Override
  public boolean before(int event, AllocatorPolicy policy, SimulatedDevice simulated) {
    device = simulated;
    rows++;
    reservedSum += stats.reservedBytes();
    if (trace.kind(event) == RequestKind.MARKER_BEGIN) {
      moments.add(moment(trace.markerNameOf(event), policy));
    }
    return true;
  }

  private Moment moment(String name, AllocatorPolicy policy) {
    return new Moment(
        name,
        stats.requestedBytes(),
        stats.allocatedBytes(),
        stats.reservedBytes(),
        device.freeBytes(),
        device.driverNanos(),
        policy == null ? null : SlackSplit.of(MemoryLayout.of(policy), 0, PAGE_BYTES));
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    if (atFirstFailure == null) {
      atFirstFailure = moment("first failure", null);
    }
  }

  @Override
  public void end(AllocatorPolicy policy, SimulatedDevice simulated) {
    device = simulated;
    end = moment("end", policy);
    for (DriverCall call : DriverCall.values()) {
      calls.put(call, simulated.driverCalls(call));
    }
  }
}
