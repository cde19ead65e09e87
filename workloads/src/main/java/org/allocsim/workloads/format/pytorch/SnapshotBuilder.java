package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.pickle.Notes;
import org.allocsim.workloads.format.pytorch.pickle.OpenDicts;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.jspecify.annotations.Nullable;

/**
 * Gives meaning to the containers of a pickle: finds by its keys what a dict is, and turns it into
 * rows as soon as its list takes it. Nothing here depends on the order of keys.
 */
final class SnapshotBuilder {
  /** Maximum number of lists of entries, of which only device histories are kept. */
  private static final int MAX_EVENT_LISTS = 1 << 12;

  /** Bytes of a small object, such as a list of flags. */
  private static final int OBJECT_BYTES = 120;

  private static final long SEGMENT_KEYS = 1L << Vocabulary.BLOCKS | 1L << Vocabulary.TOTAL_SIZE;
  private static final long FRAME_KEYS = 1L << Vocabulary.FILENAME | 1L << Vocabulary.LINE;
  private static final long ENTRY_KEYS =
      SEGMENT_KEYS
          | 1L << Vocabulary.ACTION
          | 1L << Vocabulary.STATE
          | 1L << Vocabulary.REAL_SIZE
          | 1L << Vocabulary.STAGE;

  private final OpenDicts dicts = new OpenDicts();
  private final Fields fields = new Fields(dicts);
  private final HeldBytes held = new HeldBytes();
  private final TextPool texts;
  private final StackNumbers stacks;
  private final StreamNumbers streams = new StreamNumbers();
  private final PoolNumbers pools = new PoolNumbers();
  private final SegmentReader segmentReader;
  private final List<Object> objects = new ArrayList<>();
  private final SnapshotAssembler assembler;
  private long[] unknownKeys = new long[0];
  private ListContent.@Nullable Frames spareFrames = new ListContent.Frames();
  private int eventLists;
  private byte closedType;
  private long closedValue;

  SnapshotBuilder(TextPool texts, PickleInput in) {
    this.texts = texts;
    stacks = new StackNumbers(texts);
    segmentReader = new SegmentReader(fields, texts, streams, pools, held);
    assembler = new SnapshotAssembler(in, fields, texts, streams, pools);
  }

  /** Bytes that what was built takes in memory, about. */
  long heldBytes() {
    return held.sum() + stacks.heldBytes();
  }

  OpenDicts dicts() {
    return dicts;
  }

  /** Type of the container that was closed last. */
  byte closedType() {
    return closedType;
  }

  /** Value of the container that was closed last. */
  long closedValue() {
    return closedValue;
  }

  private void closed(byte type, long value) {
    closedType = type;
    closedValue = value;
  }

  /** Number of a pair of whole numbers, or −1. */
  int pool(long first, long second) {
    return pools.number(first, second);
  }

  /** Number of a frame; the texts are numbers in the pool, or −1 for none. */
  int frame(int file, long line, int name) {
    return stacks.frame(file, line < 0 || line > Integer.MAX_VALUE ? 0 : (int) line, name);
  }

  /** Number of the stack with these frames. */
  int stack(int[] frames, int count) {
    return stacks.stack(frames, count);
  }

  /** A key that is not known was passed over. */
  void unknownKey(int text) {
    if (text >= unknownKeys.length) {
      unknownKeys = Arrays.copyOf(unknownKeys, Math.max(text + 1, unknownKeys.length * 3 / 2));
    }
    unknownKeys[text]++;
  }

  /** How deep a finished value nests. */
  static int depth(byte type, long value) {
    return switch (type) {
      case Value.OPAQUE -> (int) value;
      case Value.OBJECT -> 4;
      case Value.STACK -> 2;
      case Value.FRAME, Value.POOL, Value.SPENT -> 1;
      default -> 0;
    };
  }

