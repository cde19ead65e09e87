package org.allocsim.workloads.model;

import java.util.List;

/**
 * Layers of a model that store as much for a token and need it as long.
 *
 * @param layers number of layers
 * @param tokenBytes bytes of keys and values that one layer stores for a token, half of each
 * @param windowTokens a token looks back at so many tokens, itself included; 0 for all
 * @param isChunked whether it looks back at no more than its own chunk of so many tokens, the first
 *     of which begins with the sequence (Llama 4's {@code attention_chunk_size})
 * @param stateBytes bytes of the state of a sequence that each layer keeps in place of its tokens;
 *     0 for layers that store tokens. Such a layer looks back at the state after the token before;
 *     {@code tokenBytes} are those of the layers beside it that store tokens
 */
public record LayerGroup(
    int layers, long tokenBytes, int windowTokens, boolean isChunked, long stateBytes) {
  /** Refuses figures that mean nothing. */
  public LayerGroup {
    if (layers < 1 || tokenBytes < 2 || tokenBytes % 2 != 0 || windowTokens < (isChunked ? 1 : 0)) {
      throw new IllegalArgumentException(
          "invalid cache layout: %d layers of %d bytes per token with a window of %d"
              .formatted(layers, tokenBytes, windowTokens));
    }
  }

  /** Layers that look back at everything or at a window. */
  public LayerGroup(int layers, long tokenBytes, int windowTokens) {
    this(layers, tokenBytes, windowTokens, false);
  }

  /** Layers that store tokens. */
  public LayerGroup(int layers, long tokenBytes, int windowTokens, boolean isChunked) {
    this(layers, tokenBytes, windowTokens, isChunked, 0);
  }

  /** Layers that keep a state: a linear attention, or a state space model. */
  public static LayerGroup state(int layers, long tokenBytes, long stateBytes) {
    return new LayerGroup(layers, tokenBytes, 2, false, stateBytes);
  }

  /** Whether the layers keep a state in place of tokens. */
  public boolean keepsState() {
    return stateBytes > 0;
  }

  /** Whether another group's layers store as much for a token and need it as long. */
  public boolean isLike(LayerGroup other) {
    return tokenBytes == other.tokenBytes && looksBackLike(other);
  }

  /** Whether another group's layers need a token as long. */
  public boolean looksBackLike(LayerGroup other) {
    return windowTokens == other.windowTokens
        && isChunked == other.isChunked
        && stateBytes == other.stateBytes;
  }

  /** So many layers of the same kind. */
  public LayerGroup withLayers(int count) {
    return new LayerGroup(count, tokenBytes, windowTokens, isChunked, stateBytes);
  }

  /** The same layers where they keep all tokens in place of those of a chunk. */
  public LayerGroup withoutChunks() {
    return isChunked ? new LayerGroup(layers, tokenBytes, 0) : this;
  }

  /** Bytes that all its layers store for a token. */
  public long bytesPerToken() {
    return layers * tokenBytes;
  }

  /** Bytes that the layers of several groups store for a token. */
  public static long bytesPerToken(List<LayerGroup> groups) {
    return groups.stream()
        .filter(group -> !group.keepsState())
        .mapToLong(LayerGroup::bytesPerToken)
        .sum();
  }

  /**
   * Bytes of a sequence's blocks in which there is no token that will be read again.
   *
   * @param slots tokens for which its blocks have room
   * @param tokens tokens that it has
   * @param skipped tokens at its start whose blocks it has given up
   */
  public long wastedBytes(long slots, int tokens, long skipped) {
    return (slots - tokens + Math.max(0, outlivedTokens(tokens) - skipped)) * bytesPerToken();
  }

  /** Tokens, of so many at the start of a sequence, that no later token looks back at. */
  public int outlivedTokens(int tokens) {
    if (windowTokens == 0) {
      return 0;
    }
    return isChunked ? tokens - tokens % windowTokens : Math.max(0, tokens - windowTokens + 1);
  }
}
