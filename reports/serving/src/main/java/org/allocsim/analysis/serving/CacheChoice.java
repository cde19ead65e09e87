package org.allocsim.analysis.serving;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.allocsim.simulator.typed.SimilarName;

/**
 * A cache that requests are served with.
 *
 * @param kind which one
 * @param release by the rules of which release of vLLM, for its own cache and the scheduler
 * @param label what it is called in an answer
 */
public record CacheChoice(CacheKind kind, VllmRelease release, String label) {
  private static final char RELEASE = '@';

  /** A cache by the rules of a release that is named elsewhere. */
  public static CacheChoice of(CacheKind kind, VllmRelease release) {
    return new CacheChoice(kind, release, kind.label());
  }

  /**
   * All caches, by the rules of a release.
   *
   * @param release the release
   */
  public static List<CacheChoice> all(VllmRelease release) {
    return Arrays.stream(CacheKind.values()).map(kind -> of(kind, release)).toList();
  }

  /**
   * A cache by its name, such as {@code paged} or {@code paged@0.18}.
   *
   * @param usual the release where the name has none
   * @throws IllegalArgumentException where there is no such cache or release
   */
  public static CacheChoice named(String text, VllmRelease usual) {
    int at = text.indexOf(RELEASE);
    String name = at < 0 ? text : text.substring(0, at);
    List<String> names = CacheKind.names();
    int index = names.indexOf(name);
    if (index < 0) {
      String all = names.stream().collect(Collectors.joining(", "));
      throw new IllegalArgumentException(
          "unknown cache '%s'; %s"
              .formatted(name, SimilarName.remedy(name, names, "there are " + all)));
    }
    CacheKind kind = CacheKind.values()[index];
    if (at < 0) {
      return of(kind, usual);
    }
    if (kind != CacheKind.PAGED) {
      throw new IllegalArgumentException(
          "'%s' has a release, but only paged differs between releases; omit it".formatted(text));
    }
    VllmRelease release = VllmRelease.of(text.substring(at + 1));
    return new CacheChoice(kind, release, name + RELEASE + release.name());
  }
}
