package org.allocsim.validation.calibration;

/**
 * How far a calibration goes.
 *
 * @param maxBytes device memory that it may take
 * @param maxNanos time after which no round begins
 * @param maxRounds maximum number of rounds of experiments
 * @param fills whether it may take all memory for a moment, to see what happens then
 */
public record CalibrationBounds(long maxBytes, long maxNanos, int maxRounds, boolean fills) {
  /** Rounds after which parameters hardly change any more. */
  public static final int ROUNDS = 40;

  /** Less memory than this says nothing about larger blocks. */
  public static final long MIN_BYTES = 4L << 30;

  /** Refuses bounds that are too narrow. */
  public CalibrationBounds {
    if (maxBytes < MIN_BYTES || maxNanos <= 0 || maxRounds <= 0) {
      throw new IllegalArgumentException(
          "a calibration needs %d bytes, some time and a round".formatted(MIN_BYTES));
    }
  }
}
