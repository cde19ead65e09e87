package org.allocsim.simulator.kvcache;

import java.util.ArrayList;
import java.util.List;

/**
 * How vLLM's hybrid cache lets layers of several kinds share pages: layers of a kind are dealt out
 * to groups of equal size, the size of the smallest kind; the layers of each group store their
 * tokens in blocks of one pool, so that a block serves any group. A kind that does not fill its
 * last group wastes the rest.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code v1/core/kv_cache_utils.py}: where the largest kind has less
 * than a quarter more layers than the smallest, groups have its size.
 *
 * @param groupLayers layers of a group
 * @param tokenBytes bytes that a layer stores for a token
 * @param windows for each group, how many tokens a token looks back at; 0 for all
 */
public record PageSharing(int groupLayers, long tokenBytes, List<Integer> windows) {
  /** Keeps its own copy. */
  public PageSharing {
    windows = List.copyOf(windows);
  }

  /**
   * The groups of a model.
   *
   * @throws IllegalArgumentException where layers differ in what they store for a token
   */
  public static PageSharing of(List<LayerGroup> kinds) {
    long tokenBytes = kinds.getFirst().tokenBytes();
    if (kinds.stream().anyMatch(kind -> kind.tokenBytes() != tokenBytes)) {
      throw new IllegalArgumentException("layers that store differently cannot share pages");
    }
    int least = kinds.stream().mapToInt(LayerGroup::layers).min().orElseThrow();
    int most = kinds.stream().mapToInt(LayerGroup::layers).max().orElseThrow();
    int size = most * 4 < least * 5 ? most : least;
    List<Integer> windows = new ArrayList<>();
    for (LayerGroup kind : kinds) {
      for (int layers = kind.layers(); layers > 0; layers -= size) {
        windows.add(kind.windowTokens());
      }
    }
    return new PageSharing(size, tokenBytes, windows);
  }

  /** Bytes that a group stores for a token, its padding included. */
  public long groupTokenBytes() {
    return groupLayers * tokenBytes;
  }
}
