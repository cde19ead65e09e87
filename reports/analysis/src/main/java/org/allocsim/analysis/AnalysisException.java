package org.allocsim.analysis;

/**
 * A question that cannot be answered: the input is missing, damaged or lacks what the question
 * needs, or the question names what does not exist. The message is one sentence for users: where,
 * what is wrong, and what to do.
 */
public final class AnalysisException extends Exception {
  private static final long serialVersionUID = 1L;

  public AnalysisException(String message) {
    super(message);
  }

  AnalysisException(String message, Throwable cause) {
    super(message, cause);
  }
}
