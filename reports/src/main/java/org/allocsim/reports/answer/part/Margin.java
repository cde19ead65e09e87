package org.allocsim.reports.answer.part;

import static org.allocsim.reports.document.Quantity.count;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Fragility;
import org.allocsim.analysis.tuning.Recommendation;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Sentence;
import org.allocsim.simulator.run.RunResult;

/** How far a setting that serves every request is from failing. */
public final class Margin {
  /** A smaller share than a hundredth of this is left where a slightly larger program fails. */
  private static final long TIGHT_PERCENT = 2;

  private Margin() {}

  /**
   * What a run leaves of what allocators can have at most, and where that is not known.
   *
   * @param copies changed copies of the program under the same setting, where some were run
   * @param next commands about the same
   */
  public static List<Sentence> sentences(
      RunResult result,
      RecordedConditions recordedConditions,
      Optional<Fragility> copies,
      NextCommand next) {
    Sentence margin = sentence(result, recordedConditions.maxBytes(), copies, next);
    return isCertain(result, recordedConditions)
        ? List.of(margin)
        : List.of(
            margin,
            Sentence.of(
                "The recording shows only that its limit was between {} and {}; pass it with"
                    + " --memory-limit or --memory-fraction.",
                Quantity.bytes(recordedConditions.certainBytes()),
                Quantity.bytes(recordedConditions.maxBytes())));
  }

  /** Whether a run fits into what allocators could have at least. */
  public static boolean isCertain(RunResult result, RecordedConditions recordedConditions) {
    return result.peakReservedBytes() <= recordedConditions.certainBytes();
  }

  private static Sentence sentence(
      RunResult result, long maxBytes, Optional<Fragility> copies, NextCommand next) {
    long leftBytes = maxBytes - result.peakReservedBytes();
    boolean isTight = leftBytes < maxBytes / 100 * TIGHT_PERCENT;
    Sentence left =
        Sentence.of(
            isTight
                ? "It leaves only {} of {} ({}): a slightly larger program may fail"
                : "It leaves {} of {} ({})",
            Quantity.bytes(leftBytes),
            Quantity.bytes(maxBytes),
            Quantity.share(leftBytes, maxBytes));
    if (copies.isEmpty()) {
      return isTight
          ? Sentence.of("{}; {} tries fifty.", left, next.line("perturb"))
          : Sentence.of("{}.", left);
    }
    Fragility tried = copies.get();
    return Sentence.of(
        "{}; {} of {} perturbed copies of the program fail with it (sizes changed by up to 2 %,"
            + " neighbours swapped).",
        left, tried.failures() == 0 ? "none" : count(tried.failures()), count(tried.runs().size()));
  }

  /** Why the setting that is best by its own run is not the one that is recommended. */
  public static Optional<Sentence> passedOver(Recommendation recommendation) {
    return recommendation
        .passedOver()
        .map(each ->
            Sentence.of(
                "{} does best on the unchanged program, with at most {} reserved, but {} of {}"
                    + " perturbed copies fail with it.",
                Settings.name(each.entry().conf()),
                Quantity.bytes(each.entry().result().peakReservedBytes()),
                count(each.copies().failures()),
                count(each.copies().runs().size())));
  }
}
