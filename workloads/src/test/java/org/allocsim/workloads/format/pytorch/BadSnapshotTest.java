package org.allocsim.workloads.format.pytorch;

import static org.allocsim.workloads.format.pytorch.SnapshotData.dict;
import static org.allocsim.workloads.format.pytorch.SnapshotData.dictAt;
import static org.allocsim.workloads.format.pytorch.SnapshotData.event;
import static org.allocsim.workloads.format.pytorch.SnapshotData.history;
import static org.allocsim.workloads.format.pytorch.SnapshotData.list;
import static org.allocsim.workloads.format.pytorch.SnapshotData.read;
import static org.allocsim.workloads.format.pytorch.SnapshotData.readValue;
import static org.allocsim.workloads.format.pytorch.SnapshotData.segment;
import static org.allocsim.workloads.format.pytorch.SnapshotData.snapshot;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.PickleWriter.Tuple;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each bad input ends with one sentence that names file, place, cause and remedy. */
class BadSnapshotTest {
  private static final String DAMAGED =
      "the file is damaged, write the snapshot again with torch.cuda.memory._dump_snapshot().";
  private static final String TRUNCATED =
      "the file is truncated, copy it again or write the snapshot again with"
          + " torch.cuda.memory._dump_snapshot().";
  private static final String NOT_PLAIN =
      "this is not a plain memory snapshot, write the snapshot again with"
          + " torch.cuda.memory._dump_snapshot().";

  private static String refusal(byte[] file) {
    String sentence = assertThrows(TraceFormatException.class, () -> read(file)).getMessage();
    assertTrue(sentence.startsWith("test.pickle"), sentence);
    assertTrue(sentence.endsWith("."), sentence);
    assertFalse(sentence.contains("\n"), sentence);
    return sentence;
  }

  private static String refusalOf(Object value) {
    return refusal(PickleWriter.pickle(value, 4));
  }

