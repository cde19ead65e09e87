package org.allocsim.workloads.format.pytorch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.workloads.format.pytorch.pickle.Memo;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;

/**
 * Reads the entries of a history at one go, straight from the buffer, where they look as Python
 * writes them (protocol 4 and 5): one flat dict with the keys of the entry before, in the same
 * order, and as values whole numbers, texts, a pair of numbers, and a list of frames that were seen
 * before. A history is made of almost nothing else.
 *
 * <p>The scanner decides nothing on its own: an entry that looks otherwise in any way, that a frame
 * or the buffer cuts, or that holds an error is left for {@link PickleMachine} as if nobody had
 * looked at it.
 */
final class EntryScanner {
  /** Bytes that a step may look at without asking whether they are there: a key and two numbers. */
  static final int STEP_BYTES = 32;

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long NEEDED =
      1L << Vocabulary.ACTION
          | 1L << Vocabulary.ADDR
          | 1L << Vocabulary.SIZE
          | 1L << Vocabulary.STREAM;
  private static final long TIME_US = 1L << Vocabulary.TIME_US;

  private static final long LATEST_MICROS = Long.MAX_VALUE / 1000;

  private final PickleInput in;
  private final Memo memo;
  private final TextPool texts;
  private final SnapshotBuilder builder;
  private final EntryShape shape = new EntryShape();

  /** Which contents of the memo the shape belongs to. */
  private int memoVersion;

  /** The values of the entry by field; they have the types that the shape names. */
  private final long[] values = new long[Vocabulary.FIELDS + 1];

  private final StackScanner stacks;

  /** Whether the entry has a list of frames of its own, which is numbered once all is read. */
  private boolean hasList;

  // The last short text: most entries hold the same one.
  private long lastText;
  private int lastLength = -1;
  private int lastId;

  EntryScanner(PickleInput in, Memo memo, TextPool texts, SnapshotBuilder builder) {
    this.in = in;
    this.memo = memo;
    this.texts = texts;
    this.builder = builder;
    stacks = new StackScanner(memo, texts, builder);
  }

  /**
   * Reads the entries that come next, whose list is being filled, and moves the input after them.
   *
   * @param end position in the buffer at which the frame ends
   * @return whether there was any
   */
  boolean scan(EventColumns columns, int end) {
    if (memoVersion != memo.version()) {
      memoVersion = memo.version();
      shape.clear();
    }
    int from = in.position();
    int at = from;
    // Whatever is remembered takes a byte.
    while (at + STEP_BYTES <= end && memo.hasRoom(end - at)) {
      int after = entry(columns, at, end);
      if (after < 0 && learn(at, end)) {
        after = entry(columns, at, end);
      }
      if (after < 0) {
        break;
      }
      at = after;
    }
    in.moveTo(at);
    return at > from;
  }

  /** Reads the entry that begins at a position and returns the one after it, or −1. */
  private int entry(EventColumns columns, int from, int end) {
    byte[] bytes = in.buffer();
    if (bytes[from] != Opcode.EMPTY_DICT) {
      return -1;
    }
    memo.beginNotes();
    hasList = false;
    int at = from + 1;
    if (bytes[at] == (byte) Opcode.MEMOIZE) {
      memo.note(Memo.entry(Value.SPENT, 0));
      at++;
    }
    if (bytes[at] != Opcode.MARK) {
      return -1;
    }
    at = items(at + 1, end);
    // Only what follows shows that the entry is complete.
    if (at < 0
        || at >= end
        || (bytes[at] != Opcode.EMPTY_DICT && bytes[at] != Opcode.APPENDS)
        || !isPlain()) {
      return -1;
    }
    add(columns);
    return at;
  }

  /** Takes the keys of the entry at a position; false where it is none that can be scanned. */
  private boolean learn(int from, int end) {
    memo.beginNotes();
    return shape.learn(in.buffer(), from, end, memo, stacks);
  }

  /** Reads keys and values up to SETITEMS and returns the position after it, or −1. */
  private int items(int from, int end) {
    byte[] bytes = in.buffer();
    int[] rows = shape.rows;
    long[] keys = shape.keys;
    long[] found = values;
    int at = from;
    for (int item = 0; at >= 0 && at + STEP_BYTES <= end; item++) {
      int row = rows[item];
      if ((long) LONGS.get(bytes, at) << EntryShape.unusedBits(row) != keys[item]) {
        return -1;
      }
      at += EntryShape.length(row);
      switch (EntryShape.content(row)) {
        case EntryShape.NUMBER -> {
          int length = EntryShape.numberLength(bytes, at);
          if (length < 0) {
            return -1;
          }
          found[EntryShape.field(row)] = EntryShape.number(bytes, at);
          at += length;
        }
        case EntryShape.TEXT -> at = text(EntryShape.field(row), at, end);
        case EntryShape.STACK -> at = stack(at, end);
        case EntryShape.POOL -> at = pool(at);
        default -> {
          return at;
        }
      }
    }
    return -1;
  }

