package org.allocsim.analysis.leak;

/** A trace has no iterations, or too few of them. The message says what to do about it. */
public final class IterationException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean nameUnknown;

  IterationException(String sentence, boolean nameUnknown) {
    super(sentence);
    this.nameUnknown = nameUnknown;
  }

  /** Whether a marker was asked for that the trace does not have. */
  public boolean isNameUnknown() {
    return nameUnknown;
  }
}
