package org.allocsim.reports.answer.replay;

import java.util.Locale;
import org.allocsim.analysis.text.Numbers;

/**
 * Calls of {@code torch.cuda.empty_cache()} that a program is replayed with and did not make.
 *
 * @param place where they stand
 * @param number number of the place, 0 where it has none
 */
public record CacheInsertion(Place place, long number) {
  /** Where calls stand. */
  public enum Place {
    /** Where a phase of the program begins or ends. */
    PHASE_BOUNDARIES,
    /** After every so many steps. */
    EVERY,
    /** Right before each request that fails without them. */
    BEFORE_OOM,
    /** Right before one allocation request. */
    REQUEST
  }

  /** What was inserted, in a sentence. */
  String note(int calls) {
    if (calls == 0) {
      return "no empty_cache() was inserted: "
          + (place == Place.BEFORE_OOM
              ? "no request fails without it"
              : "the program is too short");
    }
    return "empty_cache() was inserted "
        + Numbers.count(calls, "time")
        + ", "
        + switch (place) {
          case PHASE_BOUNDARIES -> "at phase boundaries";
          case EVERY -> "every " + Numbers.count(number, "step");
          case BEFORE_OOM -> "right before each request that fails without it";
          case REQUEST -> "before allocation request " + Numbers.count(number);
        }
        + "; the recorded program did not call it there";
  }

  /** The place as the option has it. */
  @Override
  public String toString() {
    return switch (place) {
      case PHASE_BOUNDARIES, BEFORE_OOM -> word(place);
      case EVERY, REQUEST -> word(place) + ":" + number;
    };
  }

  private static String word(Place place) {
    return place.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
