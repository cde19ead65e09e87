package org.allocsim.analysis.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds ranks in the names of files: {@code rank0}, {@code rank_0}, {@code run.rank3.pickle} as
 * {@code allocsim record} writes it, {@code rank0_memory_snapshot.pickle} as torchtitan does,
 * {@code gpu1}, {@code snapshot-0.pickle}. A way of naming counts where all files of a folder share
 * it.
 */
final class RankNames {
  /** Endings that say how a file is stored, not which it is. */
  private static final Pattern ENDINGS =
      Pattern.compile("(\\.(pickle|pkl|pt|jsonl?|trace|csv|gz|xz|zst))+$");

  /** A rank by its word, with what stands before the word. */
  private static final Pattern BY_WORD =
      Pattern.compile("(?<![a-z])((?:[a-z]+[-_.]?)??)rank[-_.=]?(\\d{1,7})(?!\\d)");

  /** What counts in one dimension of a job only. */
  private static final Pattern PART_OF_JOB =
      Pattern.compile(
          "(local|dp|tp|pp|ep|cp|sp|mp|fsdp|ddp|hsdp|shard|replicate|data|tensor|pipe|pipeline|stage|expert"
              + "|context)[-_.]?");

  private static final Pattern BY_DEVICE =
      Pattern.compile(
          "(?<![a-z])(?:gpu|device|dev|cuda|worker|process|proc|r)[-_.=]?(\\d{1,5})(?![\\da-z])");

  private static final Pattern BY_NUMBER = Pattern.compile("(?:^|[-_./])(\\d{1,5})$");

  /** A number after one of these counts something other than ranks. */
  private static final Pattern OTHER_COUNT =
      Pattern.compile("(step|steps|iter|iters|iteration|epoch|version|v|attempt|run|try)[-_.=]?$");

  private static final Pattern HOST =
      Pattern.compile(
          "(?<![a-z])(?:(?:host|node|machine|server)[-_.=]?[a-z0-9]+|ip(?:-\\d{1,3}){2,4})");

  /**
   * What a name gives.
   *
   * @param number the rank
   * @param host the host; null where none is named
   * @param rest what else stands in the name
   */
  record Found(int number, @Nullable String host, String rest) {}

  private RankNames() {}

  /** The rank that a name gives by the word itself, whatever other files there are. */
  static Optional<Found> byWordOf(String name) {
    String stem = stem(name);
    return byWord(stem).map(match -> found(stem, match));
  }

  /**
   * The ranks of a folder's files, in their order; null for a name that gives none. Where only some
   * have the word "rank" in them, the others have none.
   *
   * @param names below the job's folder, with slashes
   */
  static List<@Nullable Found> of(List<String> names) {
    List<String> stems = names.stream().map(RankNames::stem).toList();
    List<@Nullable Found> byWord = all(stems, RankNames::byWord);
    if (byWord.stream().anyMatch(each -> each != null)) {
      return byWord;
    }
    List<@Nullable Found> byDevice = all(stems, RankNames::byDevice);
    if (byDevice.stream().allMatch(each -> each != null)) {
      return byDevice;
    }
    List<@Nullable Found> byNumber = all(stems, RankNames::byNumber);
    return isCounted(byNumber) ? byNumber : all(stems, _ -> Optional.empty());
  }

  /** Whether several names differ in their numbers and hosts only. */
  private static boolean isCounted(List<@Nullable Found> found) {
    return found.size() > 1
        && found.stream().allMatch(each -> each != null)
        && found.stream().map(each -> each == null ? "" : each.rest()).distinct().count() == 1;
  }

  private static String stem(String name) {
    return ENDINGS.matcher(name.toLowerCase(Locale.ROOT)).replaceFirst("");
  }

  private static List<@Nullable Found> all(
      List<String> stems, Function<String, Optional<MatchResult>> way) {
    List<@Nullable Found> all = new ArrayList<>();
    for (String stem : stems) {
      all.add(way.apply(stem).map(match -> found(stem, match)).orElse(null));
    }
    return all;
  }

  private static Found found(String stem, MatchResult match) {
    int last = match.groupCount();
    String before = stem.substring(0, match.start()) + (last > 1 ? match.group(1) : "");
    String rest = before + " " + stem.substring(match.end());
    return new Found(
        Integer.parseInt(match.group(last)),
        HOST.matcher(rest).results().map(MatchResult::group).findFirst().orElse(null),
        HOST.matcher(rest).replaceFirst(""));
  }

  /** The rank of the whole job where a name has several, else the only one. */
  private static Optional<MatchResult> byWord(String stem) {
    List<MatchResult> matches = BY_WORD.matcher(stem).results().toList();
    List<MatchResult> whole =
        matches.stream().filter(each -> !PART_OF_JOB.matcher(each.group(1)).matches()).toList();
    List<MatchResult> candidates = whole.isEmpty() ? matches : whole;
    return candidates.size() == 1 ? Optional.of(candidates.getFirst()) : Optional.empty();
  }

  private static Optional<MatchResult> byDevice(String stem) {
    List<MatchResult> matches = BY_DEVICE.matcher(stem).results().toList();
    return matches.size() == 1 ? Optional.of(matches.getFirst()) : Optional.empty();
  }

  private static Optional<MatchResult> byNumber(String stem) {
    return BY_NUMBER
        .matcher(stem)
        .results()
        .filter(each -> !OTHER_COUNT.matcher(stem.substring(0, each.start(1))).find())
        .findFirst();
  }
}
