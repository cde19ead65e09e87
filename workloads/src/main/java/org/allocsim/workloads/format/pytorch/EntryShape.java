package org.allocsim.workloads.format.pytorch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.allocsim.workloads.format.pytorch.pickle.Memo;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;

/**
 * The keys of a history's entries in their order, as the bytes that refer to them: consecutive
 * entries have the same ones, so that comparing a word shows the field and what follows.
 */
final class EntryShape {
  /** Maximum number of keys of an entry; PyTorch 2.12 writes nine. */
  static final int MAX_KEYS = 32;

  // What follows a key.
  static final int NUMBER = 0;
  static final int TEXT = 1;
  static final int STACK = 2;
  static final int POOL = 3;

  /** Nothing: this is no key, but the end of the entry. */
  static final int END = 4;

  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  // Tables by opcode instead of branches: which of its forms a size has cannot be foreseen.
  private static final byte[] NUMBER_LENGTHS = new byte[256];
  private static final byte[] NUMBER_UNUSED_BITS = new byte[256];
  private static final long[] NUMBER_MASKS = new long[256];

  static {
    Arrays.fill(NUMBER_LENGTHS, (byte) -1);
    form(Opcode.BININT1, 1, 0xff);
    form(Opcode.BININT2, 2, 0xffff);
    form(Opcode.BININT, 4, -1);
  }

  private static void form(int opcode, int bytes, long mask) {
    NUMBER_LENGTHS[opcode] = (byte) (1 + bytes);
    NUMBER_UNUSED_BITS[opcode] = (byte) (Long.SIZE - Byte.SIZE * bytes);
    NUMBER_MASKS[opcode] = mask;
  }

  private static final int LENGTH_SHIFT = 6;
  private static final int FIELD_SHIFT = 10;
  private static final int CONTENT_SHIFT = 16;

  /** The bytes of each key, in the upper bytes of a word; SETITEMS stands after the last. */
  final long[] keys = new long[MAX_KEYS + 1];

  /** What else is known of each key, as the methods below say. */
  final int[] rows = new int[MAX_KEYS + 1];

  private int count;

  /** The fields that are there, as bits. */
  long present;

  /** Keys that are no field, as numbers in the pool of texts. */
  final int[] others = new int[MAX_KEYS];

  int otherCount;

  EntryShape() {
    clear();
  }

  /** Bits of a word that do not belong to the key. */
  static int unusedBits(int row) {
    return row & 63;
  }

  /** Bytes of the key. */
  static int length(int row) {
    return row >>> LENGTH_SHIFT & 15;
  }

  /** The key's field, {@link Vocabulary#FIELDS} where it is none. */
  static int field(int row) {
    return row >>> FIELD_SHIFT & 63;
  }

  /** What follows the key. */
  static int content(int row) {
    return row >>> CONTENT_SHIFT;
  }

  /** Forgets the keys: no entry looks like this. */
  void clear() {
    count = 0;
    present = 0;
    otherCount = 0;
    // A word that is moved by 56 bits has no lower ones.
    rows[0] = 56;
    keys[0] = -1;
  }

  /** Takes the keys of the entry at a position; false where it is none that can be scanned. */
  boolean learn(byte[] bytes, int from, int end, Memo memo, StackScanner stacks) {
    clear();
    int at = from + 1;
    if (bytes[at] == (byte) Opcode.MEMOIZE) {
      at++;
    }
    if (bytes[at] == Opcode.MARK && learnKeys(bytes, at + 1, end, memo, stacks)) {
      return true;
    }
    clear();
    return false;
  }

  private boolean learnKeys(byte[] bytes, int from, int end, Memo memo, StackScanner stacks) {
    int at = from;
    while (at >= 0 && at + EntryScanner.STEP_BYTES <= end && count < MAX_KEYS) {
      if (bytes[at] == Opcode.SETITEMS) {
        addRow(bytes, at, 1, 0, END);
        return true;
      }
      int length = referenceLength(bytes[at]);
      int key = length < 0 ? -1 : memo.valueAs(Value.TEXT, slot(bytes, at));
      if (key < 0) {
        return false;
      }
      int value = at + length;
      int content = content(key, bytes, value);
      if (key >= Vocabulary.FIELDS) {
        others[otherCount++] = key;
        addRow(bytes, at, length, Vocabulary.FIELDS, content);
      } else {
        // A key that comes twice counts once; that is not for here.
        if ((present >>> key & 1) != 0) {
          return false;
        }
        present |= 1L << key;
        addRow(bytes, at, length, key, content);
      }
      at =
          content == STACK && bytes[value] == Opcode.EMPTY_LIST
              ? stacks.scan(bytes, value, end)
              : end(content, bytes, value, end);
    }
    return false;
  }

