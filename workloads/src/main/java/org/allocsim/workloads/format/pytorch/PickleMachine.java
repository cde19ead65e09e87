package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.pickle.Memo;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;
import org.allocsim.workloads.format.pytorch.pickle.OpenDicts;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.jspecify.annotations.Nullable;

/**
 * Runs the part of the pickle language that plain data need (protocols 2 to 5) and hands dicts and
 * lists to a {@link SnapshotBuilder} as they fill. Values are a type and a {@code long}; nothing is
 * kept of an entry once its list took it, and opcodes that could import, call or build are refused.
 *
 * <p>A container is open while it may grow: from its creation until something takes it as an
 * element or refers to it again. Only open containers grow, so a container can never contain
 * itself.
 */
final class PickleMachine {
  /** Deepest nesting of containers; a snapshot has about seven levels. */
  static final int DEEPEST = 64;

  /** Most frames of a stack; Python ends a recursion at a thousand. */
  private static final int MAX_FRAMES = 1 << 16;

  /** How far the memo may grow before it is looked at. */
  private static final long MEMO_STEP_BYTES = 1L << 23;

  /** Maximum number of values on the stack. */
  private static final int MAX_VALUES = 1 << 20;

  /** Maximum number of values on the stack beside which entries are scanned. */
  private static final int MAX_SCANNED = 1 << 10;

  private static final String DAMAGED = "the file is damaged, " + PickleInput.WRITE_ANEW;
  private static final String NOT_PLAIN =
      "this is not a plain memory snapshot, " + PickleInput.WRITE_ANEW;

  private final PickleInput in;
  private final TextPool texts;
  private final SnapshotBuilder builder;
  private final OpenDicts dicts;
  private final OpenLists lists = new OpenLists();

  private byte[] types = new byte[1 << 10];
  private long[] values = new long[1 << 10];
  private int size;
  private final int[] marks = new int[DEEPEST];
  private int markCount;

  private final Memo memo = new Memo();
  private long checkedMemoBytes = MEMO_STEP_BYTES;

  /** Reads what it can of a history; null where every opcode is to be run. */
  private final @Nullable EntryScanner scanner;

  PickleMachine(PickleInput in, TextPool texts, SnapshotBuilder builder, boolean scanning) {
    this.in = in;
    this.texts = texts;
    this.builder = builder;
    dicts = builder.dicts();
    in.watch(() -> memo.heldBytes() + texts.heldBytes() + builder.heldBytes());
    scanner = scanning ? new EntryScanner(in, memo, texts, builder) : null;
  }

