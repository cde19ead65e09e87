package org.allocsim.reports.output;

import org.allocsim.analysis.oom.OomVerdict;

/** Exit codes of every command. */
public final class ExitCodes {
  public static final int DONE = 0;

  /** The work failed: unreadable input, unwritable output, a defect. */
  public static final int FAILED = 1;

  /** The command line is wrong. */
  public static final int USAGE = 2;

  /** The work is done and a check did not hold. */
  public static final int CHECK_DID_NOT_HOLD = 3;

  /** {@code explain-oom}: memory ran out, and the text has no number that says why. */
  public static final int NO_NUMBERS = 20;

  private ExitCodes() {}

  /** The exit code of a verdict, as the help of {@code explain-oom} lists it. */
  public static int of(OomVerdict verdict) {
    return switch (verdict) {
      case FRAGMENTED -> 10;
      case FULL -> 11;
      case CAPPED -> 12;
      case POOL -> 13;
      case NOT_ALLOCATOR -> 14;
      case SPILLED -> 15;
      case IMPOSSIBLE -> 16;
      case UNKNOWN -> 17;
      case ELSEWHERE -> 18;
      case HOST -> 19;
    };
  }
}
