package org.allocsim.workloads.format.pytorch.pickle;

import java.util.Arrays;

/**
 * The values that a pickle refers to again, by slot; four bytes each, numbers eight more.
 *
 * <p>Slots lie in chunks, so that a memo of tens of millions grows without being copied, and one
 * with gaps takes no memory for them. Of a chunk whose contents repeat, as those of entries do that
 * all remember the same, only the first repetition is kept. What a part of the file remembers can
 * be noted first and enters the memo once that part turned out to be complete.
 */
public final class Memo {
  /** Maximum number of slots, and one more than the largest value of an entry. */
  public static final int MOST = 1 << 28;

  private static final int VALUE_MASK = MOST - 1;
  private static final int TYPE_SHIFT = 28;

  /** Bytes of a number, also while numbers are copied to more room; real files remember none. */
  private static final int COPIED_BYTES = 3 * Long.BYTES;

  private static final int CHUNK_SHIFT = 12;
  private static final int CHUNK_SLOTS = 1 << CHUNK_SHIFT;
  private static final int CHUNK_MASK = CHUNK_SLOTS - 1;

  /** Longest repetition that is looked for; entries of PyTorch 2.14 remember three values. */
  private static final int LONGEST_REPETITION = 16;

  /** Null where no slot of the chunk was filled; shorter than a chunk where it repeats. */
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
    if (chunk == null) {
      return 0;
    }
    int at = slot & CHUNK_MASK;
    return chunk[chunk.length == CHUNK_SLOTS ? at : at % chunk.length];
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
    if (chunk == null || chunk.length < CHUNK_SLOTS) {
      int[] before = chunk;
      chunk = number > 0 && before == null ? cleared(number - 1) : new int[CHUNK_SLOTS];
      if (before != null) {
        Arrays.setAll(chunk, at -> before[at % before.length]);
      }
      chunkBytes += (long) Integer.BYTES * (CHUNK_SLOTS - (before == null ? 0 : before.length));
      chunks[number] = chunk;
    }
    return chunk;
  }

  /** The empty array of a chunk that needs none of its own from now on, or else a new one. */
  private int[] cleared(int number) {
    int[] chunk = chunks[number];
    int repetition = chunk == null || chunk.length < CHUNK_SLOTS ? 0 : repetition(chunk);
    if (chunk == null || repetition == 0) {
      return new int[CHUNK_SLOTS];
    }
    chunks[number] = Arrays.copyOf(chunk, repetition);
    chunkBytes -= (long) Integer.BYTES * (CHUNK_SLOTS - repetition);
    Arrays.fill(chunk, 0);
    return chunk;
  }

  /** After how many slots the contents repeat, or 0. */
  private static int repetition(int[] chunk) {
    for (int slots = 1; slots <= LONGEST_REPETITION; slots++) {
      if (Arrays.equals(chunk, slots, CHUNK_SLOTS, chunk, 0, CHUNK_SLOTS - slots)) {
        return slots;
      }
    }
    return 0;
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
