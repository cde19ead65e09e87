package org.allocsim.workloads.format.pytorch;

import static org.allocsim.workloads.format.pytorch.SnapshotData.columns;
import static org.allocsim.workloads.format.pytorch.SnapshotData.dictAt;
import static org.allocsim.workloads.format.pytorch.SnapshotData.event;
import static org.allocsim.workloads.format.pytorch.SnapshotData.frame;
import static org.allocsim.workloads.format.pytorch.SnapshotData.list;
import static org.allocsim.workloads.format.pytorch.SnapshotData.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.ObjLongConsumer;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.PickleWriter.Tuple;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;
import org.allocsim.workloads.format.pytorch.pickle.PickleInput;
import org.allocsim.workloads.format.pytorch.pickle.TextPool;
import org.allocsim.workloads.format.pytorch.pickle.Vocabulary;
import org.allocsim.workloads.io.StoredInput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a file holds, scanning entries gives what running every opcode gives. */
class EntryScannerTest {
  /** Everything that is read from a file, or the sentence about what is wrong with it. */
  private static String outcome(byte[] file, boolean scanning) {
    try {
      PickleInput in =
          new PickleInput(
              StoredInput.of(new ByteArrayInputStream(file)),
              "test.pickle",
              file.length,
              Progress.NONE);
      TextPool texts = new TextPool();
      Vocabulary.teach(texts);
      SnapshotBuilder builder = new SnapshotBuilder(texts, in);
      new PickleMachine(in, texts, builder, scanning).run();
      Snapshot snapshot = builder.build("test.pickle", "", List.of());
      return columns(snapshot)
          + snapshot.stacks().stackCount()
          + ' '
          + snapshot.stacks().frameCount()
          + ' '
          + texts.count();
    } catch (TraceFormatException e) {
      return e.getMessage();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void assertSame(byte[] file) {
    assertEquals(outcome(file, false), outcome(file, true));
  }

  private static byte[] synthetic(long events) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SyntheticSnapshotWriter.write(bytes, events, 7);
    return bytes.toByteArray();
  }

  /** A history of every kind of entry, with stacks and pools. */
  private static List<Object> history(int events) {
    SplittableRandom random = new SplittableRandom(11);
    List<Object> frames = list();
    for (int i = 0; i < 300; i++) {
      frames.add(frame("model.py", i, "forward"));
    }
    List<Object> shared = list(frames.get(3), frames.get(4));
    List<Object> history = list();
    String[] actions = {"alloc", "free_requested", "free_completed", "segment_alloc", "oom"};
    for (int i = 0; i < events; i++) {
      String action = actions[random.nextInt(random.nextInt(10) == 0 ? 5 : 3)];
      long size = 1L << random.nextInt(42);
      Map<String, Object> entry = event(action, (1L << 47) + i, size, 1L << 40 | i);
      entry.put("pool_id", new Tuple(random.nextInt(2), random.nextInt(300)));
      int first = random.nextInt(280);
      entry.put(
          "frames",
          switch (random.nextInt(6)) {
            case 0 -> list();
            case 1 -> shared;
            case 2 -> list(frames.get(first));
            case 3 -> list(frame("model.py", first, "forward"), frame("b.py", i, "backward"));
            case 4 -> list(frame("model.py", first % 5, "step"), frames.get(first % 7));
            default -> list(frames.subList(first, first + 1 + random.nextInt(20)).toArray());
          });
      history.add(entry);
    }
    return history;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5})
  void entriesOfEveryKindAreReadAlike(int protocol) {
    byte[] file = PickleWriter.pickle(snapshot(history(5_000)), protocol);
    assertTrue(outcome(file, true).length() > 100_000);
    assertSame(file);
  }

  @Test
  void syntheticSnapshotsAreReadAlike() {
    assertSame(synthetic(20_000));
  }

