package org.allocsim.workloads.format.pytorch;

import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.pytorch.pickle.Notes;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Value;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.jspecify.annotations.Nullable;

/**
 * The columns of one list of history entries while it is read. The first entry that cannot be read
 * is kept as a problem, since only a list that turns out to be a device's history must be right.
 */
final class EventColumns {
  /** Maximum number of rows, in whole pieces. */
  private static final int MAX_ROWS =
      Integer.MAX_VALUE / EffectLog.PIECE_ROWS * EffectLog.PIECE_ROWS;

  /** Bytes of a row, and of its place among the rows of segments, about. */
  private static final int ROW_BYTES = 40;

  private static final String DAMAGED = "the file is damaged, " + PickleInput.WRITE_ANEW;

  private final Fields fields;
  private final TextPool texts;
  private final StreamNumbers streams;
  private final HeldBytes held;

  private EffectLog effects = new EffectLog();
  private EventRows rows = new EventRows();

  /** Rows for which memory is counted: those that there is room for. */
  private int countedRows;

  private boolean hasStacks;
  private boolean hasPools;
  private long entries;
  private long lastMicros;
  private long untimed;

  /** Allocated less freed: below 0 where more was freed that existed before. */
  private long allocatedBytes;

  private long annotates;
  private long badFrames;
  private boolean hasContexts;
  private boolean hasMetadata;
  private long compileContexts;
  private long userMetadata;
  private ListContent.@Nullable Problem problem;

  EventColumns(Fields fields, TextPool texts, StreamNumbers streams, HeldBytes held) {
    this.held = held;
    countRoom(EventRows.FIRST_ROWS);
    this.fields = fields;
    this.texts = texts;
    this.streams = streams;
  }

  private void countRoom(int moreRows) {
    countedRows += moreRows;
    held.add((long) ROW_BYTES * moreRows);
  }

  /** Entries seen, ignored ones included. */
  long entries() {
    return entries;
  }

  /** Whether any entry has a {@code compile_context}. */
  boolean hasContexts() {
    return hasContexts;
  }

  /** Whether any entry has {@code user_metadata}. */
  boolean hasMetadata() {
    return hasMetadata;
  }

  /** Whether any entry names its pool. */
  boolean hasPools() {
    return hasPools;
  }

  /** Whether any entry has a time. */
  boolean hasTimes() {
    return untimed < effects.count();
  }

  /** What is wrong with the first entry that cannot be read, or null. */
  ListContent.@Nullable Problem problem() {
    return problem;
  }

  /** Appends the entry in an open dict. */
  void add(int dict) {
    entries++;
    if (problem != null) {
      return;
    }
    Fields entry = fields.of(dict);
    int action = entry.text(Vocabulary.ACTION);
    EffectKind kind = Vocabulary.effect(action);
    if (kind == null) {
      addOther(action);
      return;
    }
    long address = entry.address(kind == EffectKind.OOM ? Vocabulary.DEVICE_FREE : Vocabulary.ADDR);
    long bytes = entry.bytes(Vocabulary.SIZE);
    long handle = entry.number(Vocabulary.STREAM);
    long micros = entry.micros(Vocabulary.TIME_US, -1);
    int stream = streams.number(handle);
    if (entry.bad() != null) {
      fail(entry.bad(), DAMAGED);
      return;
    }
    byte framesType = entry.type(Vocabulary.FRAMES);
    if (append(kind, address, bytes, stream, micros, entry.stack(Vocabulary.FRAMES), pool(entry))) {
      boolean bad =
          framesType != Value.STACK && framesType != Value.MARK && framesType != Value.NONE;
      badFrames += bad ? 1 : 0;
      countUnused(entry.text(Vocabulary.COMPILE_CONTEXT), entry.text(Vocabulary.USER_METADATA));
    }
  }

  private static int pool(Fields entry) {
    return entry.type(Vocabulary.POOL_ID) == Value.POOL ? (int) entry.raw(Vocabulary.POOL_ID) : -1;
  }

  /**
   * Appends an entry with nothing odd about it.
   *
   * @param handle handle of its stream
   * @param micros its time, −1 without one
   * @param pool its pool, −1 without one
   * @param context its compile_context, a text, −1 without one
   * @param metadata its user_metadata, a text, −1 without one
   */
  void add(
      EffectKind kind,
      long address,
      long bytes,
      long handle,
      long micros,
      int stack,
      int pool,
      int context,
      int metadata) {
    entries++;
    if (problem == null
        && append(kind, address, bytes, streams.number(handle), micros, stack, pool)) {
      countUnused(context, metadata);
    }
  }