  /** Runs to STOP; what the pickle holds is then with the builder. */
  void run() throws TraceFormatException {
    start();
    long frameEnd = Long.MAX_VALUE;
    while (true) {
      if (in.offset() >= frameEnd) {
        if (in.offset() > frameEnd) {
          throw in.failure("a value extends beyond its frame", DAMAGED);
        }
        frameEnd = Long.MAX_VALUE;
      }
      int opcode = in.opcode();
      switch (opcode) {
        case Opcode.BINGET -> get(in.u1());
        case Opcode.LONG_BINGET -> get(in.u4());
        case Opcode.MEMOIZE -> put(memo.count());
        case Opcode.BINPUT -> put(in.u1());
        case Opcode.LONG_BINPUT -> put(in.u4());
        case Opcode.MARK -> mark();
        case Opcode.EMPTY_DICT -> {
          completeNeighbour();
          if (!scanEntries(frameEnd)) {
            openDict();
          }
        }
        case Opcode.EMPTY_LIST -> openList();
        case Opcode.SETITEM -> setItem();
        case Opcode.SETITEMS -> setItems();
        case Opcode.APPEND -> append();
        case Opcode.APPENDS -> appends();
        case Opcode.BININT1 -> push(Value.INT, in.u1());
        case Opcode.BININT2 -> push(Value.INT, in.u2());
        case Opcode.BININT -> push(Value.INT, in.i4());
        case Opcode.LONG1 -> wholeNumber(in.u1());
        case Opcode.LONG4 -> wholeNumber(in.i4());
        case Opcode.BINFLOAT -> push(Value.FLOAT, Double.doubleToRawLongBits(in.f8()));
        case Opcode.NONE -> push(Value.NONE, 0);
        case Opcode.NEWTRUE -> push(Value.BOOL, 1);
        case Opcode.NEWFALSE -> push(Value.BOOL, 0);
        case Opcode.SHORT_BINUNICODE -> text(in.u1());
        case Opcode.BINUNICODE -> text(in.u4());
        case Opcode.BINUNICODE8 -> text(in.i8());
        case Opcode.SHORT_BINBYTES -> bytes(in.u1());
        case Opcode.BINBYTES -> bytes(in.u4());
        case Opcode.BINBYTES8 -> bytes(in.i8());
        case Opcode.EMPTY_TUPLE -> push(Value.OPAQUE, 1);
        case Opcode.TUPLE1 -> tuple(1);
        case Opcode.TUPLE2 -> tuple(2);
        case Opcode.TUPLE3 -> tuple(3);
        case Opcode.TUPLE -> markedTuple();
        case Opcode.PROTO -> throw in.failure("a second pickle header follows", DAMAGED);
        case Opcode.FRAME -> {
          if (frameEnd != Long.MAX_VALUE) {
            throw in.failure("a frame starts inside another frame", DAMAGED);
          }
          long length = in.i8();
          in.checkAnnounced(length);
          frameEnd = in.offset() + length;
          if (frameEnd < 0) {
            throw in.failure("a frame of " + length + " bytes is announced", DAMAGED);
          }
        }
        case Opcode.STOP -> {
          if (frameEnd != Long.MAX_VALUE && in.offset() != frameEnd) {
            throw in.failure(
                "the data stop " + (frameEnd - in.offset()) + " bytes before their frame ends",
                DAMAGED);
          }
          stop();
          return;
        }
        case -1 -> throw in.truncated("");
        default -> throw refused(opcode);
      }
    }
  }

  private void start() throws TraceFormatException {
    int first = in.opcode();
    if (first < 0) {
      throw in.failureAt("", "the file is empty", PickleInput.WRITE_ANEW);
    }
    if (first != Opcode.PROTO) {
      throw in.failureAt(
          "", "this is not a pickle of protocol 2 to 5, as memory snapshots are", NOT_PLAIN);
    }
    int protocol = in.u1();
    if (protocol < 2 || protocol > 5) {
      throw in.failure("pickle protocol " + protocol + " is not one of 2 to 5", NOT_PLAIN);
    }
  }

  private TraceFormatException refused(int opcode) {
    String name = Opcode.codeRunning(opcode);
    if (name != null) {
      return in.failure(
          "opcode " + name + " would make the reader run or import code and is rejected",
          NOT_PLAIN);
    }
    name = Opcode.unused(opcode);
    return in.failure(
        name == null
            ? "0x" + Integer.toHexString(opcode) + " is not a pickle opcode"
            : "opcode " + name + " is not used in snapshots and is rejected",
        NOT_PLAIN);
  }

  private void push(byte type, long value) throws TraceFormatException {
    if (size == types.length) {
      if (size == MAX_VALUES) {
        throw in.failure("more than " + MAX_VALUES + " values wait for their container", DAMAGED);
      }
      types = Arrays.copyOf(types, size * 2);
      values = Arrays.copyOf(values, size * 2);
    }
    types[size] = type;
    values[size++] = value;
  }

  private void wholeNumber(int length) throws TraceFormatException {
    if (length < 0 || length > 9) {
      throw in.failure(
          "a whole number of " + Integer.toUnsignedString(length) + " bytes exceeds 64 bits",
          DAMAGED);
    }
    if (length == 0) {
      push(Value.INT, 0);
    } else if (length < 9) {
      push(Value.INT, in.signed(length));
    } else {
      long low = in.i8();
      int high = in.u1();
      if (high != 0) {
        throw in.failure("a whole number exceeds 64 bits", DAMAGED);
      }
      push(low < 0 ? Value.UNSIGNED : Value.INT, low);
    }
  }

