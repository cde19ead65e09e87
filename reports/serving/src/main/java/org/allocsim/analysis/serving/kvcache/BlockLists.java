package org.allocsim.analysis.serving.kvcache;

import java.util.Arrays;

/** The blocks of each sequence, in the order of its tokens. */
final class BlockLists {
  private int[][] blocks = new int[16][];
  private int[] counts = new int[16];

  int count(int sequence) {
    return sequence < counts.length ? counts[sequence] : 0;
  }

  int get(int sequence, int index) {
    return blocks[sequence][index];
  }

  void set(int sequence, int index, int block) {
    blocks[sequence][index] = block;
  }

  void add(int sequence, int block) {
    if (sequence >= counts.length) {
      int length = Math.max(sequence + 1, counts.length * 2);
      blocks = Arrays.copyOf(blocks, length);
      counts = Arrays.copyOf(counts, length);
    }
    int[] own = blocks[sequence];
    if (own == null) {
      own = new int[64];
      blocks[sequence] = own;
    } else if (counts[sequence] == own.length) {
      own = Arrays.copyOf(own, own.length * 2);
      blocks[sequence] = own;
    }
    own[counts[sequence]++] = block;
  }

  /** Takes all blocks of a sequence off. */
  void clear(int sequence) {
    counts[sequence] = 0;
  }

  /** Takes the last block of a sequence off. */
  int removeLast(int sequence) {
    return blocks[sequence][--counts[sequence]];
  }
}
