package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.StackTable;

/**
 * The columns of one list of history entries while it is read. The first entry that cannot be read
 * is kept as a problem, since only a list that turns out to be a device's history must be right.
 */
final class EventColumns {
  private static final long MOST_MICROS = Long.MAX_VALUE / 1000;
  private static final String DAMAGED = "the file is damaged, " + PickleInput.WRITE_ANEW;

  private final OpenDicts dicts;
  private final TextPool texts;
  private final StreamNumbers streams;
  private EffectLog effects = new EffectLog();
  private long[] timesNanos = new long[16];
  private int[] stacks;
  private short[] pools;
  private long entries;
  private long lastMicros;
  private long untimed;
  private long annotates;
  private long badFrames;
  private long compileContexts;
  private long userMetadata;
  private ListContent.Problem problem;

  EventColumns(OpenDicts dicts, TextPool texts, StreamNumbers streams) {
    this.dicts = dicts;
    this.texts = texts;
    this.streams = streams;
  }

  /** Entries seen, ignored ones included. */
  long entries() {
    return entries;
  }

  /** What is wrong with the first entry that cannot be read, or null. */
  ListContent.Problem problem() {
    return problem;
  }

  /** Appends the entry in an open dict. */
  void add(int dict) {
    entries++;
    if (problem != null) {
      return;
    }
    if (dicts.type(dict, Vocabulary.ACTION) != Value.TEXT) {
      fail("it has no action", DAMAGED);
      return;
    }
    int action = (int) dicts.value(dict, Vocabulary.ACTION);
    EffectKind kind = Vocabulary.effect(action);
    if (kind == null) {
      if (action == Vocabulary.ANNOTATE) {
        annotates++;
      } else {
        fail(
            "the action " + texts.shown(action) + " is not known",
            "histories of PyTorch 2.0 to 2.14 are read");
      }
      return;
    }
    int addressField = kind == EffectKind.OOM ? Vocabulary.DEVICE_FREE : Vocabulary.ADDR;
    if (!isAddress(dict, addressField) || !isBytes(dict) || !isStream(dict)) {
      return;
    }
    int stream = streams.number(dicts.value(dict, Vocabulary.STREAM));
    if (stream < 0) {
      fail("it names one more than " + StreamNumbers.MOST + " streams", DAMAGED);
      return;
    }
    if (effects.count() == Integer.MAX_VALUE - 16) {
      fail("there are more than 2^31 entries", "record a shorter history");
      return;
    }
    int row = effects.count();
    if (!time(dict, row)) {
      return;
    }
    stack(dict, row);
    pool(dict, row);
    countUnused(dict);
    effects.add(
        kind, dicts.value(dict, addressField), dicts.value(dict, Vocabulary.SIZE), stream);
  }

  private void fail(String cause, String remedy) {
    problem = new ListContent.Problem("entry " + (entries - 1), cause, remedy);
  }

  private void failField(int dict, int field, String expected) {
    byte type = dicts.type(dict, field);
    String found =
        switch (type) {
          case Value.MARK -> "is missing";
          case Value.INT -> "is " + dicts.value(dict, field);
          case Value.UNSIGNED -> "is " + Long.toUnsignedString(dicts.value(dict, field));
          default -> "is " + Value.describe(type);
        };
    fail("its field " + Vocabulary.key(field) + " " + found + ", not " + expected, DAMAGED);
  }

  private boolean isAddress(int dict, int field) {
    byte type = dicts.type(dict, field);
    if (type == Value.INT && dicts.value(dict, field) >= 0 || type == Value.UNSIGNED) {
      return true;
    }
    failField(dict, field, "a number from 0 to 2^64 - 1");
    return false;
  }

  private boolean isBytes(int dict) {
    if (dicts.type(dict, Vocabulary.SIZE) == Value.INT
        && dicts.value(dict, Vocabulary.SIZE) >= 0) {
      return true;
    }
    failField(dict, Vocabulary.SIZE, "a number of bytes from 0 to 2^63 - 1");
    return false;
  }

  private boolean isStream(int dict) {
    byte type = dicts.type(dict, Vocabulary.STREAM);
    if (type == Value.INT || type == Value.UNSIGNED) {
      return true;
    }
    failField(dict, Vocabulary.STREAM, "a stream handle");
    return false;
  }