  private void text(long length) throws TraceFormatException {
    int id = in.text(length, texts);
    push(id < 0 ? Value.OPAQUE : Value.TEXT, Math.max(id, 0));
  }

  private void bytes(long length) throws TraceFormatException {
    in.skip(length);
    push(Value.OPAQUE, 0);
  }

  private void mark() throws TraceFormatException {
    if (markCount == DEEPEST) {
      throw tooDeep();
    }
    marks[markCount++] = size;
    push(Value.MARK, 0);
  }

  private TraceFormatException tooDeep() {
    return in.failure("containers nest deeper than " + DEEPEST + " levels", NOT_PLAIN);
  }

  /** Takes the topmost mark and returns its position. */
  private int takeMark() throws TraceFormatException {
    if (markCount == 0) {
      throw in.failure("elements end without a start", DAMAGED);
    }
    return marks[--markCount];
  }

  /**
   * A dict cannot be the key of a dict: one right above another is its neighbour in a list, and the
   * lower one is complete. Lists thus take their entries one by one, however long they are.
   */
  private void completeNeighbour() throws TraceFormatException {
    if (size > 0 && types[size - 1] == Value.OPEN_DICT && markCount > 0) {
      int mark = marks[markCount - 1];
      if (mark > 0 && types[mark - 1] == Value.OPEN_LIST) {
        appendRange(mark - 1, mark + 1);
        size = mark + 1;
      }
    }
  }

  /** Reads entries of a history at one go; false where none was read. */
  private boolean scanEntries(long frameEnd) {
    // Few values wait in a real snapshot; with more, a limit could be reached within an entry.
    if (scanner == null || markCount == 0 || markCount > DEEPEST - 3 || size > MAX_SCANNED) {
      return false;
    }
    int mark = marks[markCount - 1];
    if (size != mark + 1 || mark == 0 || types[mark - 1] != Value.OPEN_LIST) {
      return false;
    }
    if (!(lists.contents[(int) values[mark - 1]] instanceof ListContent.Events events)) {
      return false;
    }
    // The opcode just taken begins the first entry.
    in.moveTo(in.position() - 1);
    if (scanner.scan(events.columns, in.end(frameEnd))) {
      return true;
    }
    in.moveTo(in.position() + 1);
    return false;
  }

  private void openDict() throws TraceFormatException {
    int dict = dicts.open(size);
    if (dict < 0) {
      throw in.failure("more than " + OpenDicts.MOST + " dicts are open at once", NOT_PLAIN);
    }
    push(Value.OPEN_DICT, dict);
  }

  private void openList() throws TraceFormatException {
    int list = lists.open(size);
    if (list < 0) {
      throw in.failure("more than " + OpenLists.MOST + " lists are open at once", NOT_PLAIN);
    }
    push(Value.OPEN_LIST, list);
  }

  private void append() throws TraceFormatException {
    if (size < 2) {
      throw in.failure("an element has no list", DAMAGED);
    }
    appendRange(size - 2, size - 1);
    size--;
  }

  private void appends() throws TraceFormatException {
    int mark = takeMark();
    if (mark == 0) {
      throw in.failure("elements have no list", DAMAGED);
    }
    appendRange(mark - 1, mark + 1);
    size = mark;
  }

  /** Puts the values from a position on into the list at another one. */
  private void appendRange(int listPosition, int from) throws TraceFormatException {
    int list = openContainer(listPosition, Value.OPEN_LIST, "list");
    ListContent content = lists.contents[list];
    for (int i = from; i < size; i++) {
      switch (types[i]) {
        case Value.FRAME -> {
          if (content instanceof ListContent.Frames frames) {
            if (frames.count == MAX_FRAMES) {
              throw in.failure("a stack has more than " + MAX_FRAMES + " frames", NOT_PLAIN);
            }
            frames.add((int) values[i]);
          } else {
            content = builder.append(content, Value.FRAME, values[i]);
          }
        }
        case Value.OPEN_DICT -> {
          int dict = (int) values[i];
          content = builder.appendDict(content, dict);
          finishDict(dict, i);
        }
        case Value.OPEN_LIST -> {
          closeList((int) values[i], i);
          content = builder.append(content, types[i], values[i]);
        }
        case Value.MARK -> throw in.failure("a mark in place of an element", DAMAGED);
        default -> content = builder.append(content, types[i], values[i]);
      }
    }
    lists.contents[list] = content;
    checkDepth(SnapshotBuilder.depth(content));
  }

