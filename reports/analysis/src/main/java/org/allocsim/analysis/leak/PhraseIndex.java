package org.allocsim.analysis.leak;

import java.util.Arrays;

/**
 * Where the phrases of a text of numbers end, of those that come often and all over the text. One
 * index serves several texts, one after the other, so that its memory is taken once.
 */
final class PhraseIndex {
  /** More distinct phrases than this are not told apart: those that begin later are left out. */
  private static final int MAX_PHRASES = 1 << 20;

  /** Phrases that make a longer one. */
  static final int IN_ROW = 4;

  // Odd numbers without a pattern, so that sums of different phrases differ.
  private static final long SECOND = 0xD1B5_4A32_D192_ED03L;
  private static final long THIRD = 0xABC9_8388_FB8F_AC03L;
  private static final long FOURTH = 0x8CB9_2BA7_2F3D_8DD7L;

  private static final int FEWEST_SLOTS = 4096;

  /** Slots for each phrase that there is room for. */
  private static final int SLOTS_PER_PHRASE = 2;

  /** A slot: the phrase, and its number and 1 so that 0 is an empty one. */
  private static final int SLOT_LONGS = 2;

  // What is known of each phrase.
  private static final int COUNT = 0;
  private static final int FIRST = 1;
  private static final int LAST = 2;
  private static final int FACTS = 3;

  /** By place of the text the number of the phrase that ends there, −1 where none is told apart. */
  private final int[] numbers;

  /** Places of wide phrases, those of one phrase after those of another. */
  private final int[] places;

  private long[] table = new long[FEWEST_SLOTS * SLOT_LONGS];
  private int[] facts = new int[FEWEST_SLOTS / SLOTS_PER_PHRASE * FACTS];
  private int size;

  /** Where the places of each wide phrase begin, and of one more. */
  private int[] begins = {0};

  private int wideCount;

  /** An index of texts of no more than so many words. */
  PhraseIndex(int longest) {
    numbers = new int[longest];
    places = new int[longest];
  }

  /**
   * Indexes the phrases of a text in place of those before.
   *
   * @param phrases by the place of their last word: a number that equal ones share; the words
   *     themselves where a phrase is one
   * @param length words per phrase
   * @param least only phrases that come more often are wide
   * @param span only phrases whose first and last places are so far apart are wide
   */
  void read(long[] phrases, int length, int least, double span) {
    size = 0;
    Arrays.fill(table, 0);
    for (int place = length - 1; place < phrases.length; place++) {
      numbers[place] = count(phrases[place], place);
    }
    findWide(least, span);
    for (int place = length - 1; place < phrases.length; place++) {
      int number = numbers[place];
      if (number >= 0) {
        int next = facts[number * FACTS + COUNT];
        if (next >= 0) {
          places[next] = place;
          facts[number * FACTS + COUNT] = next + 1;
        }
      }
    }
  }

  /**
   * Phrases of {@value #IN_ROW} shorter ones in a row.
   *
   * @param phrases the shorter ones, as for {@link #read}
   * @param length words in each of them
   * @param longer takes them; may be the array of the shorter ones
   */
  static void inRow(long[] phrases, int length, long[] longer) {
    // From the end, so that what is still to be read is not overwritten.
    for (int i = phrases.length - 1; i >= IN_ROW * length - 1; i--) {
      longer[i] =
          mix(
              phrases[i]
                  + phrases[i - length] * SECOND
                  + phrases[i - 2 * length] * THIRD
                  + phrases[i - 3 * length] * FOURTH);
    }
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 32)) * 0x9E37_79B9_7F4A_7C15L;
    return mixed ^ (mixed >>> 29);
  }

  /** Number of wide phrases; the one that comes first has the lowest number. */
  int wideCount() {
    return wideCount;
  }

  /** Where the places of a wide phrase begin in {@link #places}; those of the next follow. */
  int begin(int wide) {
    return begins[wide];
  }

  /** How often the wide phrase comes that comes most often. */
  int maxPlaces() {
    int most = 0;
    for (int wide = 0; wide < wideCount; wide++) {
      most = Math.max(most, begins[wide + 1] - begins[wide]);
    }
    return most;
  }

  /** Places of the last words of wide phrases, in order for each. */
  int[] places() {
    return places;
  }

  /** Sees a phrase; answers its number, −1 for one too many. */
  private int count(long phrase, int place) {
    int mask = table.length - 1;
    int at = (int) mix(phrase) * SLOT_LONGS & mask;
    while (table[at + 1] != 0) {
      if (table[at] == phrase) {
        int number = (int) table[at + 1] - 1;
        facts[number * FACTS + COUNT]++;
        facts[number * FACTS + LAST] = place;
        return number;
      }
      at = at + SLOT_LONGS & mask;
    }
    if (size == MAX_PHRASES) {
      return -1;
    }
    if ((size + 1) * FACTS > facts.length) {
      grow();
      return count(phrase, place);
    }
    table[at] = phrase;
    table[at + 1] = size + 1L;
    facts[size * FACTS + COUNT] = 1;
    facts[size * FACTS + FIRST] = place;
    facts[size * FACTS + LAST] = place;
    return size++;
  }

  private void grow() {
    facts = Arrays.copyOf(facts, 2 * facts.length);
    long[] old = table;
    table = new long[2 * old.length];
    int mask = table.length - 1;
    for (int slot = 0; slot < old.length; slot += SLOT_LONGS) {
      if (old[slot + 1] != 0) {
        int at = (int) mix(old[slot]) * SLOT_LONGS & mask;
        while (table[at + 1] != 0) {
          at = at + SLOT_LONGS & mask;
        }
        table[at] = old[slot];
        table[at + 1] = old[slot + 1];
      }
    }
  }

  /** Replaces counts by where the places of the phrase begin, −1 for those that are not wide. */
  private void findWide(int least, double span) {
    wideCount = 0;
    int next = 0;
    for (int fact = 0; fact < size * FACTS; fact += FACTS) {
      int count = facts[fact + COUNT];
      boolean isWide = count > least && facts[fact + LAST] - facts[fact + FIRST] >= span;
      facts[fact + COUNT] = isWide ? next : -1;
      if (isWide) {
        next += count;
        wideCount++;
        if (wideCount == begins.length) {
          begins = Arrays.copyOf(begins, 2 * wideCount);
        }
        begins[wideCount] = next;
      }
    }
  }
}
