package org.allocsim.simulator.policy.mxnet;

import java.util.Arrays;

/** Numbers bucket sizes in the order in which they first occur: an open hash table of columns. */
final class BucketTable {
  private static final int EMPTY = -1;

  private int[] slots = new int[64];
  private long[] bytes = new long[32];
  private int count;

  BucketTable() {
    Arrays.fill(slots, EMPTY);
  }

  /** Number of buckets. */
  int count() {
    return count;
  }

  /** Bytes of a bucket's blocks. */
  long bytes(int bucket) {
    return bytes[bucket];
  }

  /** The bucket of this size, a new one where it is unknown. */
  int bucket(long bucketBytes) {
    int slot = slot(bucketBytes);
    while (slots[slot] != EMPTY) {
      if (bytes[slots[slot]] == bucketBytes) {
        return slots[slot];
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    if (count == bytes.length) {
      bytes = Arrays.copyOf(bytes, 2 * count);
      bytes[count] = bucketBytes;
      rebuild();
    } else {
      bytes[count] = bucketBytes;
      slots[slot] = count;
    }
    return count++;
  }

  private void rebuild() {
    slots = new int[2 * bytes.length];
    Arrays.fill(slots, EMPTY);
    for (int bucket = 0; bucket <= count; bucket++) {
      int slot = slot(bytes[bucket]);
      while (slots[slot] != EMPTY) {
        slot = (slot + 1) & (slots.length - 1);
      }
      slots[slot] = bucket;
    }
  }

  private int slot(long bucketBytes) {
    long mixed = bucketBytes * 0x9E3779B97F4A7C15L;
    return (int) (mixed >>> 40) & (slots.length - 1);
  }
}