  /** How deep a list nests. */
  static int depth(ListContent content) {
    return content instanceof ListContent.Other other ? other.depth : 1;
  }

  /** Puts a finished value into a list and returns what the list holds then. */
  ListContent append(ListContent content, byte type, long value) {
    switch (type) {
      case Value.FRAME -> {
        if (content == null || content instanceof ListContent.Frames) {
          ListContent.Frames frames = (ListContent.Frames) content;
          if (frames == null) {
            frames = spareFrames == null ? new ListContent.Frames() : spareFrames;
            spareFrames = null;
            frames.count = 0;
          }
          frames.add((int) value);
          return frames;
        }
      }
      case Value.OBJECT, Value.STACK -> {
        Object object = type == Value.OBJECT ? objects.get((int) value) : null;
        boolean list = object instanceof ListContent || (type == Value.STACK && value == 0);
        if (list
            && !(object instanceof ListContent.Lists)
            && (content == null || content instanceof ListContent.Lists)) {
          ListContent.Lists lists =
              content == null ? new ListContent.Lists() : (ListContent.Lists) content;
          if (++lists.count <= ListContent.Lists.MOST) {
            lists.lists.add((ListContent) object);
          }
          return lists;
        }
      }
      case Value.BOOL -> {
        if (content == null || content instanceof ListContent.Flags) {
          ListContent.Flags flags =
              content == null ? new ListContent.Flags() : (ListContent.Flags) content;
          flags.add(value != 0);
          return flags;
        }
      }
      default -> {}
    }
    if (content instanceof ListContent.Events events) {
      events.columns.addForeign(type);
      return content;
    }
    return other(content, depth(type, value) + 1);
  }

  private static ListContent other(ListContent content, int depth) {
    if (content instanceof ListContent.Other other) {
      other.depth = Math.max(other.depth, depth);
      return other;
    }
    return new ListContent.Other(Math.max(depth, 5));
  }

  /** Puts an open dict into a list and returns what the list holds then. */
  ListContent appendDict(ListContent content, int dict) {
    closed(Value.SPENT, 0);
    if (dicts.has(dict, Vocabulary.ACTION) || content instanceof ListContent.Events) {
      if (content == null && eventLists++ < MAX_EVENT_LISTS) {
        content = new ListContent.Events(new EventColumns(fields, texts, streams, held));
      }
      if (content instanceof ListContent.Events events) {
        events.columns.add(dict);
        return content;
      }
    } else if (dicts.hasAny(dict, SEGMENT_KEYS) || content instanceof ListContent.Segments) {
      ListContent list = content == null ? new ListContent.Segments() : content;
      if (list instanceof ListContent.Segments segments) {
        segmentReader.addSegment(segments, dict, blocks(dict));
        return list;
      }
    } else if (dicts.has(dict, Vocabulary.STATE) || content instanceof ListContent.Blocks) {
      ListContent list = content == null ? new ListContent.Blocks() : content;
      if (list instanceof ListContent.Blocks blocks) {
        segmentReader.addBlock(blocks.columns, dict, history(dict));
        return list;
      }
    } else if (dicts.has(dict, Vocabulary.REAL_SIZE)) {
      ListContent list = content == null ? new ListContent.BlockHistory() : content;
      if (list instanceof ListContent.BlockHistory history) {
        segmentReader.addBlockHistory(history, dict, content == null);
        return list;
      }
    } else if (dicts.has(dict, Vocabulary.STAGE) || content instanceof ListContent.Annotations) {
      ListContent list = content == null ? new ListContent.Annotations() : content;
      if (list instanceof ListContent.Annotations annotations) {
        segmentReader.addAnnotation(annotations, dict);
        return list;
      }
    } else if (dicts.hasAny(dict, FRAME_KEYS)) {
      closeFrame(dict);
      return append(content, closedType, closedValue);
    } else {
      closed(Value.OPAQUE, dicts.depth(dict));
    }
    return other(content, dicts.depth(dict) + 1);
  }

