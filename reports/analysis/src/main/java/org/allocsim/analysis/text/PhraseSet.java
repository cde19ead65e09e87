package org.allocsim.analysis.text;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;

/**
 * Tells in one pass whether any of many phrases occurs in a text (Aho and Corasick, Efficient
 * String Matching, 1975). The phrases are ASCII.
 */
public final class PhraseSet {
  private static final int SYMBOLS = 128;
  private static final int NONE = -1;

  /** Stands for every state in which a phrase has ended. */
  private static final short FOUND = -2;

  /** By state and character, the state that follows. */
  private final short[] next;

  /**
   * A set of phrases.
   *
   * @param phrases ASCII, together at most some thirty thousand characters
   */
  public PhraseSet(Collection<String> phrases) {
    int most = 1 + phrases.stream().mapToInt(String::length).sum();
    int[] follows = new int[most * SYMBOLS];
    Arrays.fill(follows, NONE);
    boolean[] ends = new boolean[most];
    int states = 1;
    for (String phrase : phrases) {
      int state = 0;
      for (int i = 0; i < phrase.length(); i++) {
        int edge = state * SYMBOLS + phrase.charAt(i);
        if (follows[edge] == NONE) {
          follows[edge] = states;
          states++;
        }
        state = follows[edge];
      }
      ends[state] = true;
    }
    completeFrom(follows, ends, states);
    next = new short[states * SYMBOLS];
    for (int edge = 0; edge < next.length; edge++) {
      next[edge] = ends[follows[edge]] ? FOUND : (short) follows[edge];
    }
  }

  /** Gives every state a follower for every character: that of its longest suffix. */
  private static void completeFrom(int[] follows, boolean[] ends, int states) {
    int[] suffixes = new int[states];
    Deque<Integer> queue = new ArrayDeque<>();
    queue.add(0);
    while (!queue.isEmpty()) {
      int state = queue.remove();
      for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        int edge = state * SYMBOLS + symbol;
        int ofSuffix = state == 0 ? 0 : follows[suffixes[state] * SYMBOLS + symbol];
        if (follows[edge] == NONE) {
          follows[edge] = ofSuffix;
        } else {
          suffixes[follows[edge]] = ofSuffix;
          ends[follows[edge]] |= ends[ofSuffix];
          queue.add(follows[edge]);
        }
      }
    }
  }

  /** Whether one of the phrases occurs. */
  public boolean occursIn(String text) {
    int state = 0;
    for (int i = 0; i < text.length(); i++) {
      char symbol = text.charAt(i);
      state = symbol < SYMBOLS ? next[state * SYMBOLS + symbol] : 0;
      if (state == FOUND) {
        return true;
      }
    }
    return false;
  }
}
