package org.allocsim.workloads.format.pytorch.pickle;

import java.util.Arrays;

/**
 * The values that a pickle refers to again, by slot; four bytes each, numbers eight more.
 *
 * <p>Slots lie in chunks, so that a memo of tens of millions grows without being copied, and one
 * with gaps takes no memory for them. What a part of the file remembers can be noted first and
 * enters the memo once that part turned out to be complete.
 */
public final class Memo {
  /** Maximum number of slots, and one more than the largest value of an entry. */
  public static final int MOST = 1 << 28;

  private static final int VALUE_MASK = MOST - 1;
  private static final int TYPE_SHIFT = 28;

  /** Bytes of a number, also while numbers are copied to more room; real files remember none. */
  private static final int COPIED_BYTES = 3 * Long.BYTES;

  private static final int CHUNK_SHIFT = 12;
  private static final int CHUNK_MASK = (1 << CHUNK_SHIFT) - 1;

  /** Null where no slot of the chunk was filled. */
  private int[][] chunks = new int[16][];

  private int count;
  private long[] numbers = new long[16];
  private int numberCount;
  private int version;
  private long chunkBytes;

  private int[] noted = new int[64];
  private int notedCount;

  /** Bytes that the memo takes. */
  public long heldBytes() {
    return chunkBytes
        + (long) Long.BYTES * chunks.length
        + (long) COPIED_BYTES * numbers.length
        + (long) Integer.BYTES * noted.length;
  }

  /** One more than the largest slot filled. */
  public int count() {
    return count;
  }

  /** Type of the value in a slot, {@link Value#MARK} where it was never filled. */
  public byte type(long slot) {
    return slot < count ? typeOf(entry((int) slot)) : Value.MARK;
  }

  /** The value in a slot that was filled. */
  public long value(int slot) {
    int entry = entry(slot);
    return isNumber(typeOf(entry)) ? numbers[valueOf(entry)] : valueOf(entry);
  }

  /** Fills a slot; slots in between stay empty. */
  public void set(int slot, byte type, long value) {
    int before = entry(slot);
    if (typeOf(before) == Value.TEXT || typeOf(before) == Value.FRAME) {
      version++;
    }
    int stored = (int) value;
    if (isNumber(type)) {
      stored = isNumber(typeOf(before)) ? valueOf(before) : newNumber();
      numbers[stored] = value;
    }
    chunk(slot)[slot & CHUNK_MASK] = entry(type, stored & VALUE_MASK);
    count = Math.max(count, slot + 1);
  }

  /** What a slot holds, as {@link #entry(byte, int)} puts it; 0 where it was never filled. */
  public int entry(int slot) {
    if (slot < 0 || slot >= count) {
      return 0;
    }
    int[] chunk = chunks[slot >>> CHUNK_SHIFT];
    return chunk == null ? 0 : chunk[slot & CHUNK_MASK];
  }

  /** The value in a slot where it is of a type, which is none of numbers; else −1. */
  public int valueAs(byte type, int slot) {
    int entry = entry(slot);
    return typeOf(entry) == type ? valueOf(entry) : -1;
  }

  /** A number that is another one whenever a text or a frame was replaced. */
  public int version() {
    return version;
  }

  /** Whether there may be so many more slots. */
  public boolean hasRoom(int more) {
    return count <= MOST - more;
  }

  /** Forgets what was noted. */
  public void beginNotes() {
    notedCount = 0;
  }

  /** Notes a value for the next slot and returns which note this is. */
  public int note(int entry) {
    if (notedCount == noted.length) {
      noted = Arrays.copyOf(noted, notedCount * 2);
    }
    noted[notedCount] = entry;
    return notedCount++;
  }

  /** Notes several values. */
  public void note(int[] entries, int from, int to) {
    for (int i = from; i < to; i++) {
      note(entries[i]);
    }
  }

  /** Replaces a note. */
  public void renote(int note, int entry) {
    noted[note] = entry;
  }

  /** Copies the notes from one on to an array and returns how many that were. */
  public int copyNotes(int from, int[] target, int at) {
    System.arraycopy(noted, from, target, at, notedCount - from);
    return notedCount - from;
  }

  /** Number of notes. */
  public int noteCount() {
    return notedCount;
  }

  /** Fills the next slots with what was noted. */
  public void keepNotes() {
    for (int i = 0; i < notedCount; i++) {
      chunk(count)[count & CHUNK_MASK] = noted[i];
      count++;
    }
  }

  private int[] chunk(int slot) {
    int number = slot >>> CHUNK_SHIFT;
    if (number >= chunks.length) {
      chunks = Arrays.copyOf(chunks, Math.max(number + 1, chunks.length * 2));
    }
    int[] chunk = chunks[number];
    if (chunk == null) {
      chunk = new int[1 << CHUNK_SHIFT];
      chunkBytes += (long) Integer.BYTES << CHUNK_SHIFT;
      chunks[number] = chunk;
    }
    return chunk;
  }

  /** A type and a value as a slot holds them; for types that are no numbers. */
  public static int entry(byte type, int value) {
    return (type << TYPE_SHIFT) | value;
  }

  /** Type of what a slot holds. */
  public static byte typeOf(int entry) {
    return (byte) (entry >>> TYPE_SHIFT);
  }

  /** Value of what a slot holds where it is no number. */
  public static int valueOf(int entry) {
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
