package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;
import java.util.List;
import org.allocsim.workloads.model.LayerGroup;

/**
 * Tokens of the sequences that run, and the bytes of those that layers with a window will not read
 * again though they are still stored. Tokens that a sequence shares count for the one that stored
 * them.
 */
public final class SequenceTokens {
  private final LayerGroup[] groups;
  private final boolean hasWindows;
  private int[] tokens = new int[16];
  private int[] shared = new int[16];
  private long outlivedBytes;

  /** Of no sequence yet. */
  public SequenceTokens(List<LayerGroup> groups) {
    this.groups = groups.toArray(LayerGroup[]::new);
    hasWindows = groups.stream().anyMatch(group -> group.windowTokens() > 0);
  }

  /**
   * A sequence begins.
   *
   * @param storedTokens tokens that were found stored
   * @param sharedTokens those of them that another sequence stored that runs
   */
  public void begin(int sequence, int storedTokens, int sharedTokens) {
    if (sequence >= tokens.length) {
      int length = Math.max(sequence + 1, tokens.length * 2);
      tokens = Arrays.copyOf(tokens, length);
      shared = Arrays.copyOf(shared, length);
    }
    tokens[sequence] = 0;
    shared[sequence] = sharedTokens;
    set(sequence, storedTokens);
  }

  /** A sequence has so many tokens now. */
  public void set(int sequence, int count) {
    if (hasWindows) {
      outlivedBytes += outlived(sequence, count) - outlived(sequence, tokens[sequence]);
    }
    tokens[sequence] = count;
  }

  /** A sequence ends. */
  public void end(int sequence) {
    if (hasWindows) {
      outlivedBytes -= outlived(sequence, tokens[sequence]);
    }
    tokens[sequence] = 0;
  }

  private long outlived(int sequence, int count) {
    long bytes = 0;
    for (LayerGroup group : groups) {
      bytes += Math.max(0, group.outlivedTokens(count) - shared[sequence]) * group.bytesPerToken();
    }
    return bytes;
  }

  /** Tokens of a sequence. */
  public int of(int sequence) {
    return tokens[sequence];
  }

  /** Bytes of tokens that no layer with a window will read again. */
  public long outlivedBytes() {
    return outlivedBytes;
  }
}
