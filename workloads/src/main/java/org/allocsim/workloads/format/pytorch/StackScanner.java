package org.allocsim.workloads.format.pytorch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.allocsim.workloads.format.pytorch.pickle.Memo;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;

/**
 * Reads lists of frames straight from the buffer, as Python writes them: references to frames that
 * were seen before, or dicts of a file name, a line and a name.
 *
 * <p>The same bytes mean the same stack as long as no slot of the memo is filled anew, and
 * histories repeat their stacks; so lists that come again are found by comparing bytes.
 */
final class StackScanner {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int FILE = 1;
  private static final int LINE = 2;
  private static final int NAME = 4;

  // Lists seen before; all are forgotten where they take more than this.
  private static final int MAX_LISTS = 1 << 14;
  private static final int MAX_LIST_BYTES = 4 << 20;
  private static final int TABLE_SLOTS = 2 * MAX_LISTS;

  /** Places of the table at which a list is looked for; many begin with the same frames. */
  private static final int MAX_PROBES = 8;

  /** First bytes of a list that choose its place: its opcodes and two to six frames. */
  private static final int KEY_BYTES = 2 * Long.BYTES;

  private final Memo memo;
  private final TextPool texts;
  private final SnapshotBuilder builder;

  /** Which contents of the memo the lists belong to. */
  private int memoVersion;

  // Number, bytes and notes of each list, and a table of them by their first bytes.
  private final int[] table = new int[TABLE_SLOTS];
  private final int[] stacks = new int[MAX_LISTS];
  private final int[] byteStarts = new int[MAX_LISTS + 1];
  private final int[] noteStarts = new int[MAX_LISTS + 1];
  private byte[] listBytes = new byte[1 << 12];
  private int[] listNotes = new int[1 << 8];
  private int listCount;

  // The list read last.
  private int[] frames = new int[64];
  private int frameCount;
  private int known;
  private int listStart;
  private int listEnd;
  private int firstNote;
  private int listNote;

  StackScanner(Memo memo, TextPool texts, SnapshotBuilder builder) {
    this.memo = memo;
    this.texts = texts;
    this.builder = builder;
  }

  /**
   * Reads the list whose opcode stands at a position, which {@link EntryScanner#STEP_BYTES} bytes
   * follow at least, and notes what it puts into the memo.
   *
   * @return the position after it, or −1 where it is none of these lists
   */
  int scan(byte[] bytes, int from, int end) {
    listStart = from;
    firstNote = memo.noteCount();
    listNote = -1;
    frameCount = 0;
    int at = from + 1;
    boolean remembered = bytes[at] == (byte) Opcode.MEMOIZE;
    if (remembered) {
      at++;
    }
    if (bytes[at] != Opcode.MARK) {
      // Nothing in it; numbered as such without being looked up.
      known = -1;
      listNote = remembered ? memo.note(0) : -1;
      return at;
    }
    known = find(bytes, from, end);
    if (known >= 0) {
      memo.note(listNotes, noteStarts[known], noteStarts[known + 1]);
      return from + byteStarts[known + 1] - byteStarts[known];
    }
    listNote = remembered ? memo.note(0) : -1;
    listEnd = frames(bytes, at + 1, end);
    return listEnd;
  }

  /** Number of the stack that the list read last is. */
  int number(byte[] bytes) {
    if (known >= 0) {
      return stacks[known];
    }
    int stack = builder.stack(frames, frameCount);
    if (listNote >= 0) {
      memo.renote(listNote, Memo.entry(Value.STACK, stack));
    }
    if (frameCount > 0) {
      add(bytes, stack);
    }
    return stack;
  }

  /** Reads frames up to APPENDS and returns the position after it, or −1. */
  private int frames(byte[] bytes, int from, int end) {
    int count = 0;
    int at = from;
    while (at >= 0 && at + EntryScanner.STEP_BYTES <= end) {
      int frame;
      switch (bytes[at]) {
        case Opcode.BINGET, Opcode.LONG_BINGET -> {
          frame = memo.valueAs(Value.FRAME, EntryShape.slot(bytes, at));
          at += EntryShape.referenceLength(bytes[at]);
        }
        case Opcode.EMPTY_DICT -> {
          at = frame(bytes, at + 1, end);
          frame = lastFrame;
        }
        case Opcode.APPENDS -> {
          frameCount = count;
          return at + 1;
        }
        default -> {
          return -1;
        }
      }
      if (frame < 0) {
        return -1;
      }
      if (count == frames.length) {
        frames = Arrays.copyOf(frames, count * 2);
      }
      frames[count++] = frame;
    }
    return -1;
  }

  private int lastFrame;
  private int lastText;

