package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;

/** The values that a pickle refers to again, by slot; four bytes each, numbers eight more. */
final class Memo {
  /** Most slots, and one more than the largest value of an entry. */
  static final int MOST = 1 << 28;

  private static final int VALUE_MASK = MOST - 1;
  private static final int TYPE_SHIFT = 28;

  private int[] entries = new int[1 << 12];
  private int count;
  private long[] numbers = new long[16];
  private int numberCount;

  /** One more than the largest slot filled. */
  int count() {
    return count;
  }

  /** Type of the value in a slot, {@link Value#MARK} where it was never filled. */
  byte type(long slot) {
    return slot < count ? (byte) (entries[(int) slot] >>> TYPE_SHIFT) : Value.MARK;
  }

  /** The value in a slot that was filled. */
  long value(int slot) {
    int value = entries[slot] & VALUE_MASK;
    return isNumber(type(slot)) ? numbers[value] : value;
  }

  /** Fills a slot; slots in between stay empty. */
  void set(int slot, byte type, long value) {
    if (slot >= entries.length) {
      entries = Arrays.copyOf(entries, Math.max(slot + 1, entries.length + (entries.length >> 1)));
    }
    int stored = (int) value;
    if (isNumber(type)) {
      stored = isNumber(type(slot)) ? entries[slot] & VALUE_MASK : newNumber();
      numbers[stored] = value;
    }
    entries[slot] = (type << TYPE_SHIFT) | (stored & VALUE_MASK);
    count = Math.max(count, slot + 1);
  }

  private static boolean isNumber(byte type) {
    return type == Value.INT || type == Value.UNSIGNED || type == Value.FLOAT;
  }

  private int newNumber() {
    if (numberCount == numbers.length) {
      numbers = Arrays.copyOf(numbers, numberCount + (numberCount >> 1));
    }
    return numberCount++;
  }
}
