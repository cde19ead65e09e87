package org.allocsim.analysis.fleet.sweep;

import org.jspecify.annotations.Nullable;

/**
 * A sweep cannot begin, or cannot go on, for a reason that the user can act on. The message is one
 * sentence that names file or option, cause and remedy.
 */
public final class SweepException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isUsage;

  /** The work failed. */
  public SweepException(String sentence, @Nullable Throwable cause) {
    this(false, sentence, cause);
  }

  private SweepException(boolean isUsage, String sentence, @Nullable Throwable cause) {
    super(sentence, cause);
    this.isUsage = isUsage;
  }

  /** What was asked for makes no sense. */
  public static SweepException usage(String sentence) {
    return new SweepException(true, sentence, null);
  }

  /** Whether it is what was asked for that makes no sense. */
  public boolean isUsage() {
    return isUsage;
  }
}
