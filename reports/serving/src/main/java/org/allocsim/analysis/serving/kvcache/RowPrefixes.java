package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the tokens of each running sequence are. */
final class RowPrefixes {
  private @Nullable PrefixHashes[] prefixes = new PrefixHashes[16];

  void set(int sequence, PrefixHashes prefix) {
    if (sequence >= prefixes.length) {
      prefixes = Arrays.copyOf(prefixes, Math.max(sequence + 1, prefixes.length * 2));
    }
    prefixes[sequence] = prefix;
  }

  PrefixHashes of(int sequence) {
    return Objects.requireNonNull(prefixes[sequence]);
  }
}
