package org.allocsim.validation.calibration;

/**
 * How far a calibration goes.
 *
 * @param mostBytes device memory that it may take
 * @param mostNanos time after which no round begins
 * @param mostRounds maximum number of rounds of experiments
 * @param fills whether it may take all memory for a moment, to see what happens then
 */
public record CalibrationBounds(long mostBytes, long mostNanos, int mostRounds, boolean fills) {
  /** Rounds after which parameters hardly change any more. */
  public static final int ROUNDS = 40;

  /** Less memory than this says nothing about larger blocks. */
  public static final long LEAST_BYTES = 4L << 30;

  /** Refuses bounds that are too narrow. */
  public CalibrationBounds {
    if (mostBytes < LEAST_BYTES || mostNanos <= 0 || mostRounds <= 0) {
      throw new IllegalArgumentException(
          "a calibration needs %d bytes, some time and a round".formatted(LEAST_BYTES));
    }
  }
}
