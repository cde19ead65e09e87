package org.allocsim.reports.question.replay;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;

/** Checks the invariants of PyTorch's allocator before and after every request. */
final class CheckedInvariants implements RunObserver {
  private final InvariantChecker checker;

  @SuppressWarnings("NullAway.Init") // a run begins before its rows come
  private Run run;

  /**
   * For one run.
   *
   * @param limitBytes the allocator's own limit, −1 without one
   */
  CheckedInvariants(AllocatorConfig config, long limitBytes) {
    checker = new InvariantChecker(maxBytes(config, limitBytes));
  }

  /** What may be reserved; expandable segments may pass the limit by a part of a page (2.11). */
  private static long maxBytes(AllocatorConfig config, long limitBytes) {
    if (limitBytes < 0) {
      return InvariantChecker.UNLIMITED;
    }
    return config.expandableSegments() ? limitBytes + config.largeSegmentBytes() - 1 : limitBytes;
  }

  @Override
  public EffectListener effects() {
    return checker;
  }

  @Override
  public void begin(Run begun) {
    run = begun;
    checker.startFrom(run.policy());
  }

  @Override
  public boolean before(int row) {
    checker.check(run.policy());
    return true;
  }

  @Override
  public void end() {
    checker.check(run.policy());
  }
}
