package org.allocsim.reports.answer.job;

import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.document.Sentence;

/** How sentences name ranks. */
final class JobWords {
  /** Names in a list; of more, how many there are. */
  static final int NAMES_SHOWN = 8;

  private JobWords() {}

  /** "rank 3", "ranks 1, 2 and 5", "ranks 0 to 7", or names of files. */
  static String ranks(List<Rank> ranks) {
    if (ranks.size() == 1) {
      return ranks.getFirst().label();
    }
    if (ranks.stream().anyMatch(rank -> rank.number() == null)) {
      return list(ranks.stream().map(Rank::id).toList(), NAMES_SHOWN);
    }
    return "ranks "
        + (isRun(ranks)
            ? ranks.getFirst().id() + " to " + ranks.getLast().id()
            : list(ranks.stream().map(Rank::id).toList(), NAMES_SHOWN));
  }

  /** The same at the beginning of a sentence; names of files stay as they are. */
  static String begin(String ranks) {
    return ranks.startsWith("rank ") || ranks.startsWith("ranks ")
        ? "R" + ranks.substring(1)
        : ranks;
  }

  /** The command that goes on where an answer about a job ends. */
  static Sentence diagnose(NextCommand next) {
    return Sentence.of(
        "Next: {} shows which rank fails first, why, and what helps all of them.",
        next.line("diagnose"));
  }

  /** A rank at the beginning of a sentence. */
  static String begin(Rank rank) {
    return begin(rank.label());
  }

  private static boolean isRun(List<Rank> ranks) {
    for (int i = 0; i < ranks.size(); i++) {
      int expected = Objects.requireNonNull(ranks.getFirst().number()) + i;
      if (!Integer.valueOf(expected).equals(ranks.get(i).number()) || ranks.get(i).host() != null) {
        return false;
      }
    }
    return ranks.size() > 2;
  }

  /** "a, b and c"; of more than so many, the first ones and how many more. */
  static String list(List<String> names, int most) {
    if (names.size() == 1) {
      return names.getFirst();
    }
    boolean areAll = names.size() <= most;
    List<String> shown = areAll ? names.subList(0, names.size() - 1) : names.subList(0, most);
    String last = areAll ? names.getLast() : Numbers.count(names.size() - most) + " more";
    return String.join(", ", shown) + " and " + last;
  }
}
