package org.allocsim.analysis.serving.kvcache.radix;

import java.util.Arrays;

/** Nodes in the order in which they are forgotten: a heap that knows where each of them is. */
final class LeafOrder {
  static final int NONE = -1;

  private int[] heap = new int[64];
  private int[] place = new int[64];
  private long[] rank = new long[64];
  private long[] age = new long[64];
  private int size;

  LeafOrder() {
    Arrays.fill(place, NONE);
  }

  boolean contains(int node) {
    return node < place.length && place[node] != NONE;
  }

  /** The first node; {@link #NONE} where there is none. */
  int first() {
    return size == 0 ? NONE : heap[0];
  }

  /** Adds a node, or moves it to where it belongs now. */
  void put(int node, long nodeRank, long nodeAge) {
    if (node >= place.length) {
      int known = place.length;
      int length = Math.max(node + 1, known * 2);
      place = Arrays.copyOf(place, length);
      Arrays.fill(place, known, length, NONE);
      rank = Arrays.copyOf(rank, length);
      age = Arrays.copyOf(age, length);
      heap = Arrays.copyOf(heap, length);
    }
    rank[node] = nodeRank;
    age[node] = nodeAge;
    if (place[node] == NONE) {
      move(node, size++);
    }
    sift(place[node]);
  }

  /** Takes a node out, if it is in it. */
  void remove(int node) {
    if (!contains(node)) {
      return;
    }
    int gap = place[node];
    place[node] = NONE;
    int moved = heap[--size];
    if (moved != node) {
      move(moved, gap);
      sift(gap);
    }
  }

  private void sift(int from) {
    int node = heap[from];
    int at = from;
    while (at > 0 && isBefore(node, heap[(at - 1) / 2])) {
      move(heap[(at - 1) / 2], at);
      at = (at - 1) / 2;
    }
    int child = lower(at);
    while (child < size && isBefore(heap[child], node)) {
      move(heap[child], at);
      at = child;
      child = lower(at);
    }
    move(node, at);
  }

  private int lower(int at) {
    int child = 2 * at + 1;
    return child + 1 < size && isBefore(heap[child + 1], heap[child]) ? child + 1 : child;
  }

  private void move(int node, int at) {
    heap[at] = node;
    place[node] = at;
  }

  private boolean isBefore(int node, int other) {
    return rank[node] == rank[other] ? age[node] < age[other] : rank[node] < rank[other];
  }
}