  /** Appends a row; false where that is not possible, which ends the list. */
  private boolean append(
      EffectKind kind, long address, long bytes, int stream, long micros, int stack, int pool) {
    if (kind == EffectKind.ALLOC) {
      allocatedBytes += bytes;
    } else if (kind == EffectKind.FREE_COMPLETED) {
      allocatedBytes -= bytes;
    }
    String impossible = Snapshot.impossible(kind, address, bytes);
    if (impossible != null) {
      fail(impossible, "no allocator records that, so " + DAMAGED);
    } else if (Math.abs(allocatedBytes) > Snapshot.MAX_SUM_BYTES) {
      fail("the sizes up to it add up to an implausible total", DAMAGED);
    } else if (stream < 0) {
      fail("it refers to one more than " + StreamNumbers.MOST + " streams", DAMAGED);
    } else if (micros >= 0 && micros < lastMicros) {
      fail(
          "its time of " + micros + " µs is before that of an earlier entry, " + lastMicros + " µs",
          "a history runs forward, so " + DAMAGED);
    } else if (effects.count() == MAX_ROWS) {
      fail("there are more than " + MAX_ROWS + " entries", "record a shorter history");
    } else {
      if (micros < 0) {
        untimed++;
      } else {
        lastMicros = micros;
      }
      hasStacks |= stack != StackTable.NONE;
      hasPools |= pool >= 0;
      if (effects.count() == countedRows) {
        // The first piece doubles, whole ones follow.
        countRoom(Math.min(countedRows, EffectLog.PIECE_ROWS));
      }
      effects.add(kind, address, bytes, stream);
      rows.add(lastMicros * 1000, stack, pool);
      return true;
    }
    return false;
  }

  /** Appends something that is no dict. */
  void addForeign(byte type) {
    entries++;
    if (problem == null) {
      fail("it is " + Value.describe(type) + ", not a dict", DAMAGED);
    }
  }

  private void addOther(int action) {
    if (action == Vocabulary.ANNOTATE) {
      annotates++;
    } else if (action < 0) {
      fail("it has no action", DAMAGED);
    } else {
      fail(
          "the action " + texts.shown(action) + " is unknown",
          "supported are histories of PyTorch 2.0 to 2.14");
    }
  }

  private void fail(String cause, String remedy) {
    problem = new ListContent.Problem("entry " + (entries - 1), cause, remedy);
  }

  private void countUnused(int context, int metadata) {
    hasContexts |= context >= 0;
    hasMetadata |= metadata >= 0;
    if (context >= 0 && context != Vocabulary.NOT_AVAILABLE) {
      compileContexts++;
    }
    if (metadata >= 0 && metadata != Vocabulary.EMPTY) {
      userMetadata++;
    }
  }

  /** Marks the streams that the rows use. */
  void markStreams(boolean[] used) {
    effects.markStreams(used);
  }

  /** Hands the columns over; this object is then empty. */
  DeviceHistory finish(
      PoolNumbers poolNumbers, short[] finalStreams, Optional<Boolean> overflowed) {
    effects.renumberStreams(finalStreams);
    DeviceHistory history =
        new DeviceHistory(
            effects,
            rows,
            hasTimes(),
            hasStacks,
            hasPools,
            List.copyOf(poolNumbers.pools()),
            overflowed);
    effects = new EffectLog();
    rows = new EventRows();
    return history;
  }

  /** Counts what was passed over. */
  void note(int device, Notes notes) {
    String where = "device " + device + ": ";
    if (untimed > 0) {
      notes.add(
          where
              + "%s without a time"
              + (untimed < entries ? ", taken from the previous entry" : ""),
          untimed,
          "entry",
          "entries");
    }
    notes.add(where + "%s of action \"annotate\" ignored", annotates, "entry", "entries");
    notes.add(
        where + "%s with frames that are not a list of frames", badFrames, "entry", "entries");
    notes.add(where + "%s with a compile_context, not used", compileContexts, "entry", "entries");
    notes.add(where + "%s with user_metadata, not used", userMetadata, "entry", "entries");
  }
}
