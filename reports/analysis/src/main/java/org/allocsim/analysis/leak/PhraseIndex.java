package org.allocsim.analysis.leak;

import java.util.Arrays;

/** Where every distinct phrase of a text of numbers ends. */
final class PhraseIndex {
  /** More distinct phrases than this are not told apart: those that begin later are left out. */
  private static final int MAX_PHRASES = 1 << 20;

  private long[] words = new long[1024];
  private int[] counts = new int[1024];
  private int[] table = new int[4096];
  private int size;

  private int[] offsets = {};
  private int[] places = {};

  /**
   * Indexes the phrases of a text.
   *
   * @param phrases by the place of their last word: a number that equal ones share; the words
   *     themselves where a phrase is one
   * @param length words per phrase
   */
  static PhraseIndex of(long[] phrases, int length) {
    PhraseIndex index = new PhraseIndex();
    Arrays.fill(index.table, -1);
    int[] slots = new int[phrases.length];
    for (int i = length - 1; i < phrases.length; i++) {
      int slot = index.slot(phrases[i]);
      slots[i] = slot;
      if (slot >= 0) {
        index.counts[slot]++;
      }
    }
    index.offsets = new int[index.size + 1];
    for (int slot = 0; slot < index.size; slot++) {
      index.offsets[slot + 1] = index.offsets[slot] + index.counts[slot];
    }
    index.places = new int[index.offsets[index.size]];
    int[] next = index.offsets.clone();
    for (int i = length - 1; i < phrases.length; i++) {
      int slot = slots[i];
      if (slot >= 0) {
        index.places[next[slot]++] = i;
      }
    }
    return index;
  }

  /**
   * Phrases of several shorter ones in a row.
   *
   * @param phrases the shorter ones, as for {@link #of}
   * @param length words in each of them
   * @param times how many in a row
   */
  static long[] inRow(long[] phrases, int length, int times) {
    long[] longer = new long[phrases.length];
    for (int i = length * times - 1; i < phrases.length; i++) {
      long hash = 0;
      for (int back = times - 1; back >= 0; back--) {
        hash = mix(hash * 31 + phrases[i - back * length]);
      }
      longer[i] = hash;
    }
    return longer;
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 32)) * 0x9E37_79B9_7F4A_7C15L;
    return mixed ^ (mixed >>> 29);
  }

  /** Number of distinct phrases. */
  int size() {
    return size;
  }

  /**
   * The first phrase from one on that comes more than {@code least} times and reaches over at least
   * {@code span} places; {@link #size} where there is none.
   */
  int nextWide(int from, int least, double span) {
    int phrase = from;
    while (phrase < size
        && (counts[phrase] <= least
            || places[offsets[phrase + 1] - 1] - places[offsets[phrase]] < span)) {
      phrase++;
    }
    return phrase;
  }

  /** Places of the last word of each of a phrase's appearances, in order. */
  int[] places(int phrase) {
    return Arrays.copyOfRange(places, offsets[phrase], offsets[phrase + 1]);
  }

  /**
   * Number of a phrase, which is a new one where it comes for the first time; −1 for one too many.
   */
  private int slot(long wanted) {
    int mask = table.length - 1;
    int at = (int) mix(wanted) & mask;
    while (table[at] >= 0) {
      if (words[table[at]] == wanted) {
        return table[at];
      }
      at = (at + 1) & mask;
    }
    if (size == MAX_PHRASES) {
      return -1;
    }
    if (size == words.length) {
      grow();
      return slot(wanted);
    }
    words[size] = wanted;
    table[at] = size;
    return size++;
  }

  private void grow() {
    words = Arrays.copyOf(words, 2 * size);
    counts = Arrays.copyOf(counts, 2 * size);
    table = new int[8 * size];
    Arrays.fill(table, -1);
    int mask = table.length - 1;
    for (int slot = 0; slot < size; slot++) {
      int at = (int) mix(words[slot]) & mask;
      while (table[at] >= 0) {
        at = (at + 1) & mask;
      }
      table[at] = slot;
    }
  }
}
