package org.allocsim.workloads.model;

import java.util.ArrayList;
import java.util.List;

/**
 * A decoder of transformer layers as a server loads it, or one GPU's part of it.
 *
 * @param name its name
 * @param hidden width of the residual stream
 * @param inner width inside the feed-forward part, on this GPU
 * @param vocabulary number of tokens that it knows
 * @param queryWidth features of all queries of a layer, on this GPU
 * @param weightBytes bytes of the weights, on this GPU
 * @param adapterBytes bytes of the room for low-rank adapters, on this GPU
 * @param activeParameters weights that a token is multiplied with, on this GPU
 * @param contextTokens maximum tokens of a sequence
 * @param groups its layers, those that are alike together
 */
public record ServedModel(
    String name,
    int hidden,
    int inner,
    int vocabulary,
    int queryWidth,
    long weightBytes,
    long adapterBytes,
    long activeParameters,
    int contextTokens,
    List<LayerGroup> groups) {
  private static final int KERNEL_BLOCK_TOKENS = 16;

  /** Keeps its own copy of the layers. */
  public ServedModel {
    groups = List.copyOf(groups);
  }

  /** The same with adapters of so many bytes. */
  public ServedModel withAdapters(long bytes) {
    return new ServedModel(
        name,
        hidden,
        inner,
        vocabulary,
        queryWidth,
        weightBytes,
        bytes,
        activeParameters,
        contextTokens,
        groups);
  }

  /** Its layers and another model's as one cache stores them: those that are alike together. */
  public List<LayerGroup> groupsWith(ServedModel other) {
    List<LayerGroup> all = new ArrayList<>(groups);
    for (LayerGroup more : other.groups) {
      int alike = 0;
      while (alike < all.size() && !all.get(alike).isLike(more)) {
        alike++;
      }
      if (alike == all.size()) {
        all.add(more);
      } else {
        all.set(alike, more.withLayers(all.get(alike).layers() + more.layers()));
      }
    }
    return all;
  }

  /** Whether some layers keep a state in place of tokens. */
  public boolean keepsState() {
    return groups.stream().anyMatch(LayerGroup::keepsState);
  }

  /** Bytes of the state of a sequence that its layers keep. */
  public long stateBytes() {
    return groups.stream().mapToLong(group -> group.layers() * group.stateBytes()).sum();
  }

  /**
   * Tokens of a block in vLLM's cache: where layers keep a state, so many more that what a layer
   * beside them stores is no less.
   *
   * <p><b>Source.</b> vllm-project/vllm, {@code platforms/interface.py} ({@code
   * _align_hybrid_block_size}, August 2026), for kernels that take blocks of 16 tokens.
   *
   * @param asked tokens of a block that was asked for
   */
  public int blockTokens(int asked) {
    long unit = Math.max(asked, KERNEL_BLOCK_TOKENS);
    long most = asked;
    for (LayerGroup group : groups) {
      if (group.keepsState()) {
        most = Math.max(most, unit * Math.ceilDiv(group.stateBytes(), unit * group.tokenBytes()));
      }
    }
    return Math.toIntExact(most);
  }

  /** Number of layers that store keys and values. */
  public int attentionLayers() {
    return groups.stream().filter(group -> !group.keepsState()).mapToInt(LayerGroup::layers).sum();
  }

  /** Number of layers. */
  public int layers() {
    return groups.stream().mapToInt(LayerGroup::layers).sum();
  }

  /** Bytes of keys and values that all layers store for a token. */
  public long tokenBytes() {
    return LayerGroup.bytesPerToken(groups);
  }

  /** Bytes of keys and values that the next token of a sequence of so many reads. */
  public long readBytes(int tokens) {
    long bytes = 0;
    for (LayerGroup group : groups) {
      bytes +=
          group.keepsState()
              ? (tokens == 0 ? 0 : group.layers() * group.stateBytes())
              : (tokens - group.outlivedTokens(tokens)) * group.bytesPerToken();
    }
    return bytes;
  }
}
