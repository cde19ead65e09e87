package org.allocsim.analysis.program;

import org.jspecify.annotations.Nullable;

/**
 * A program that is not available under the requested conditions. The message is one sentence for
 * users: where, what is wrong, and what to do.
 */
public final class ProgramException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean isUsage;

  private ProgramException(String message, @Nullable Throwable cause, boolean isUsage) {
    super(message, cause);
    this.isUsage = isUsage;
  }

  /** The trace cannot be read, or does not hold what is needed. */
  static ProgramException ofTrace(Exception cause) {
    return new ProgramException(String.valueOf(cause.getMessage()), cause, false);
  }

  /** The conditions make no sense for this trace. */
  static ProgramException ofConditions(String message, Exception cause) {
    return new ProgramException(message, cause, true);
  }

  static ProgramException ofConditions(String message) {
    return new ProgramException(message, null, true);
  }

  /** Whether the conditions are at fault, not the trace. */
  public boolean isUsage() {
    return isUsage;
  }
}