  private void addRow(byte[] bytes, int at, int length, int field, int content) {
    int unused = Long.SIZE - Byte.SIZE * length;
    keys[count] = (long) LONGS.get(bytes, at) << unused;
    rows[count] = unused | length << LENGTH_SHIFT | field << FIELD_SHIFT | content << CONTENT_SHIFT;
    count++;
  }

  private static int content(int key, byte[] bytes, int at) {
    return switch (key) {
      case Vocabulary.ADDR, Vocabulary.SIZE, Vocabulary.STREAM, Vocabulary.TIME_US -> NUMBER;
      case Vocabulary.ACTION, Vocabulary.COMPILE_CONTEXT, Vocabulary.USER_METADATA -> TEXT;
      case Vocabulary.FRAMES -> STACK;
      case Vocabulary.POOL_ID -> POOL;
      default -> numberLength(bytes, at) < 0 ? TEXT : NUMBER;
    };
  }

  /** The position after a value, −1 where it is another. */
  private static int end(int content, byte[] bytes, int at, int end) {
    int number = numberLength(bytes, at);
    return switch (content) {
      case NUMBER -> number < 0 ? -1 : at + number;
      case POOL -> number < 0 ? referenceEnd(bytes, at) : pairEnd(bytes, at + number);
      case STACK -> referenceEnd(bytes, at);
      default ->
          bytes[at] == (byte) Opcode.SHORT_BINUNICODE
              ? textEnd(bytes, at, end)
              : referenceEnd(bytes, at);
    };
  }

  private static int referenceEnd(byte[] bytes, int at) {
    int length = referenceLength(bytes[at]);
    return length < 0 ? -1 : at + length;
  }

  private static int pairEnd(byte[] bytes, int at) {
    int second = numberLength(bytes, at);
    // After the second number stands the opcode that makes the pair.
    return second < 0 ? -1 : memoizeEnd(bytes, at + second + 1);
  }

  private static int textEnd(byte[] bytes, int from, int end) {
    int at = from + 2 + (bytes[from + 1] & 0xff);
    return at < end ? memoizeEnd(bytes, at) : -1;
  }

  private static int memoizeEnd(byte[] bytes, int at) {
    return bytes[at] == (byte) Opcode.MEMOIZE ? at + 1 : at;
  }

  /** Bytes of a reference to the memo with its opcode, −1 where there is none. */
  static int referenceLength(byte opcode) {
    return switch (opcode) {
      case Opcode.BINGET -> 2;
      case Opcode.LONG_BINGET -> 5;
      default -> -1;
    };
  }

  /** The slot of a reference; below 0 where there is none, or where it is none that is filled. */
  static int slot(byte[] bytes, int at) {
    return switch (bytes[at]) {
      case Opcode.BINGET -> bytes[at + 1] & 0xff;
      // Slots are unsigned, but there are less than 2^31.
      case Opcode.LONG_BINGET -> (int) INTS.get(bytes, at + 1);
      default -> -1;
    };
  }

  /** Bytes of the whole number at a position with its opcode, −1 where there is none. */
  static int numberLength(byte[] bytes, int at) {
    int opcode = bytes[at] & 0xff;
    if (opcode != Opcode.LONG1) {
      return NUMBER_LENGTHS[opcode];
    }
    int length = bytes[at + 1];
    return length > 0 && length <= Long.BYTES ? 2 + length : -1;
  }

  /** The whole number at a position where there is one. */
  static long number(byte[] bytes, int at) {
    int opcode = bytes[at] & 0xff;
    if (opcode == Opcode.LONG1) {
      int unused = Long.SIZE - Byte.SIZE * bytes[at + 1];
      return (long) LONGS.get(bytes, at + 2) << unused >> unused;
    }
    // Only numbers of four bytes have a sign.
    int unused = NUMBER_UNUSED_BITS[opcode];
    return (long) LONGS.get(bytes, at + 1) << unused >> unused & NUMBER_MASKS[opcode];
  }
}
