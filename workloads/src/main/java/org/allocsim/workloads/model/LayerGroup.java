package org.allocsim.workloads.model;

import java.util.List;

/**
 * Layers of a model that store as much for a token and need it as long.
 *
 * @param layers number of layers
 * @param tokenBytes bytes of keys and values that one layer stores for a token, half of each
 * @param windowTokens a token looks back at so many tokens, itself included; 0 for all
 */
public record LayerGroup(int layers, long tokenBytes, int windowTokens) {
  /** Refuses figures that mean nothing. */
  public LayerGroup {
    if (layers < 1 || tokenBytes < 2 || tokenBytes % 2 != 0 || windowTokens < 0) {
      throw new IllegalArgumentException(
          "invalid cache layout: %d layers of %d bytes per token with a window of %d"
              .formatted(layers, tokenBytes, windowTokens));
    }
  }

  /** Whether another group's layers store as much for a token and need it as long. */
  public boolean isLike(LayerGroup other) {
    return tokenBytes == other.tokenBytes && windowTokens == other.windowTokens;
  }

  /** So many layers of the same kind. */
  public LayerGroup withLayers(int count) {
    return new LayerGroup(count, tokenBytes, windowTokens);
  }

  /** Bytes that all its layers store for a token. */
  public long bytesPerToken() {
    return layers * tokenBytes;
  }

  /** Bytes that the layers of several groups store for a token. */
  public static long bytesPerToken(List<LayerGroup> groups) {
    return groups.stream().mapToLong(LayerGroup::bytesPerToken).sum();
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
    return windowTokens == 0 ? 0 : Math.max(0, tokens - windowTokens + 1);
  }
}
