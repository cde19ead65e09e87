package org.allocsim.reports.output;

import org.allocsim.analysis.program.ProgramException;
import org.jspecify.annotations.Nullable;

/**
 * A command cannot go on for a reason that the user can act on. The message is one sentence that
 * names file or option, cause and remedy.
 */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  /** The work failed: exit code 1. */
  public Failure(String sentence) {
    this(ExitCodes.FAILED, sentence, null);
  }

  /** The work failed with a cause, which only the debugging output shows. */
  public Failure(String sentence, Throwable cause) {
    this(ExitCodes.FAILED, sentence, cause);
  }

  /** The work failed with an exit code of its own. */
  public Failure(int exitCode, String sentence) {
    this(exitCode, sentence, null);
  }

  private Failure(int exitCode, String sentence, @Nullable Throwable cause) {
    super(sentence, cause);
    this.exitCode = exitCode;
  }

  /** The command line asks for something that makes no sense: exit code 2. */
  public static Failure usage(String sentence) {
    return new Failure(ExitCodes.USAGE, sentence, null);
  }

  /** A program that cannot be had. */
  public static Failure of(ProgramException cause) {
    String sentence = String.valueOf(cause.getMessage());
    return cause.isUsage() ? usage(sentence) : new Failure(sentence, cause);
  }

  /** The exit code of the process. */
  public int exitCode() {
    return exitCode;
  }
}
