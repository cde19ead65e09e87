package org.allocsim.reports.question;

import java.util.List;
import org.allocsim.reports.output.OutputFiles;
import org.jspecify.annotations.Nullable;

/** What a question is asked about, and what for. */
public class Asked {
  private final List<AskedTrace> traces;
  private final boolean isShown;

  /** Traces whose answer alone is wanted. */
  public Asked(List<AskedTrace> traces) {
    this(traces, false);
  }

  /**
   * Traces.
   *
   * @param isShown whether a page shows runs of them
   */
  Asked(List<AskedTrace> traces, boolean isShown) {
    this.traces = List.copyOf(traces);
    this.isShown = isShown;
  }

  /** The traces. */
  public final List<AskedTrace> traces() {
    return traces;
  }

  /** The only trace, or the first. */
  public final AskedTrace trace() {
    return traces.getFirst();
  }

  /** Whether a page shows runs, which are recorded while they go on. */
  public final boolean isShown() {
    return isShown;
  }

  /** The file of an option that takes more than the answer; null where none was opened. */
  public OutputFiles.@Nullable Output file(String option) {
    return null;
  }

  /** Says that a signal may end the work from here on, and what is finished counts. */
  public void mayEndEarly() {}
}