  @Test
  void damagedFilesAreReadOrRefusedAlike() {
    byte[] whole = PickleWriter.pickle(snapshot(history(60)), 4);
    SplittableRandom random = new SplittableRandom(12);
    int[] opcodes = {'h', 'j', 'K', 'M', 'J', 0x8a, 0x8c, ']', '}', '(', 'u', 'e', 'a', 's', 'N'};
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] damaged = whole.clone();
      for (int times = random.nextInt(3); times >= 0; times--) {
        int at = random.nextInt(damaged.length);
        damaged[at] =
            (byte)
                (random.nextBoolean()
                    ? random.nextInt(256)
                    : opcodes[random.nextInt(opcodes.length)]);
      }
      String outcome = outcome(damaged, false);
      refused += outcome.startsWith("test.pickle") ? 1 : 0;
      assertEquals(outcome, outcome(damaged, true));
    }
    assertTrue(refused > 5_000 && refused < 20_000, refused + " of 20000 were refused");
  }

  @Test
  void bytesLeftOutOrPutInAreReadOrRefusedAlike() {
    byte[] whole = PickleWriter.pickle(snapshot(history(40)), 5);
    SplittableRandom random = new SplittableRandom(13);
    for (int i = 0; i < 5_000; i++) {
      int at = 11 + random.nextInt(whole.length - 11);
      int more = random.nextInt(5);
      byte[] changed = Arrays.copyOf(whole, whole.length + more);
      System.arraycopy(whole, at, changed, at + more, whole.length - at);
      for (int j = at; j < at + more; j++) {
        changed[j] = whole[random.nextInt(whole.length)];
      }
      assertSame(changed);
      byte[] shorter = Arrays.copyOf(whole, whole.length - more);
      System.arraycopy(
          whole,
          Math.min(at + more, whole.length),
          shorter,
          at - more,
          whole.length - Math.min(at + more, whole.length));
      assertSame(shorter);
    }
  }

  @Test
  void truncatedFilesAreRefusedAlike() {
    byte[] whole = PickleWriter.pickle(snapshot(history(30)), 4);
    for (int length = 0; length < whole.length; length++) {
      assertSame(Arrays.copyOf(whole, length));
    }
  }

  @Test
  void entriesWithSomethingOddAreReadOrRefusedAlike() {
    List<ObjLongConsumer<Map<String, Object>>> changes =
        List.of(
            (entry, _) -> entry.put("new_key", "value"),
            (entry, _) -> entry.put("new_key", 5),
            (entry, _) -> entry.put("new_key", list(1, 2)),
            (entry, _) -> entry.put("frames", 5),
            (entry, _) -> entry.put("frames", null),
            (entry, _) -> entry.put("frames", list(5)),
            (entry, _) -> entry.put("frames", list(SnapshotData.dict())),
            (entry, _) -> entry.put("frames", list(SnapshotData.dict("line", 3))),
            (entry, _) -> entry.put("frames", list(frame("model.py", -1, "forward"))),
            (entry, _) ->
                entry.put(
                    "frames",
                    list(SnapshotData.dict("line", 1L << 40, "name", "x", "filename", "y"))),
            (entry, i) -> entry.put("frames", list(frame("long".repeat(80) + i, 1, "x"))),
            (entry, _) ->
                entry.put(
                    "frames",
                    list(SnapshotData.dict("line", 1, "name", "x", "filename", "y", "kind", 2))),
            (entry, _) ->
                entry.put(
                    "frames", list(SnapshotData.dict("name", 1, "filename", "y", "line", "2"))),
            (entry, _) -> entry.put("compile_context", null),
            (entry, _) -> entry.put("compile_context", "graph 0"),
            (entry, _) -> entry.put("user_metadata", "a longer text than eight bytes"),
            (entry, _) -> entry.put("pool_id", 3),
            (entry, _) -> entry.put("pool_id", new Tuple(1, 2, 3)),
            (entry, _) -> entry.put("stream", BigInteger.ONE.shiftLeft(63)),
            (entry, _) -> entry.put("stream", -1),
            (entry, _) -> entry.put("addr", BigInteger.ONE.shiftLeft(63)),
            (entry, _) -> entry.put("addr", -1),
            (entry, _) -> entry.put("size", -1),
            (entry, _) -> entry.put("size", 1.0),
            (entry, _) -> entry.put("time_us", 0),
            (entry, _) -> entry.put("time_us", Long.MAX_VALUE),
            (entry, _) -> entry.put("action", "annotate"),
            (entry, _) -> entry.put("action", "melt"),
            (entry, _) -> entry.put("action", 7),
            (entry, _) -> entry.put("device_free", 7),
            (entry, _) -> entry.put("blocks", list()),
            (entry, _) -> entry.put("allocator_settings", SnapshotData.dict("x", 1)),
            (entry, _) -> entry.remove("time_us"),
            (entry, _) -> entry.remove("stream"),
            (entry, _) -> entry.clear());
    for (ObjLongConsumer<Map<String, Object>> change : changes) {
      for (int first : new int[] {0, 1, 20, 99}) {
        for (int step : new int[] {1, 2, 1000}) {
          List<Object> history = history(100);
          for (int i = first; i < history.size(); i += step) {
            change.accept(dictAt(history, i), i);
          }
          assertSame(PickleWriter.pickle(snapshot(history), 4));
        }
      }
    }
  }

  @Test
  void stacksOfMoreThanAThousandFramesAreReadAlike() {
    // Python writes them in pieces of a thousand, and a single one that is left alone.
    for (int depth : new int[] {999, 1000, 1001, 1002, 2000, 2001}) {
      List<Object> frames = list();
      for (int i = 0; i < depth; i++) {
        frames.add(frame("deep.py", i, "recurse"));
      }
      List<Object> history = history(20);
      for (int i = 5; i < 20; i++) {
        dictAt(history, i).put("frames", list(frames.toArray()));
      }
      assertSame(PickleWriter.pickle(snapshot(history), 4));
    }
  }

  @Test
  void keysWhoseSlotIsFilledAnewAreReadAlike() {
    for (String second : List.of("time_us", "size", "stream", "nothing")) {
      assertSame(overwritten(second));
    }
  }

  @Test
  void framesWhoseSlotIsFilledAnewAreReadAlike() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PickleWriter out = PickleWriter.python(bytes, 4)) {
      out.opcode(Opcode.EMPTY_DICT);
      out.opcode(Opcode.MARK);
      out.text("device_traces");
      out.opcode(Opcode.EMPTY_LIST);
      out.opcode(Opcode.EMPTY_LIST);
      out.opcode(Opcode.MARK);
      Object first = frame("model.py", 1, "forward");
      int slot = -1;
      for (int entry = 0; entry < 60; entry++) {
        out.opcode(Opcode.EMPTY_DICT);
        out.opcode(Opcode.MARK);
        out.text("frames");
        out.opcode(Opcode.EMPTY_LIST);
        out.opcode(Opcode.MARK);
        if (slot < 0) {
          out.value(first);
          // The frame written last goes into a slot of its own.
          slot = 200;
          while (out.memoize() < slot) {}
        } else if (entry == 30) {
          out.value(frame("model.py", 2, "forward"));
          out.raw(Opcode.BINPUT, slot);
        }
        out.get(slot);
        out.get(slot);
        out.opcode(Opcode.APPENDS);
        for (String key : List.of("action", "addr", "size", "stream")) {
          out.text(key);
          if (key.equals("action")) {
            out.text("alloc");
          } else {
            out.whole(entry + 1);
          }
        }
        out.opcode(Opcode.SETITEMS);
      }
      out.opcode(Opcode.APPENDS);
      out.opcode(Opcode.APPEND);
      out.opcode(Opcode.SETITEMS);
    }
    byte[] file = bytes.toByteArray();
    assertTrue(outcome(file, true).length() > 1_000, outcome(file, true));
    assertSame(file);
  }

  /** A history whose entries name a key through a slot that holds another text from the middle. */
  private static byte[] overwritten(String second) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PickleWriter out = PickleWriter.python(bytes, 4)) {
      out.opcode(Opcode.EMPTY_DICT);
      out.opcode(Opcode.MARK);
      String[] keys = {"action", "addr", "size", "stream"};
      int[] slots = new int[keys.length];
      // Known texts as values of unknown keys, so that they are in the memo.
      for (int i = 0; i < keys.length; i++) {
        out.text("unknown " + i);
        slots[i] = out.freshText(keys[i]);
      }
      out.text("more");
      int alloc = out.freshText("alloc");
      out.text("device_traces");
      out.opcode(Opcode.EMPTY_LIST);
      out.opcode(Opcode.EMPTY_LIST);
      out.opcode(Opcode.MARK);
      for (int entry = 0; entry < 40; entry++) {
        out.opcode(Opcode.EMPTY_DICT);
        out.opcode(Opcode.MARK);
        if (entry == 20) {
          out.freshText("replaced");
          // The text written last goes into the slot of "size" as well.
          out.raw(Opcode.SHORT_BINUNICODE, second.length());
          second.chars().forEach(out::raw);
          out.raw(Opcode.BINPUT, slots[2]);
        }
        for (int i = 0; i < keys.length; i++) {
          out.get(slots[i]);
          if (i == 0) {
            out.get(alloc);
          } else {
            out.whole(entry * 1000L * i);
          }
        }
        out.opcode(Opcode.SETITEMS);
      }
      out.opcode(Opcode.APPENDS);
      out.opcode(Opcode.APPEND);
      out.opcode(Opcode.SETITEMS);
    }
    return bytes.toByteArray();
  }
}
