package org.allocsim.reports.fleet;

/** A file cannot be read as a trace. The message is one sentence for the user. */
public final class UnreadableTraceException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean isForLackOfMemory;

  /**
   * A file that cannot be read.
   *
   * @param sentence names the file, the cause and the remedy
   * @param isForLackOfMemory whether it is the Java heap that is too small, not the file that is
   *     bad
   */
  public UnreadableTraceException(String sentence, boolean isForLackOfMemory, Throwable cause) {
    super(sentence, cause);
    this.isForLackOfMemory = isForLackOfMemory;
  }

  /** Whether it is the Java heap that is too small, not the file that is bad. */
  public boolean isForLackOfMemory() {
    return isForLackOfMemory;
  }
}
