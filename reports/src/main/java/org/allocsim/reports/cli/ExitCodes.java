package org.allocsim.reports.cli;

/** Exit codes of every command. */
final class ExitCodes {
  /** The work is done. */
  static final int DONE = 0;

  /** The work failed: unreadable input, unwritable output, a defect. */
  static final int FAILED = 1;

  /** The command line is wrong. */
  static final int USAGE = 2;

  /** The work is done and a check did not hold. */
  static final int CHECK_DID_NOT_HOLD = 3;

  private ExitCodes() {}
}
