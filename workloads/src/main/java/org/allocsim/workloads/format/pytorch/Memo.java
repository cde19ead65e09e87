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
  private int textVersion;

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
    if (type(slot) == Value.TEXT) {
      textVersion++;
    }
    int stored = (int) value;
    if (isNumber(type)) {
      stored = isNumber(type(slot)) ? entries[slot] & VALUE_MASK : newNumber();
      numbers[stored] = value;
    }
    entries[slot] = (type << TYPE_SHIFT) | (stored & VALUE_MASK);
    count = Math.max(count, slot + 1);
  }

  /** The value in a slot where it is of a type, which is none of numbers; else −1. */
  int valueAs(byte type, int slot) {
    return slot >= 0 && slot < count && typeOf(entries[slot]) == type ? valueOf(entries[slot]) : -1;
  }

  /** A number that is another one whenever a text was replaced. */
  int textVersion() {
    return textVersion;
  }

  /**
   * Makes room for so many slots in a row; false where that is too many.
   *
   * <p>Whoever fills slots of {@link #entries} by himself tells so with {@link #take}, or empties
   * them again.
   */
  boolean reserve(int more) {
    if (count > MOST - more) {
      return false;
    }
    if (count + more > entries.length) {
      entries = Arrays.copyOf(entries, count + more + (count >> 1));
    }
    return true;
  }

  /** What the slots hold, as {@link #entry} puts it. */
  int[] entries() {
    return entries;
  }

  /** Slots up to this were filled. */
  void take(int newCount) {
    count = newCount;
  }

  /** A type and a value as a slot holds them; for types that are no numbers. */
  static int entry(byte type, int value) {
    return (type << TYPE_SHIFT) | value;
  }

  /** Type of what a slot holds. */
  static byte typeOf(int entry) {
    return (byte) (entry >>> TYPE_SHIFT);
  }

  /** Value of what a slot holds where it is no number. */
  static int valueOf(int entry) {
    return entry & VALUE_MASK;
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