  private boolean time(int dict, int row) {
    if (row == timesNanos.length) {
      timesNanos = Arrays.copyOf(timesNanos, grown(row));
    }
    byte type = dicts.type(dict, Vocabulary.TIME_US);
    if (type == Value.MARK || type == Value.NONE) {
      untimed++;
    } else {
      long micros = dicts.value(dict, Vocabulary.TIME_US);
      if (type != Value.INT || micros < 0 || micros > MOST_MICROS) {
        failField(dict, Vocabulary.TIME_US, "a time in microseconds");
        return false;
      }
      if (micros < lastMicros) {
        fail(
            "its time of " + micros + " µs is before that of an earlier entry, " + lastMicros
                + " µs",
            "a history runs forward, " + DAMAGED);
        return false;
      }
      lastMicros = micros;
    }
    timesNanos[row] = lastMicros * 1000;
    return true;
  }

  private void stack(int dict, int row) {
    byte type = dicts.type(dict, Vocabulary.FRAMES);
    int stack = StackTable.NONE;
    if (type == Value.STACK) {
      stack = (int) dicts.value(dict, Vocabulary.FRAMES);
    } else if (type != Value.MARK && type != Value.NONE) {
      badFrames++;
    }
    if (stack != StackTable.NONE && stacks == null) {
      stacks = new int[timesNanos.length];
    }
    if (stacks != null) {
      if (row >= stacks.length) {
        stacks = Arrays.copyOf(stacks, grown(row));
      }
      stacks[row] = stack;
    }
  }

  private void pool(int dict, int row) {
    int pool =
        dicts.type(dict, Vocabulary.POOL_ID) == Value.POOL
            ? (int) dicts.value(dict, Vocabulary.POOL_ID)
            : -1;
    if (pool >= 0 && pools == null) {
      pools = new short[timesNanos.length];
      Arrays.fill(pools, (short) -1);
    }
    if (pools != null) {
      if (row >= pools.length) {
        pools = Arrays.copyOf(pools, grown(row));
      }
      pools[row] = (short) pool;
    }
  }

  private void countUnused(int dict) {
    if (dicts.type(dict, Vocabulary.COMPILE_CONTEXT) == Value.TEXT
        && dicts.value(dict, Vocabulary.COMPILE_CONTEXT) != Vocabulary.NOT_AVAILABLE) {
      compileContexts++;
    }
    if (dicts.type(dict, Vocabulary.USER_METADATA) == Value.TEXT
        && dicts.value(dict, Vocabulary.USER_METADATA) != Vocabulary.EMPTY) {
      userMetadata++;
    }
  }

  /** Capacity for more than {@code rows} rows: half as much again, a quarter where it is a lot. */
  private static int grown(int rows) {
    return Math.addExact(rows, (rows >> (rows < 1 << 20 ? 1 : 2)) + 16);
  }

  /** Marks the streams that the rows use. */
  void markStreams(boolean[] used) {
    for (int row = 0; row < effects.count(); row++) {
      used[effects.stream(row)] = true;
    }
  }

  /** Hands the columns over; this object is then empty. */
  DeviceHistory finish(
      PoolNumbers poolNumbers, short[] finalStreams, Optional<Boolean> overflowed) {
    int rows = effects.count();
    effects.renumberStreams(finalStreams);
    effects.trimToSize();
    boolean hasTimes = rows > 0 && untimed < rows;
    timesNanos = hasTimes ? Arrays.copyOf(timesNanos, rows) : null;
    stacks = stacks == null ? null : Arrays.copyOf(stacks, rows);
    pools = pools == null ? null : Arrays.copyOf(pools, rows);
    DeviceHistory history =
        new DeviceHistory(
            effects,
            timesNanos,
            stacks,
            pools,
            List.copyOf(poolNumbers.pools()),
            hasTimes,
            overflowed);
    effects = new EffectLog();
    timesNanos = new long[16];
    stacks = null;
    pools = null;
    return history;
  }

  /** Counts what was passed over. */
  void note(int device, Notes notes) {
    String where = "device " + device + ": ";
    if (untimed > 0) {
      notes.add(
          where + "%s without a time" + (untimed < entries ? ", taken as the one before" : ""),
          untimed,
          "entry",
          "entries");
    }
    notes.add(where + "%s of action \"annotate\" ignored", annotates, "entry", "entries");
    notes.add(where + "%s with frames that are no list of frames", badFrames, "entry", "entries");
    notes.add(where + "%s with a compile_context, not used", compileContexts, "entry", "entries");
    notes.add(where + "%s with user_metadata, not used", userMetadata, "entry", "entries");
  }
}
