package org.allocsim.analysis.fleet.sweep;

/** A trace does not fit the Java heap, at least not beside others. */
public final class HeapTooSmallException extends Exception {
  private static final long serialVersionUID = 1L;

  HeapTooSmallException(Throwable cause) {
    super("the Java heap is too small", cause);
  }

  /** What is said of it in a row. */
  static String sentence() {
    return "it does not fit "
        + (Runtime.getRuntime().maxMemory() >> 20)
        + " MiB of Java heap; allow more with ALLOCSIM_HEAP and sweep again";
  }
}