  /** The memo's entry that is referred to at a position, or 0. */
  private int shared(int at) {
    return memo.entry(EntryShape.slot(in.buffer(), at));
  }

  /** Reads a text and returns the position after it, or −1. */
  private int text(int field, int at, int end) {
    byte[] bytes = in.buffer();
    if (bytes[at] != (byte) Opcode.SHORT_BINUNICODE) {
      int entry = shared(at);
      values[field] = Memo.valueOf(entry);
      return Memo.typeOf(entry) == Value.TEXT ? at + EntryShape.referenceLength(bytes[at]) : -1;
    }
    int length = bytes[at + 1] & 0xff;
    int after = at + 2 + length;
    if (after + STEP_BYTES > end) {
      return -1;
    }
    int id;
    if (length == 0 || length > Long.BYTES) {
      id = texts.number(bytes, at + 2, length);
    } else {
      long text = (long) LONGS.get(bytes, at + 2) << Long.SIZE - Byte.SIZE * length;
      if (length != lastLength || text != lastText) {
        lastId = texts.number(bytes, at + 2, length);
        lastLength = length;
        lastText = text;
      }
      id = lastId;
    }
    values[field] = id;
    return id < 0 ? -1 : remember(Memo.entry(Value.TEXT, id), after);
  }

  /** Reads the pair of numbers that names a pool and returns the position after it, or −1. */
  private int pool(int from) {
    byte[] bytes = in.buffer();
    int length = EntryShape.numberLength(bytes, from);
    if (length < 0) {
      int entry = shared(from);
      values[Vocabulary.POOL_ID] = Memo.valueOf(entry);
      return Memo.typeOf(entry) == Value.POOL ? from + EntryShape.referenceLength(bytes[from]) : -1;
    }
    int at = from + length;
    int secondLength = EntryShape.numberLength(bytes, at);
    if (secondLength < 0 || bytes[at + secondLength] != (byte) Opcode.TUPLE2) {
      return -1;
    }
    int pool = builder.pool(EntryShape.number(bytes, from), EntryShape.number(bytes, at));
    values[Vocabulary.POOL_ID] = pool;
    return pool < 0 ? -1 : remember(Memo.entry(Value.POOL, pool), at + secondLength + 1);
  }

  private int remember(int entry, int at) {
    if (in.buffer()[at] != (byte) Opcode.MEMOIZE) {
      return at;
    }
    memo.note(entry);
    return at + 1;
  }

  /** Reads a list of frames and returns the position after it, or −1. */
  private int stack(int from, int end) {
    byte[] bytes = in.buffer();
    if (bytes[from] != Opcode.EMPTY_LIST) {
      int entry = shared(from);
      values[Vocabulary.FRAMES] = Memo.valueOf(entry);
      return Memo.typeOf(entry) == Value.STACK
          ? from + EntryShape.referenceLength(bytes[from])
          : -1;
    }
    hasList = true;
    return stacks.scan(bytes, from, end);
  }

  /** Whether the values are such that nothing has to be said about them. */
  private boolean isPlain() {
    EffectKind kind = Vocabulary.effect((int) values[Vocabulary.ACTION]);
    long micros = values[Vocabulary.TIME_US];
    return (shape.present & NEEDED) == NEEDED
        && kind != null
        && kind != EffectKind.OOM
        && (values[Vocabulary.ADDR] | values[Vocabulary.SIZE]) >= 0
        && ((shape.present & TIME_US) == 0 || (micros >= 0 && micros <= LATEST_MICROS));
  }

  @SuppressWarnings("NullAway") // entries with another action are not plain
  private void add(EventColumns columns) {
    if (hasList) {
      values[Vocabulary.FRAMES] = stacks.number(in.buffer());
    }
    memo.keepNotes();
    columns.add(
        Vocabulary.effect((int) values[Vocabulary.ACTION]),
        values[Vocabulary.ADDR],
        values[Vocabulary.SIZE],
        values[Vocabulary.STREAM],
        valueOf(Vocabulary.TIME_US, -1),
        (int) valueOf(Vocabulary.FRAMES, 0),
        (int) valueOf(Vocabulary.POOL_ID, -1),
        (int) valueOf(Vocabulary.COMPILE_CONTEXT, -1),
        (int) valueOf(Vocabulary.USER_METADATA, -1));
    for (int i = 0; i < shape.otherCount; i++) {
      builder.unknownKey(shape.others[i]);
    }
  }

  private long valueOf(int field, long otherwise) {
    return (shape.present >>> field & 1) == 0 ? otherwise : values[field];
  }
}
