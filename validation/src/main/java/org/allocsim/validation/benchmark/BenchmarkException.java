package org.allocsim.validation.benchmark;

/** A benchmark could not be run; the message is a sentence for the user. */
public final class BenchmarkException extends Exception {
  private static final long serialVersionUID = 1;

  /** A failure for a reason. */
  public BenchmarkException(String message, Throwable cause) {
    super(message, cause);
  }
}