  /** Reads a frame after its opcode and returns the position after it, or −1. */
  private int frame(byte[] bytes, int from, int end) {
    lastFrame = -1;
    int at = from;
    int note = -1;
    if (bytes[at] == (byte) Opcode.MEMOIZE) {
      note = memo.note(0);
      at++;
    }
    if (bytes[at++] != Opcode.MARK) {
      return -1;
    }
    int file = 0;
    int name = 0;
    long line = 0;
    int found = 0;
    while (at >= 0 && at + EntryScanner.STEP_BYTES <= end && bytes[at] != Opcode.SETITEMS) {
      int key = memo.valueAs(Value.TEXT, EntryShape.slot(bytes, at));
      if (key < 0) {
        return -1;
      }
      at += EntryShape.referenceLength(bytes[at]);
      int field;
      switch (key) {
        case Vocabulary.FILENAME -> {
          field = FILE;
          at = text(bytes, at, end);
          file = lastText;
        }
        case Vocabulary.NAME -> {
          field = NAME;
          at = text(bytes, at, end);
          name = lastText;
        }
        case Vocabulary.LINE -> {
          field = LINE;
          int length = EntryShape.numberLength(bytes, at);
          line = length < 0 ? 0 : EntryShape.number(bytes, at);
          at = length < 0 ? -1 : at + length;
        }
        default -> {
          return -1;
        }
      }
      // A key that comes twice counts once; that is not for here.
      if ((found & field) != 0) {
        return -1;
      }
      found |= field;
    }
    if (found != (FILE | LINE | NAME) || at < 0 || at + EntryScanner.STEP_BYTES > end) {
      return -1;
    }
    lastFrame = builder.frame(file, line, name);
    if (note >= 0) {
      memo.renote(note, Memo.entry(Value.FRAME, lastFrame));
    }
    return at + 1;
  }

  /** Reads a text and returns the position after it, or −1. */
  private int text(byte[] bytes, int at, int end) {
    if (bytes[at] != (byte) Opcode.SHORT_BINUNICODE) {
      lastText = memo.valueAs(Value.TEXT, EntryShape.slot(bytes, at));
      return lastText < 0 ? -1 : at + EntryShape.referenceLength(bytes[at]);
    }
    int length = bytes[at + 1] & 0xff;
    int after = at + 2 + length;
    if (after + EntryScanner.STEP_BYTES > end) {
      return -1;
    }
    lastText = texts.number(bytes, at + 2, length);
    if (lastText < 0 || bytes[after] != (byte) Opcode.MEMOIZE) {
      return lastText < 0 ? -1 : after;
    }
    memo.note(Memo.entry(Value.TEXT, lastText));
    return after + 1;
  }

  /** The list that stands at a position, or −1 where it is not known. */
  private int find(byte[] bytes, int from, int end) {
    if (memoVersion != memo.version()) {
      memoVersion = memo.version();
      forget();
    }
    int slot = slot(bytes, from);
    for (int probe = 0; probe < MAX_PROBES; probe++) {
      int list = table[slot + probe & TABLE_SLOTS - 1] - 1;
      if (list < 0) {
        return -1;
      }
      int start = byteStarts[list];
      int length = byteStarts[list + 1] - start;
      if (from + length <= end
          && Arrays.equals(listBytes, start, start + length, bytes, from, from + length)) {
        return list;
      }
    }
    return -1;
  }

  private static int slot(byte[] bytes, int from) {
    long first = (long) LONGS.get(bytes, from);
    long second = (long) LONGS.get(bytes, from + KEY_BYTES - Long.BYTES);
    return (int) TextPool.mix(first ^ Long.rotateLeft(second, 32)) & TABLE_SLOTS - 1;
  }

  /** Keeps the list read last. */
  private void add(byte[] bytes, int stack) {
    int length = listEnd - listStart;
    if (length > MAX_LIST_BYTES / 16) {
      return;
    }
    if (listCount == MAX_LISTS || length > MAX_LIST_BYTES - byteStarts[listCount]) {
      forget();
    }
    int list = listCount++;
    int start = byteStarts[list];
    if (start + length > listBytes.length) {
      listBytes = Arrays.copyOf(listBytes, Math.max(start + length, listBytes.length * 2));
    }
    System.arraycopy(bytes, listStart, listBytes, start, length);
    byteStarts[list + 1] = start + length;
    int notes = memo.noteCount() - firstNote;
    if (noteStarts[list] + notes > listNotes.length) {
      listNotes =
          Arrays.copyOf(listNotes, Math.max(noteStarts[list] + notes, listNotes.length * 2));
    }
    noteStarts[list + 1] =
        noteStarts[list] + memo.copyNotes(firstNote, listNotes, noteStarts[list]);
    stacks[list] = stack;
    int slot = slot(bytes, listStart);
    int probe = 0;
    while (probe < MAX_PROBES && table[slot + probe & TABLE_SLOTS - 1] != 0) {
      probe++;
    }
    // Where its places are taken it replaces the first.
    table[slot + probe % MAX_PROBES & TABLE_SLOTS - 1] = list + 1;
  }

  private void forget() {
    Arrays.fill(table, 0);
    listCount = 0;
  }
}
