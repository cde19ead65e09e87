package org.allocsim.simulator.typed;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** The known name that a mistyped one may have meant. */
public final class SimilarName {
  /** Of three letters one may be wrong, of six two. */
  private static final int LETTERS_PER_MISTAKE = 3;

  /** Longer texts are no names, and would take long to compare. */
  private static final int MAX_LETTERS = 64;

  private SimilarName() {}

  /**
   * The remedy at the end of a sentence about an unknown name: {@code did you mean 'tune'?}
   *
   * @param known all names that would have been right
   * @param otherwise the remedy where none of them is similar
   */
  public static String remedy(String typed, Collection<String> known, String otherwise) {
    return of(typed, known).map(name -> "did you mean '" + name + "'?").orElse(otherwise);
  }

  /** What follows a sentence that lists all names: {@code ; did you mean 'tune'?}, or nothing. */
  public static String hint(String typed, Collection<String> known) {
    String remedy = remedy(typed, known, "");
    return remedy.isEmpty() ? "" : "; " + remedy;
  }

  /**
   * The most similar of some names: the one that the fewest letters distinguish, where these are at
   * most a third; else the shortest that contains what was typed, or the longest that it contains.
   * Case and punctuation do not count. Of equals the first is taken, one with the same first letter
   * before others.
   */
  public static Optional<String> of(String typed, Collection<String> known) {
    String wanted = letters(typed);
    if (wanted.length() > MAX_LETTERS) {
      return Optional.empty();
    }
    return known.stream()
        .filter(name -> mistakes(wanted, letters(name)) <= wanted.length() / LETTERS_PER_MISTAKE)
        .min(
            Comparator.comparingInt((String name) -> mistakes(wanted, letters(name)))
                .thenComparing(name -> !sharesFirstLetter(wanted, letters(name))))
        .or(() -> containing(wanted, known));
  }

  private static Optional<String> containing(String wanted, Collection<String> known) {
    if (wanted.length() < LETTERS_PER_MISTAKE) {
      return Optional.empty();
    }
    return known.stream()
        .filter(name -> letters(name).contains(wanted))
        .min(Comparator.comparingInt(String::length))
        .or(() ->
            known.stream()
                .filter(name -> letters(name).length() >= LETTERS_PER_MISTAKE)
                .filter(name -> wanted.contains(letters(name)))
                .max(Comparator.comparingInt(String::length)));
  }

  private static boolean sharesFirstLetter(String wanted, String name) {
    return !name.isEmpty() && !wanted.isEmpty() && name.charAt(0) == wanted.charAt(0);
  }

  private static String letters(String name) {
    StringBuilder plain = new StringBuilder();
    name.toLowerCase(Locale.ROOT)
        .codePoints()
        .filter(Character::isLetterOrDigit)
        .forEach(plain::appendCodePoint);
    return plain.toString();
  }

  /**
   * How many letters must be added, removed, replaced or swapped with their neighbour to make one
   * text of the other, no letter twice (optimal string alignment).
   */
  public static int mistakes(String from, String to) {
    int[] before = new int[to.length() + 1];
    int[] last = new int[to.length() + 1];
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        row[j] = Math.min(Math.min(row[j - 1], last[j]) + 1, last[j - 1] + (same ? 0 : 1));
        if (i > 1
            && j > 1
            && from.charAt(i - 1) == to.charAt(j - 2)
            && from.charAt(i - 2) == to.charAt(j - 1)) {
          row[j] = Math.min(row[j], before[j - 2] + 1);
        }
      }
      int[] free = before;
      before = last;
      last = row;
      row = free;
    }
    return last[to.length()];
  }
}
