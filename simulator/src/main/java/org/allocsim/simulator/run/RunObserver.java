package org.allocsim.simulator.run;

import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;

/**
 * Looks at a run between two requests, and may end it. All methods do nothing unless overridden.
 */
public interface RunObserver {
  /** An observer that does nothing but hear of effects. */
  static RunObserver hearing(EffectListener listener) {
    return new RunObserver() {
      @Override
      public EffectListener effects() {
        return listener;
      }

      @Override
      public int nextRow() {
        return Integer.MAX_VALUE;
      }
    };
  }

  /**
   * What hears of the policy's effects, after the statistics did; the same one every time. An
   * observer that needs only segments says so ({@link EffectListener#followsBlocks}), which makes
   * the run faster.
   */
  default EffectListener effects() {
    return EffectListeners.NONE;
  }

  /** The policy is made; the first row comes next. */
  default void begin(Run run) {}

  /** A row of the trace comes next; answers whether to go on with it. */
  default boolean before(int row) {
    return true;
  }

  /**
   * The first row before which it is to be called again; asked after every call of {@link #before},
   * and a run whose observers name few rows is faster. The first row of a pass comes in any case.
   */
  default int nextRow() {
    return 0;
  }

  /** The simulated device was called, or got streams, by the row that was sent last. */
  default void deviceCalled(int row) {}

  /** The last request was served. */
  default void end() {}

  /** Wall time that it took for itself, which is none of the policy's. */
  default long ownNanos() {
    return 0;
  }
}
