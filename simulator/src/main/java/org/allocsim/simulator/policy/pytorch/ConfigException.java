package org.allocsim.simulator.policy.pytorch;

/**
 * A setting that PyTorch refuses. The message is PyTorch's own text, {@link #errorType()} the
 * Python exception that carries it.
 */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String errorType;

  ConfigException(String errorType, String message) {
    super(message);
    this.errorType = errorType;
  }

  /** {@code "ValueError"}, {@code "RuntimeError"}, {@code "TypeError"} or {@code "IndexError"}. */
  public String errorType() {
    return errorType;
  }
}