  private void setItem() throws TraceFormatException {
    if (size < 3) {
      throw in.failure("a key has no dict", DAMAGED);
    }
    setRange(size - 3, size - 2);
    size -= 2;
  }

  private void setItems() throws TraceFormatException {
    int mark = takeMark();
    if (mark == 0) {
      throw in.failure("keys have no dict", DAMAGED);
    }
    setRange(mark - 1, mark + 1);
    size = mark;
  }

  /** Puts the keys and values from a position on into the dict at another one. */
  private void setRange(int dictPosition, int from) throws TraceFormatException {
    int dict = openContainer(dictPosition, Value.OPEN_DICT, "dict");
    if ((size - from & 1) != 0) {
      throw in.failure("a key has no value", DAMAGED);
    }
    for (int i = from; i < size; i += 2) {
      int field = -1;
      if (types[i] == Value.TEXT) {
        int text = (int) values[i];
        field = Vocabulary.field(text);
        if (field < 0) {
          builder.unknownKey(text);
        }
      } else if (types[i] == Value.MARK
          || types[i] == Value.OPEN_LIST
          || types[i] == Value.OPEN_DICT) {
        throw in.failure("a key of a dict is not a plain value", DAMAGED);
      }
      byte type = types[i + 1];
      if (type == Value.OPEN_LIST) {
        closeList((int) values[i + 1], i + 1);
      } else if (type == Value.OPEN_DICT) {
        int inner = (int) values[i + 1];
        dicts.deepen(dict, dicts.depth(inner) + 1);
        builder.closeDict(inner, field);
        finishDict(inner, i + 1);
      } else if (type == Value.MARK) {
        throw in.failure("a mark in place of a value", DAMAGED);
      }
      dicts.deepen(dict, SnapshotBuilder.depth(types[i + 1], values[i + 1]) + 1);
      if (field >= 0) {
        dicts.set(dict, field, types[i + 1], values[i + 1]);
      } else {
        builder.release(types[i + 1], values[i + 1]);
      }
    }
    checkDepth(dicts.depth(dict));
  }

  private void checkDepth(int depth) throws TraceFormatException {
    if (depth > DEEPEST) {
      throw tooDeep();
    }
  }

  private int openContainer(int position, byte type, String what) throws TraceFormatException {
    if (types[position] != type) {
      boolean complete = types[position] >= Value.FRAME;
      throw in.failure(
          complete
              ? "a container is filled after it was used as an element, so it may contain itself"
              : "elements are added to something that is not a " + what,
          DAMAGED);
    }
    return (int) values[position];
  }

  private void tuple(int length) throws TraceFormatException {
    if (size < length) {
      throw in.failure("a tuple has too few elements", DAMAGED);
    }
    makeTuple(size - length);
  }

  private void markedTuple() throws TraceFormatException {
    int mark = takeMark();
    int depth = tupleDepth(mark + 1);
    size = mark;
    push(Value.OPAQUE, depth);
  }

  private void makeTuple(int from) throws TraceFormatException {
    if (size - from == 2 && types[from] == Value.INT && types[from + 1] == Value.INT) {
      int pool = builder.pool(values[from], values[from + 1]);
      size = from;
      push(pool < 0 ? Value.OPAQUE : Value.POOL, pool < 0 ? 1 : pool);
      return;
    }
    int depth = tupleDepth(from);
    size = from;
    push(Value.OPAQUE, depth);
  }

  private int tupleDepth(int from) throws TraceFormatException {
    int depth = 1;
    for (int i = from; i < size; i++) {
      if (types[i] == Value.MARK) {
        throw in.failure("a mark in place of an element", DAMAGED);
      }
      close(i);
      depth = Math.max(depth, SnapshotBuilder.depth(types[i], values[i]) + 1);
    }
    checkDepth(depth);
    return depth;
  }

