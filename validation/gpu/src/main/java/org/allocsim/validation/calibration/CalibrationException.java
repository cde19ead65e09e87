package org.allocsim.validation.calibration;

/** A calibration cannot go on; the message is one sentence for users. */
public final class CalibrationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CalibrationException(String sentence) {
    super(sentence);
  }
}
