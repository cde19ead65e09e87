package org.allocsim.analysis.serving.kvcache.radix;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.allocsim.simulator.typed.SimilarName;

/**
 * Which leaf of a radix tree is forgotten first ({@code --radix-eviction-policy}): the one with the
 * lowest rank, and of several such the one with the lowest age.
 *
 * <p><b>Source.</b> sgl-project/sglang, {@code mem_cache/evict_policy.py} (August 2026).
 */
public enum EvictionPolicy {
  /** The longest unused. */
  LRU,
  /** The least often found, then the longest unused. */
  LFU,
  /** Those found less than twice, then the longest unused. */
  SLRU,
  /** The oldest. */
  FIFO,
  /** The latest used. */
  MRU,
  /** The youngest. */
  FILO,
  /** Those of requests of the lowest priority, then the longest unused. */
  PRIORITY;

  private static final int PROTECTED_HITS = 2;

  long rank(int hits, int priority) {
    return switch (this) {
      case LFU -> hits;
      case SLRU -> hits >= PROTECTED_HITS ? 1 : 0;
      case PRIORITY -> priority;
      default -> 0;
    };
  }

  long age(long accessed, long created) {
    return switch (this) {
      case FIFO -> created;
      case FILO -> -created;
      case MRU -> -accessed;
      default -> accessed;
    };
  }

  /** Its name. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Names of all. */
  public static List<String> names() {
    return Arrays.stream(values()).map(EvictionPolicy::label).toList();
  }

  /**
   * A policy by its name.
   *
   * @throws IllegalArgumentException where there is none, with the names that there are
   */
  public static EvictionPolicy named(String name) {
    int index = names().indexOf(name);
    if (index < 0) {
      throw new IllegalArgumentException(
          "unknown policy '%s'; %s"
              .formatted(
                  name,
                  SimilarName.remedy(name, names(), "there are " + String.join(", ", names()))));
    }
    return values()[index];
  }
}
