package org.allocsim.analysis.serving;

/**
 * How much of the longest answers of running sequences SGLang keeps room for where it begins
 * others: a share that falls with each step of decoding and rises where memory runs out.
 *
 * <p><b>Source.</b> sgl-project/sglang, {@code
 * managers/scheduler_components/new_token_ratio_tracker.py} (August 2026): {@code
 * SGLANG_INIT_NEW_TOKEN_RATIO} 0.7, {@code SGLANG_MIN_NEW_TOKEN_RATIO_FACTOR} 0.14, {@code
 * SGLANG_NEW_TOKEN_RATIO_DECAY_STEPS} 600, {@code SGLANG_RETRACT_DECODE_STEPS} 20.
 */
final class NewTokenRatio {
  /** Steps of decoding for which there is to be room after sequences were thrown out. */
  static final int RETRACT_STEPS = 20;

  private static final double INITIAL = 0.7;
  private static final double LEAST_FACTOR = 0.14;
  private static final int DECAY_STEPS = 600;

  private final double initial;
  private final double least;
  private final double decay;
  private double now;

  NewTokenRatio(double conservativeness) {
    initial = Math.min(INITIAL * conservativeness, 1);
    least = Math.min(initial * LEAST_FACTOR, 1);
    decay = (initial - least) / DECAY_STEPS;
    now = initial;
  }

  double now() {
    return now;
  }

  /** Nothing runs. */
  void reset() {
    now = initial;
  }

  /** A step of decoding had room. */
  void decay() {
    now = Math.max(now - decay, least);
  }

  /**
   * Sequences were thrown out.
   *
   * @param answered tokens of the answers of those that are left
   * @param most tokens of their longest answers
   * @param count how many are left
   */
  void rise(long answered, long most, int count) {
    now = Math.min(1, (answered + (double) RETRACT_STEPS * count) / (most + 1));
  }
}
