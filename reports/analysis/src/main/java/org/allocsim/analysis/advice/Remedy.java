package org.allocsim.analysis.advice;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of a program that its author could make.
 *
 * @param name its id
 * @param title what one does
 * @param cost what it costs beside memory, in words
 * @param changesResults whether the numbers that the program computes may become others
 * @param group of the remedies of a group, one at most is part of a combination
 * @param after name of the remedy that is tried first, as this one does more of the same; null
 *     where there is none
 * @param isOnRequest whether it is tried only where it is asked for
 * @param reasonAgainst why it does not apply to the program; null where it may help
 * @param maxSavedBytes the most that it can save of what is live at the peak; null where that is
 *     not known
 * @param gpus number of GPUs that it needs
 * @param lines what to paste for the same effect
 */
public record Remedy(
    String name,
    String title,
    String cost,
    boolean changesResults,
    String group,
    @Nullable String after,
    boolean isOnRequest,
    @Nullable String reasonAgainst,
    @Nullable Long maxSavedBytes,
    int gpus,
    List<Lines> lines) {
  /** Keeps its own copy. */
  public Remedy {
    lines = List.copyOf(lines);
  }

  /**
   * Lines to paste.
   *
   * @param place {@code FILE:LINE} of a statement
   * @param text the lines
   * @param replaces whether they take its place; else they go after it
   */
  public record Lines(String place, String text, boolean replaces) {}
}
