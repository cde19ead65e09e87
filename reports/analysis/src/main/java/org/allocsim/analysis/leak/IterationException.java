package org.allocsim.analysis.leak;

/** A trace has no iterations, or too few of them. The message says what to do about it. */
public final class IterationException extends Exception {
  private static final long serialVersionUID = 1L;

  static final String REMEDY =
      "record more iterations, or mark each with torch.profiler.record_function(\"step\")";

  private final boolean nameUnknown;

  IterationException(String sentence, boolean nameUnknown) {
    super(sentence);
    this.nameUnknown = nameUnknown;
  }

  /** Only the layers of one pass repeat. */
  static IterationException withinOnePass(String repeated) {
    return new IterationException(
        "no iterations to compare: only layers of one forward pass repeat ("
            + repeated
            + "); "
            + REMEDY,
        false);
  }

  /** Whether the requested marker is not in the trace. */
  public boolean isNameUnknown() {
    return nameUnknown;
  }
}
