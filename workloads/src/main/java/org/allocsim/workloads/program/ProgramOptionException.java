package org.allocsim.workloads.program;

/** A value that a program's option cannot have; the message is for users. */
public final class ProgramOptionException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * @param message one sentence that names the option and what it takes
   */
  public ProgramOptionException(String message) {
    super(message);
  }
}
