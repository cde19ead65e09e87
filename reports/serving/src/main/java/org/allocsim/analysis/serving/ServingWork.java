package org.allocsim.analysis.serving;

import org.allocsim.analysis.serving.traffic.Traffic;

/** How much work requests may take. */
final class ServingWork {
  /**
   * Work that requests may take: sequences that compute, summed over the steps, and blocks of
   * tokens that are looked at. A million of Azure's requests take half of it. What takes more is
   * refused before it begins.
   */
  static final long MOST = 1L << 29;

  /**
   * Work beyond that of the requests after which a run is given up: it computes the same answers
   * again and again, for lack of memory.
   */
  private static final long MOST_REPEATED = 1L << 29;

  private ServingWork() {}

  /**
   * Work after which a run is given up.
   *
   * @param mostTokens tokens of the longest sequence
   * @param stepTokens tokens of an answer that a step computes at most
   * @throws IllegalArgumentException where the requests take too much without any repetition
   */
  static long most(Traffic traffic, int blockTokens, int mostTokens, int stepTokens) {
    long least = 0;
    for (int request = 0; request < traffic.count(); request++) {
      int prompt = traffic.promptTokens(request);
      if (prompt < mostTokens) {
        long answer = Math.min(traffic.outputTokens(request), mostTokens - prompt);
        least += prompt / blockTokens + answer / stepTokens;
      }
      if (least > MOST) {
        throw new IllegalArgumentException(
            ("the %d requests exceed the limit of %d sequence steps and prompt blocks: serve only"
                    + " the first ones with --first %d")
                .formatted(traffic.count(), MOST, request));
      }
    }
    return least + MOST_REPEATED;
  }

  /** What is said of a run that is given up. */
  static IllegalArgumentException tooMuch(
      CacheChoice choice, int served, int requests, long tokens, long recomputedTokens) {
    return new IllegalArgumentException(
        ("cache %s served only %d of %d requests in %d tokens, %d of them recomputed because"
                + " memory was short: serve fewer requests with --first, lower --max-num-seqs or"
                + " --max-model-len, or give more memory")
            .formatted(choice.label(), served, requests, tokens, recomputedTokens));
  }
}