  /** Completes the container at a position without telling whose element it is. */
  private void close(int position) {
    if (types[position] == Value.OPEN_LIST) {
      closeList((int) values[position], position);
    } else if (types[position] == Value.OPEN_DICT) {
      int dict = (int) values[position];
      builder.closeDict(dict, -1);
      finishDict(dict, position);
    }
  }

  private void closeList(int list, int position) {
    builder.closeList(lists.contents[list]);
    types[position] = builder.closedType();
    values[position] = builder.closedValue();
    if (lists.memoSlots[list] >= 0) {
      memo.set(lists.memoSlots[list], types[position], values[position]);
    }
    lists.close(list);
  }

  /** Puts what the builder made of a dict where the dict was. */
  private void finishDict(int dict, int position) {
    types[position] = builder.closedType();
    values[position] = builder.closedValue();
    if (dicts.memoSlots[dict] >= 0) {
      memo.set(dicts.memoSlots[dict], types[position], values[position]);
    }
    dicts.close(dict);
  }

  private void put(long slot) throws TraceFormatException {
    if (size == 0 || types[size - 1] == Value.MARK) {
      throw in.failure("there is nothing to memoize", DAMAGED);
    }
    // Writers number their slots one by one, and each takes at least a byte of the file.
    if (slot > in.offset() || slot >= Memo.MOST) {
      throw in.failure("memo slot " + slot + " is out of order", DAMAGED);
    }
    int index = (int) slot;
    // Whoever had the slot must not write there when it closes.
    int[] owners = openSlots(memo.type(index));
    if (owners != null && owners[(int) memo.value(index)] == index) {
      owners[(int) memo.value(index)] = -1;
    }
    byte type = types[size - 1];
    long value = values[size - 1];
    int[] slots = openSlots(type);
    if (slots != null) {
      // An open container is remembered in one slot only; an earlier one no longer counts.
      if (slots[(int) value] >= 0) {
        memo.set(slots[(int) value], Value.SPENT, 0);
      }
      slots[(int) value] = index;
    }
    memo.set(index, type, value);
    if (memo.heldBytes() > checkedMemoBytes) {
      // Slots far apart take much memory within one piece of the input.
      checkedMemoBytes = memo.heldBytes() + MEMO_STEP_BYTES;
      in.checkHeld();
    }
  }

  /** The memo slots of open containers of a type, null for other types. */
  private int @Nullable [] openSlots(byte type) {
    return switch (type) {
      case Value.OPEN_LIST -> lists.memoSlots;
      case Value.OPEN_DICT -> dicts.memoSlots;
      default -> null;
    };
  }

  private void get(long slot) throws TraceFormatException {
    byte type = memo.type(slot);
    switch (type) {
      case Value.MARK -> throw in.failure("memo slot " + slot + " was never filled", DAMAGED);
      case Value.OPEN_LIST -> getOpen(lists.stackPositions[(int) memo.value((int) slot)]);
      case Value.OPEN_DICT -> getOpen(dicts.stackPositions[(int) memo.value((int) slot)]);
      case Value.SPENT -> throw usedTwice();
      default -> push(type, memo.value((int) slot));
    }
  }

  /** Refers once more to a container on the stack, which is complete unless it is being filled. */
  private void getOpen(int position) throws TraceFormatException {
    if (position + 1 < size && types[position + 1] == Value.MARK) {
      throw in.failure("a container contains itself", NOT_PLAIN);
    }
    close(position);
    if (types[position] == Value.SPENT) {
      throw usedTwice();
    }
    push(types[position], values[position]);
  }

  private TraceFormatException usedTwice() {
    return in.failure("an entry is referenced a second time, which no writer does", NOT_PLAIN);
  }

  private void stop() throws TraceFormatException {
    if (size != 1) {
      throw in.failure("the data stop with " + size + " values instead of one", DAMAGED);
    }
    if (types[0] == Value.OPEN_LIST) {
      closeList((int) values[0], 0);
    }
    if (types[0] == Value.OPEN_DICT) {
      builder.top((int) values[0]);
    } else {
      builder.topList(types[0], values[0]);
    }
  }
}
