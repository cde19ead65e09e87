package org.allocsim.workloads.source;

/**
 * What the user asked for does not exist in a trace: a format, a program, a device. The message is
 * one sentence for the user with the remedy.
 */
public final class SourceUsageException extends Exception {
  private static final long serialVersionUID = 1L;

  SourceUsageException(String message) {
    super(message);
  }

  SourceUsageException(String message, Throwable cause) {
    super(message, cause);
  }
}