  private @Nullable BlockColumns blocks(int dict) {
    return content(dict, Vocabulary.BLOCKS) instanceof ListContent.Blocks blocks
        ? blocks.columns
        : null;
  }

  private ListContent.@Nullable BlockHistory history(int dict) {
    return content(dict, Vocabulary.HISTORY) instanceof ListContent.BlockHistory history
        ? history
        : null;
  }

  private @Nullable Object content(int dict, int field) {
    return dicts.type(dict, field) == Value.OBJECT
        ? objects.get((int) dicts.value(dict, field))
        : null;
  }

  private void closeFrame(int dict) {
    long line =
        dicts.type(dict, Vocabulary.LINE) == Value.INT ? dicts.value(dict, Vocabulary.LINE) : 0;
    int file = text(dict, Vocabulary.FILENAME);
    closed(Value.FRAME, frame(file, line, text(dict, Vocabulary.NAME)));
  }

  private int text(int dict, int field) {
    return dicts.type(dict, field) == Value.TEXT ? (int) dicts.value(dict, field) : -1;
  }

  /** Closes an open dict that is the value of a field, or −1 where it stands elsewhere. */
  void closeDict(int dict, int field) {
    if (field == Vocabulary.ALLOCATOR_SETTINGS) {
      closeObject(assembler.settings(dict, content(dict, Vocabulary.ROUNDUP_POWER2_DIVISIONS)));
    } else if (field == Vocabulary.ROUNDUP_POWER2_DIVISIONS) {
      closeObject(assembler.divisions(dict));
    } else if (dicts.hasAny(dict, ENTRY_KEYS)) {
      closed(Value.SPENT, 0);
    } else if (dicts.hasAny(dict, FRAME_KEYS)) {
      closeFrame(dict);
    } else {
      closed(Value.OPAQUE, dicts.depth(dict));
    }
  }

  private void closeObject(Object object) {
    held.add(OBJECT_BYTES);
    objects.add(object);
    closed(Value.OBJECT, objects.size() - 1);
  }

  /** Closes a list that holds this. */
  void closeList(ListContent content) {
    switch (content) {
      case null -> closed(Value.STACK, 0);
      case ListContent.Frames frames -> {
        closed(Value.STACK, stacks.stack(frames.numbers, frames.count));
        spareFrames = frames;
      }
      case ListContent.Other other -> closed(Value.OPAQUE, other.depth);
      default -> closeObject(content);
    }
  }

  /** A finished value is not used: what it holds is counted and let go. */
  void release(byte type, long value) {
    if (type == Value.OBJECT) {
      objects.set((int) value, null);
    }
  }

  /** The pickle is a dict. */
  void top(int dict) throws TraceFormatException {
    assembler.top(dict, field -> content(dict, field));
  }

  /** The pickle is something else, perhaps the plain list of segments. */
  void topList(byte type, long value) throws TraceFormatException {
    assembler.topList(type == Value.OBJECT ? objects.get((int) value) : null, type, value);
  }

  /** The finished snapshot. */
  Snapshot build(String fileName, String sha256, List<String> furtherNotes)
      throws TraceFormatException {
    Notes notes = new Notes();
    furtherNotes.forEach(notes::add);
    noteUnknownKeys(notes);
    return assembler.build(fileName, sha256, stacks.build(), notes);
  }

  private void noteUnknownKeys(Notes notes) {
    int shown = 0;
    long others = 0;
    for (int text = 0; text < unknownKeys.length; text++) {
      if (unknownKeys[text] > 0 && shown < 20) {
        shown++;
        notes.add(
            "unknown key " + texts.shown(text) + " ignored in %s",
            unknownKeys[text],
            "place",
            "places");
      } else if (unknownKeys[text] > 0) {
        others++;
      }
    }
    notes.add("%s ignored", others, "further unknown key", "further unknown keys");
  }
}
