package org.allocsim.analysis.advice;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run of the program with remedies.
 *
 * @param remedies names of the remedies; empty for the program as it is
 * @param outcome what it needs; null where it did not do all of its work
 * @param problem why not; null where it did
 * @param work what a step of it computes; null where that is not known
 * @param file its recording; null where it was not kept
 * @param seconds how long the run took
 */
public record Trial(
    List<String> remedies,
    @Nullable Outcome outcome,
    @Nullable String problem,
    @Nullable StepWork work,
    @Nullable String file,
    double seconds) {
  /** Keeps its own copy. */
  public Trial {
    remedies = List.copyOf(remedies);
  }

  /**
   * What a program needs, as an estimate has it.
   *
   * @param requestedBytes what it asked for at its peak
   * @param allocatedBytes the peak of allocated memory
   * @param reservedBytes the peak of reserved memory under its own settings
   * @param highBytes the upper end of the estimate; null where memory grows with each step
   * @param conf its own settings; empty for PyTorch's defaults
   * @param bestConf the settings under which it reserves least
   * @param bestReservedBytes the peak under these
   * @param smallestGpu the smallest GPU on which it surely fits; null where there is none
   */
  public record Outcome(
      long requestedBytes,
      long allocatedBytes,
      long reservedBytes,
      @Nullable Long highBytes,
      String conf,
      String bestConf,
      long bestReservedBytes,
      @Nullable String smallestGpu) {}

  /** Whether it is the program as it is. */
  public boolean isBaseline() {
    return remedies.isEmpty();
  }
}