  /** A pickle of protocol 2 with these bytes after its header. */
  private static byte[] bytes(int... body) {
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.write(0x80);
    file.write(2);
    for (int b : body) {
      file.write(b);
    }
    return file.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aTruncatedFileIsRefusedWhereverItEnds(int protocol) throws Exception {
    byte[] whole = PickleWriter.pickle(snapshot(), protocol);
    assertEquals(5, read(whole).eventCount());
    for (int length = 0; length < whole.length; length++) {
      String sentence = refusal(Arrays.copyOf(whole, length));
      assertTrue(
          length == 0
              ? sentence.contains("the file is empty")
              : sentence.contains("the data end at byte " + length + ", before the pickle does"),
          sentence);
    }
  }

  @Test
  void randomBytesAreRefused() {
    SplittableRandom random = new SplittableRandom(42);
    for (int i = 0; i < 2000; i++) {
      byte[] file = new byte[1 + random.nextInt(300)];
      random.nextBytes(file);
      refusal(file);
    }
  }

  @Test
  void randomBytesAfterAHeaderAreRefused() {
    SplittableRandom random = new SplittableRandom(43);
    for (int i = 0; i < 5_000; i++) {
      byte[] file = new byte[3 + random.nextInt(60)];
      random.nextBytes(file);
      file[0] = (byte) 0x80;
      file[1] = 4;
      refusal(file);
    }
  }

  @Test
  void aDamagedByteIsRefusedOrReadButNeverFails() {
    byte[] whole = PickleWriter.pickle(snapshot(), 4);
    SplittableRandom random = new SplittableRandom(44);
    int refused = 0;
    for (int i = 0; i < 5_000; i++) {
      byte[] damaged = whole.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
      try {
        read(damaged);
      } catch (TraceFormatException e) {
        refused++;
      }
    }
    assertTrue(refused > 1_000, "only " + refused + " of 5000 damaged files were refused");
  }

  @Test
  void anEmptyFileIsRefused() {
    assertEquals(
        "test.pickle: the file is empty; write the snapshot again with"
            + " torch.cuda.memory._dump_snapshot().",
        refusal(new byte[0]));
  }

  @Test
  void aFileThatIsNoPickleIsRefused() {
    assertEquals(
        "test.pickle: this is not a pickle of protocol 2 to 5, as memory snapshots are; "
            + NOT_PLAIN,
        refusal("{\"segments\": []}".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    assertEquals(
        "test.pickle, byte 0: pickle protocol 1 is not one of 2 to 5; " + NOT_PLAIN,
        refusal(new byte[] {(byte) 0x80, 1, '}', '.'}));
  }

  @ParameterizedTest
  @CsvSource({
    "0x63, GLOBAL",
    "0x93, STACK_GLOBAL",
    "0x52, REDUCE",
    "0x62, BUILD",
    "0x69, INST",
    "0x6f, OBJ",
    "0x81, NEWOBJ",
    "0x92, NEWOBJ_EX",
    "0x82, EXT1",
    "0x83, EXT2",
    "0x84, EXT4",
    "0x50, PERSID",
    "0x51, BINPERSID",
    "0x97, NEXT_BUFFER",
    "0x98, READONLY_BUFFER",
  })
  void opcodesThatRunCodeAreRefusedByName(int opcode, String name) {
    assertEquals(
        "test.pickle, byte 3: opcode "
            + name
            + " would make the reader run or import code and is rejected; "
            + NOT_PLAIN,
        refusal(bytes('}', opcode, 'o', 's', '\n', 's', 'y', 's', '\n', '.')));
  }

  @Test
  void opcodesThatSnapshotsDoNotUseAreRefused() {
    assertEquals(
        "test.pickle, byte 2: opcode DUP is not used in snapshots and is rejected; " + NOT_PLAIN,
        refusal(bytes('2', '.')));
    assertEquals(
        "test.pickle, byte 2: 0xff is not a pickle opcode; " + NOT_PLAIN,
        refusal(bytes(0xff, '.')));
  }

  @ParameterizedTest
  @ValueSource(ints = {Opcode.FRAME, Opcode.BINUNICODE8, Opcode.BINBYTES8})
  void twelveBytesThatAnnounceAnExabyteAreRefused(int opcode, @TempDir Path folder)
      throws Exception {
    byte[] file = bytes(opcode, 0, 0, 0, 0, 0, 0, 0, 0x10, 'N');
    assertEquals(12, file.length);
    assertTrue(refusal(file).endsWith(TRUNCATED));

    Path path = Files.write(folder.resolve("big.pickle"), file);
    assertEquals(
        path
            + ", byte 2: 1152921504606846976 bytes are announced but only 1 follow; the file is"
            + " truncated or damaged, copy it again or write the snapshot again with"
            + " torch.cuda.memory._dump_snapshot().",
        assertThrows(TraceFormatException.class, () -> SnapshotReader.read(path, Progress.NONE))
            .getMessage());
  }

  @Test
  void lengthsBeyond63BitsAreRefused() {
    assertTrue(
        refusal(bytes(Opcode.BINUNICODE8, 255, 255, 255, 255, 255, 255, 255, 255, 'x'))
            .contains("18446744073709551615 bytes are announced"));
    assertTrue(
        refusal(bytes(Opcode.LONG4, 255, 255, 255, 255, 'x'))
            .contains("a whole number of 4294967295 bytes exceeds 64 bits"));
    assertTrue(
        refusal(bytes(Opcode.LONG1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 1, '.'))
            .contains("a whole number exceeds 64 bits"));
  }

  @Test
  void framesMustEndWhereTheySay() {
    assertTrue(
        refusal(new byte[] {(byte) 0x80, 4, (byte) 0x95, 2, 0, 0, 0, 0, 0, 0, 0, 'M', 1, 1, '.'})
            .contains("a value extends beyond its frame"));
    assertTrue(
        refusal(new byte[] {(byte) 0x80, 4, (byte) 0x95, 9, 0, 0, 0, 0, 0, 0, 0, '}', '.'})
            .contains("the data stop 7 bytes before their frame ends"));
  }

  @Test
  void deepNestingIsRefused() {
    Object value = list();
    for (int i = 0; i < 100; i++) {
      value = list(value, 1);
    }
    assertTrue(
        refusalOf(dict("segments", value)).contains("containers nest deeper than 64 levels"));
    Object lists = list();
    for (int i = 0; i < 100; i++) {
      lists = list(lists);
    }
    assertTrue(
        refusalOf(dict("segments", lists)).contains("containers nest deeper than 64 levels"));
    Object dicts = dict();
    for (int i = 0; i < 100; i++) {
      dicts = dict("x", dicts);
    }
    assertTrue(refusalOf(dicts).contains("containers nest deeper than 64 levels"));
    Object tuples = new Tuple();
    for (int i = 0; i < 100; i++) {
      tuples = new Tuple(tuples);
    }
    assertTrue(refusalOf(tuples).contains("containers nest deeper than 64 levels"));
  }

  @Test
  void nestingWithoutAnyEndIsRefused() {
    for (int opcode : new int[] {']', '}', '(', 'N'}) {
      int[] body = new int[3_000_000];
      Arrays.fill(body, opcode);
      String sentence = refusal(bytes(body));
      assertTrue(
          sentence.contains("open at once")
              || sentence.contains("nest deeper")
              || sentence.contains("values wait for their container"),
          sentence);
    }
  }

  @Test
  void aContainerInItselfIsRefused() {
    List<Object> own = list();
    own.add(own);
    assertSelfReference(PickleWriter.pickle(own, 4));
    own.add(1);
    assertSelfReference(PickleWriter.pickle(own, 2));

    Map<String, Object> dict = snapshot();
    dict.put("again", dict);
    assertSelfReference(PickleWriter.pickle(dict, 4));

    List<Object> first = list();
    List<Object> second = list(first);
    first.add(second);
    assertSelfReference(PickleWriter.pickle(first, 4));
    first.add(1);
    second.add(2);
    assertSelfReference(PickleWriter.pickle(first, 4));

    List<Object> inTuple = list();
    inTuple.add(new Tuple(inTuple, 1));
    assertSelfReference(PickleWriter.pickle(inTuple, 4));
  }

  private static void assertSelfReference(byte[] file) {
    String sentence = refusal(file);
    assertTrue(sentence.contains("contain") && sentence.contains("itself"), sentence);
  }

  @Test
  void anEntryUsedTwiceIsRefused() {
    Map<String, Object> entry = event("alloc", 1, 2, 3);
    assertTrue(
        refusalOf(snapshot(list(entry, entry)))
            .contains("an entry is referenced a second time, which no writer does"));
    List<Object> history = history();
    Map<String, Object> value = snapshot(history);
    value.put("device_traces", list(history, history));
    assertTrue(refusalOf(value).contains("device 1: the history of another device is repeated"));
  }

  @Test
  void unknownActionsAreRefusedWithDeviceAndEntry() {
    List<Object> history = history();
    history.add(event("segment_melt\n", 1, 2, 14));
    Map<String, Object> value = snapshot(history);
    value.put("device_traces", list(history(), history));
    assertEquals(
        "test.pickle, device 1, entry 5: the action \"segment_melt?\" is unknown; supported are"
            + " histories of PyTorch 2.0 to 2.14.",
        refusalOf(value));
  }

  @Test
  void sizesBeyond63BitsAndNegativeOnesAreRefused() {
    List<Object> history = history();
    dictAt(history, 2).put("size", BigInteger.ONE.shiftLeft(63));
    assertEquals(
        "test.pickle, device 0, entry 2: its field size is 9223372036854775808, not a number of"
            + " bytes from 0 to 2^63 - 1; "
            + DAMAGED,
        refusalOf(snapshot(history)));
    dictAt(history, 2).put("size", -1);
    assertTrue(refusalOf(snapshot(history)).contains("entry 2: its field size is -1, not"));
    dictAt(history, 2).put("size", 1.5);
    assertTrue(
        refusalOf(snapshot(history)).contains("its field size is a floating-point number, not"));
    dictAt(history, 2).put("size", BigInteger.ONE.shiftLeft(64));
    assertTrue(refusalOf(snapshot(history)).contains("a whole number exceeds 64 bits"));

    Map<String, Object> value = snapshot();
    dictAt(dictAt(value.get("segments"), 0).get("blocks"), 1)
        .put("size", BigInteger.ONE.shiftLeft(63));
    assertTrue(
        refusalOf(value).startsWith("test.pickle, segment 0, block 1: its field size is 922"));
    Map<String, Object> other = snapshot();
    dictAt(other.get("segments"), 0).put("total_size", -5);
    assertTrue(refusalOf(other).startsWith("test.pickle, segment 0: its field total_size is -5"));
  }

  @Test
  void timeRunningBackwardsIsRefused() {
    List<Object> history = history();
    dictAt(history, 3).put("time_us", 10);
    assertEquals(
        "test.pickle, device 0, entry 3: its time of 10 µs is before that of an earlier entry, 11"
            + " µs; a history runs forward, so "
            + DAMAGED,
        refusalOf(snapshot(history)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"addr", "size", "stream"})
  void entriesWithoutANeededFieldAreRefused(String key) {
    List<Object> history = history();
    dictAt(history, 1).remove(key);
    assertTrue(refusalOf(snapshot(history)).contains("entry 1: its field " + key + " is missing"));
  }

  @Test
  void entriesWithoutAnActionAreRefused() {
    List<Object> history = history();
    dictAt(history, 1).remove("action");
    assertTrue(refusalOf(snapshot(history)).contains("device 0, entry 1: it has no action"));
    assertTrue(
        refusalOf(snapshot(list(dict("addr", 1, "size", 2))))
            .contains("device_traces: not a list of histories"));
    assertTrue(
        refusalOf(snapshot(list(event("alloc", 1, 2, 3), 7)))
            .contains("device 0, entry 1: it is a whole number, not a dict"));
    assertTrue(
        refusalOf(snapshot(list(event("alloc", 1, 2, 3), list(1))))
            .contains("device 0, entry 1: it is an object of another type, not a dict"));
    Map<String, Object> segments = snapshot();
    segments.put("device_traces", list(history(), list(segment())));
    assertTrue(
        refusalOf(segments).contains("device_traces, device 1: not a list of history entries"));
  }

  @Test
  void whatIsNoSnapshotIsRefused() {
    String remedy = "; give a file written by torch.cuda.memory._dump_snapshot().";
    assertEquals(
        "test.pickle: it has neither segments nor device_traces, so it is not a snapshot" + remedy,
        refusalOf(dict("weights", list(1, 2))));
    assertEquals(
        "test.pickle: the pickle holds a text, not a snapshot" + remedy, refusalOf("hello"));
    assertEquals(
        "test.pickle, device_traces: not a list of histories" + remedy,
        refusalOf(dict("device_traces", 5)));
    assertEquals(
        "test.pickle, segments: not a list of segments" + remedy,
        refusalOf(dict("segments", list("a"))));
    assertEquals(
        "test.pickle, device_traces: 129 devices are more than 128" + remedy,
        refusalOf(
            dict(
                "device_traces",
                java.util.stream.Stream.generate(() -> list()).limit(129).toList())));
  }

  @Test
  void unknownStatesAndTypesAreRefused() {
    Map<String, Object> value = snapshot();
    dictAt(dictAt(value.get("segments"), 0).get("blocks"), 2).put("state", "melted");
    assertTrue(
        refusalOf(value).startsWith("test.pickle, segment 0, block 2: its field state is a text"));
    Map<String, Object> other = dict("segments", list(segment(), segment()));
    dictAt(other.get("segments"), 1).put("segment_type", "medium");
    assertTrue(
        refusalOf(other).startsWith("test.pickle, segment 1: its field segment_type is a text"));
  }

  @Test
  void memoSlotsOutOfOrderAreRefused() {
    assertTrue(refusal(bytes('h', 3, '.')).contains("memo slot 3 was never filled"));
    assertTrue(
        refusal(bytes('N', 'r', 255, 255, 255, 127, '.'))
            .contains("memo slot 2147483647 is out of order"));
  }

  @Test
  void directoriesAndMissingFilesAreRefused(@TempDir Path folder) {
    assertEquals(
        folder + ": this is a directory; give one of the snapshot files in it.",
        assertThrows(TraceFormatException.class, () -> SnapshotReader.read(folder, Progress.NONE))
            .getMessage());
    Path missing = folder.resolve("missing.pickle");
    assertEquals(
        missing + ": no such file; check the path.",
        assertThrows(TraceFormatException.class, () -> SnapshotReader.read(missing, Progress.NONE))
            .getMessage());
  }

  @Test
  void aHistoryThatIsDamagedOnlyInHostMemoryIsRead() throws Exception {
    Map<String, Object> value = snapshot();
    value.put("host_traces", list(list(event("melt", -1, -1, -1))));
    assertEquals(5, readValue(value).eventCount());
  }
}
