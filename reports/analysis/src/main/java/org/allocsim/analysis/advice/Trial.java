package org.allocsim.analysis.advice;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run of the program with remedies.
 *
 * @param remedies names of the remedies; empty for the program as it is
 * @param result its result
 * @param work what a step of it computes; null where that is not known
 * @param file its recording; null where it was not kept
 * @param seconds how long the run took
 * @param notes what limits the result: how far the program was run, what was guessed
 */
public record Trial(
    List<String> remedies,
    Result result,
    @Nullable StepWork work,
    @Nullable String file,
    double seconds,
    List<String> notes) {
  /** Keeps its own copies. */
  public Trial {
    remedies = List.copyOf(remedies);
    notes = List.copyOf(notes);
  }

  /** A run that nothing limits. */
  Trial(
      List<String> remedies,
      Result result,
      @Nullable StepWork work,
      @Nullable String file,
      double seconds) {
    this(remedies, result, work, file, seconds, List.of());
  }

  /** The result of a run. */
  public sealed interface Result {}

  /**
   * The program did not do all of its work.
   *
   * @param sentence how it ended
   */
  public record Problem(String sentence) implements Result {}

  /**
   * What the program needs, as an estimate has it.
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
      @Nullable String smallestGpu)
      implements Result {}

  /** What the program needs; null where it did not do all of its work. */
  public @Nullable Outcome outcome() {
    return result instanceof Outcome found ? found : null;
  }

  /** How it ended where it did not do all of its work; null where it did. */
  public @Nullable String problem() {
    return result instanceof Problem(var sentence) ? sentence : null;
  }

  /** Whether it is the program as it is. */
  public boolean isBaseline() {
    return remedies.isEmpty();
  }
}
