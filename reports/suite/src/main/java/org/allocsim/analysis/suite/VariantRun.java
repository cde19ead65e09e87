package org.allocsim.analysis.suite;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.moment.SlackSplit;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.jspecify.annotations.Nullable;

/** Replays a variant and looks at its memory at every marker. */
final class VariantRun implements RunObserver, EffectListener {
  /** Page of expandable segments in the large pool (PyTorch 2.11). */
  private static final long PAGE_BYTES = 20 * Requests.MIB;

  private final AllocationTrace trace;
  private final List<Moment> moments = new ArrayList<>();
  private @Nullable Moment atFirstFailure;

  @SuppressWarnings("NullAway.Init") // made by the end of the run
  private Moment end;

  private double reservedSum;
  private long rows;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

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
    RunResult result = Run.of(variant.setup(), run);
    if (!result.isRun()) {
      throw new IllegalArgumentException(variant.label() + ": " + result.notRunBecause());
    }
    return new Outcome(
        variant,
        result,
        run.moments,
        run.atFirstFailure,
        run.end,
        run.rows == 0 ? 0 : run.reservedSum / run.rows);
  }

  @Override
  public EffectListener effects() {
    return this;
  }

  @Override
  public boolean followsBlocks() {
    return false;
  }

  @Override
  public void begin(Run begun) {
    run = begun;
  }

  @Override
  public boolean before(int event) {
    rows++;
    reservedSum += run.stats().reservedBytes();
    if (trace.kind(event) == RequestKind.MARKER_BEGIN) {
      moments.add(moment(trace.markerNameOf(event)));
    }
    return true;
  }

  private Moment moment(String name) {
    return new Moment(
        name,
        run.stats().requestedBytes(),
        run.stats().allocatedBytes(),
        run.stats().reservedBytes(),
        run.deviceFreeBytes().orElseThrow(),
        run.driverNanos(),
        SlackSplit.of(MemoryLayout.of(run.policy()), 0, PAGE_BYTES));
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    if (atFirstFailure == null) {
      atFirstFailure = moment("first failure");
    }
  }

  @Override
  public void end() {
    end = moment("end");
  }
}
