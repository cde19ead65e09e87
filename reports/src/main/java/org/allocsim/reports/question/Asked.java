package org.allocsim.reports.question;

import java.util.List;
import org.allocsim.reports.output.OutputFiles;
import org.jspecify.annotations.Nullable;

/** What a question is asked about, and what for. */
public class Asked {
  private final List<AskedTrace> traces;
  private final boolean isShown;

  /** Traces with no output but the answer. */
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

  /** Whether a page shows runs, which are recorded while they run. */
  public final boolean isShown() {
    return isShown;
  }

  /** The file of an option for further output; null if none was opened. */
  public OutputFiles.@Nullable Output file(String option) {
    return null;
  }

  /** From here on a signal ends the work early, and finished results count. */
  public void mayEndEarly() {}
}
