package org.allocsim.workloads.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * How vLLM's hybrid cache lets layers of several kinds share pages: layers of a kind are dealt out
 * to groups of equal size, the size of the smallest kind unless {@link Padding} says otherwise; the
 * layers of each group store their tokens in blocks of one pool, so that a block serves any group.
 * A kind that does not fill its last group wastes the rest.
 *
 * <p><b>Source.</b> vLLM, {@code v1/core/kv_cache_utils.py}.
 *
 * <p><b>Deviations.</b> Layers that differ in what they store for a token are one group that keeps
 * all tokens; vLLM does so too where none of them has a window, else it makes blocks of some
 * longer.
 *
 * @param tensorTokenBytes bytes that each tensor of the pool stores for a token
 * @param groups the groups, with as many layers as each really has
 */
public record PageSharing(List<Long> tensorTokenBytes, List<LayerGroup> groups) {
  /**
   * When groups have the size of the largest kind, so that the other kinds are padded, by release
   * of vLLM.
   */
  public enum Padding {
    /** Never: up to 0.11. */
    NONE(1),
    /**
     * Where the largest kind has less than a quarter more layers than the smallest (pull request
     * 29303 of 24 November 2025): from 0.12 on.
     */
    QUARTER(1.25),
    /** Where it has less than a half more (pull request 36684 of 12 March 2026): from 0.18 on. */
    HALF(1.5);

    private final double ratio;

    Padding(double ratio) {
      this.ratio = ratio;
    }

    private int groupSize(int fewest, int most) {
      return most < fewest * ratio ? most : fewest;
    }
  }

  /** Keeps its own copies. */
  public PageSharing {
    tensorTokenBytes = List.copyOf(tensorTokenBytes);
    groups = List.copyOf(groups);
  }

  /** The groups of a model. */
  public static PageSharing of(List<LayerGroup> kinds, Padding padding) {
    long tokenBytes = kinds.getFirst().tokenBytes();
    if (kinds.stream().anyMatch(kind -> kind.tokenBytes() != tokenBytes)) {
      return ofAll(kinds);
    }
    int least = kinds.stream().mapToInt(LayerGroup::layers).min().orElseThrow();
    int most = kinds.stream().mapToInt(LayerGroup::layers).max().orElseThrow();
    int size = padding.groupSize(least, most);
    List<LayerGroup> groups = new ArrayList<>();
    for (LayerGroup kind : kinds) {
      for (int layers = kind.layers(); layers > 0; layers -= size) {
        groups.add(kind.withLayers(Math.min(layers, size)));
      }
    }
    return new PageSharing(Collections.nCopies(size, tokenBytes), groups);
  }

  private static PageSharing ofAll(List<LayerGroup> kinds) {
    if (kinds.stream().anyMatch(LayerGroup::keepsState)) {
      throw new IllegalArgumentException(
          "layers that keep a state are simulated only if all others store as much for a token");
    }
    List<Long> tensors = new ArrayList<>();
    kinds.forEach(kind -> tensors.addAll(Collections.nCopies(kind.layers(), kind.tokenBytes())));
    return new PageSharing(tensors, List.of(new LayerGroup(1, LayerGroup.bytesPerToken(kinds), 0)));
  }

  /** Bytes that a group stores for a token, its padding included. */
  public long groupTokenBytes() {
    return tensorTokenBytes.stream().mapToLong(Long::longValue).sum();
  }
}
