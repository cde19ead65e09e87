package org.allocsim.reports.answer.part;

import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.simulator.run.RunResult;

/** How far a setting that serves every request is from failing. */
public final class Margin {
  /** A smaller share than a hundredth of this is left where a slightly larger program fails. */
  private static final long TIGHT_PERCENT = 2;

  private Margin() {}

  /** What a run leaves of what allocators can have at most. */
  public static Sentence sentence(RunResult result, long maxBytes) {
    long leftBytes = maxBytes - result.peakReservedBytes();
    boolean isTight = leftBytes < maxBytes / 100 * TIGHT_PERCENT;
    return Sentence.of(
        isTight
            ? "It leaves only {} of {} ({}): a slightly larger program may fail; 'allocsim perturb'"
                + " tries fifty."
            : "It leaves {} of {} ({}).",
        Quantity.bytes(leftBytes),
        Quantity.bytes(maxBytes),
        Quantity.share(leftBytes, maxBytes));
  }
}
