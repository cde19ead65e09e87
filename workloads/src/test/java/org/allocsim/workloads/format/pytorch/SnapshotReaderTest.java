package org.allocsim.workloads.format.pytorch;

import static org.allocsim.workloads.format.pytorch.SnapshotData.columns;
import static org.allocsim.workloads.format.pytorch.SnapshotData.dict;
import static org.allocsim.workloads.format.pytorch.SnapshotData.dictAt;
import static org.allocsim.workloads.format.pytorch.SnapshotData.event;
import static org.allocsim.workloads.format.pytorch.SnapshotData.frame;
import static org.allocsim.workloads.format.pytorch.SnapshotData.history;
import static org.allocsim.workloads.format.pytorch.SnapshotData.list;
import static org.allocsim.workloads.format.pytorch.SnapshotData.read;
import static org.allocsim.workloads.format.pytorch.SnapshotData.readValue;
import static org.allocsim.workloads.format.pytorch.SnapshotData.segment;
import static org.allocsim.workloads.format.pytorch.SnapshotData.snapshot;
import static org.allocsim.workloads.format.pytorch.SnapshotData.stack;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.PickleWriter.Tuple;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;
import org.allocsim.workloads.format.pytorch.pickle.Opcode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SnapshotReaderTest {
  @Test
  void everyFieldOfEntriesSegmentsAndBlocksIsRead() throws Exception {
    Snapshot read = readValue(snapshot());

    EffectLog effects = read.devices().get(0).effects();
    assertEquals(5, read.eventCount());
    assertEquals(EffectKind.SEGMENT_ALLOC, effects.kind(0));
    assertEquals(1L << 40, effects.address(0));
    assertEquals(2097152, effects.bytes(0));
    assertEquals(EffectKind.OOM, effects.kind(4));
    assertEquals(5, effects.address(4));
    assertEquals(1L << 41, effects.bytes(4));
    assertEquals(13_000, read.devices().get(0).timeNanos(4));
    assertTrue(read.devices().get(0).hasTimes());
    assertNull(read.devices().get(0).poolId(0));

    SnapshotSegment segment = read.segments().get(0);
    assertEquals(1L << 40, segment.address());
    assertEquals(2097152, segment.totalBytes());
    assertEquals(1024, segment.allocatedBytes());
    assertEquals(1536, segment.activeBytes());
    assertEquals(1100, segment.requestedBytes());
    assertTrue(segment.small());
    assertFalse(segment.expandable());
    assertEquals(PoolId.DEFAULT, segment.pool());
    assertEquals(3, segment.blockCount());
    assertEquals((1L << 40) + 1024, segment.blockAddress(1));
    assertEquals(512, segment.blockBytes(1));
    assertEquals(100, segment.blockRequestedBytes(1));
    assertEquals(BlockState.ACTIVE_ALLOCATED, segment.blockState(0));
    assertEquals(BlockState.ACTIVE_PENDING_FREE, segment.blockState(1));
    assertEquals(BlockState.INACTIVE, segment.blockState(2));
    assertEquals(7, segment.blockRequestedBytes(2));
    assertTrue(read.hasHistory());
    assertEquals(List.of(), read.notes());
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void everyProtocolGivesTheSameColumns(int protocol) throws Exception {
    Object value = withStacks(2500);
    assertEquals(columns(readValue(value)), columns(read(PickleWriter.pickle(value, protocol))));
  }

  @Test
  void torchScriptPicklesGiveTheSameColumns() throws Exception {
    Object value = withStacks(2500);
    assertEquals(columns(readValue(value)), columns(read(PickleWriter.torchScriptPickle(value))));
  }

  @Test
  void theOrderOfKeysDoesNotMatter() throws Exception {
    Object value = withStacks(30);
    assertEquals(columns(readValue(value)), columns(readValue(reversed(value))));
  }

  @Test
  void dictsFilledKeyByKeyAreRead() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PickleWriter out = PickleWriter.python(bytes, 4)) {
      out.opcode(Opcode.EMPTY_DICT);
      out.text("device_traces");
      out.opcode(Opcode.EMPTY_LIST);
      out.opcode(Opcode.EMPTY_LIST);
      out.opcode(Opcode.MARK);
      for (Object entry : history()) {
        out.opcode(Opcode.EMPTY_DICT);
        out.memoize();
        ((Map<?, ?>) entry)
            .forEach((key, value) -> {
              out.value(key);
              out.value(value);
              out.opcode(Opcode.SETITEM);
            });
      }
      out.opcode(Opcode.APPENDS);
      out.opcode(Opcode.APPEND);
      out.opcode(Opcode.SETITEM);
    }
    Map<String, Object> same = dict("device_traces", list(history()));
    assertEquals(columns(readValue(same)), columns(read(bytes.toByteArray())));
  }

  @Test
  void equalAndSharedStacksGetOneNumber() throws Exception {
    Map<String, Object> outer = frame("a.py", 1, "f");
    List<Object> shared = list(outer, outer, frame("b.py", 2, "g"));
    List<Object> history = history();
    dictAt(history, 0).put("frames", shared);
    dictAt(history, 1).put("frames", shared);
    dictAt(history, 2)
        .put("frames", list(frame("a.py", 1, "f"), frame("a.py", 1, "f"), frame("b.py", 2, "g")));
    dictAt(history, 3).put("frames", list());
    Map<String, Object> value = snapshot(history);
    dictAt(value.get("segments"), 0).put("frames", shared);
    dictAt(dictAt(value.get("segments"), 0).get("blocks"), 1).put("frames", list(outer));

    Snapshot read = readValue(value);

    DeviceHistory device = read.devices().get(0);
    assertEquals(List.of("a.py:1:f", "a.py:1:f", "b.py:2:g"), stack(read, device.stack(0)));
    assertEquals(device.stack(0), device.stack(1));
    assertEquals(device.stack(0), device.stack(2));
    assertEquals(0, device.stack(3));
    assertEquals(0, device.stack(4));
    assertEquals(device.stack(0), read.segments().get(0).stack());
    assertEquals(List.of("a.py:1:f"), stack(read, read.segments().get(0).blockStack(1)));
    assertEquals(2, read.stacks().frameCount());
  }

  @Test
  void addressesAreUnsigned() throws Exception {
    BigInteger high = BigInteger.ONE.shiftLeft(63).add(BigInteger.TEN);
    Snapshot read = readValue(snapshot(list(event("alloc", high, 3, 1))));
    assertEquals(Long.MIN_VALUE + 10, read.devices().get(0).effects().address(0));
  }

  @Test
  void streamsAreNumberedByUnsignedHandle() throws Exception {
    List<Object> history = list();
    for (Object handle : list(77, -3L, 0, BigInteger.ONE.shiftLeft(63), 5)) {
      Map<String, Object> entry = event("alloc", 1, 2, 3);
      entry.put("stream", handle);
      history.add(entry);
    }
    Snapshot read = readValue(snapshot(history));

    assertArrayEquals(new long[] {0, 5, 77, Long.MIN_VALUE, -3}, read.streamHandles());
    EffectLog effects = read.devices().get(0).effects();
    int[] numbers = new int[5];
    for (int row = 0; row < 5; row++) {
      numbers[row] = effects.stream(row);
    }
    assertArrayEquals(new int[] {2, 4, 0, 3, 1}, numbers);
    assertEquals(0, read.segments().get(0).stream());
  }

  @Test
  void settingsAreRead() throws Exception {
    Map<String, Object> value = snapshot();
    Map<String, Object> settings = SyntheticSnapshotWriter.settings();
    settings.put("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:32");
    settings.put("max_split_size", 33554432);
    settings.put("garbage_collection_threshold", 0.6);
    settings.put("expandable_segments", true);
    settings.put("graph_capture_record_stream_reuse", true);
    ((Map<?, ?>) settings.get("roundup_power2_divisions")).clear();
    settings.put("roundup_power2_divisions", dict("1", 4, "32768", 8));
    settings.put("trace_alloc_max_entries", 3000);
    settings.put("trace_alloc_overflowed", true);
    value.put("allocator_settings", settings);

    Snapshot read = readValue(value);

    assertTrue(read.settings().present());
    assertEquals("max_split_size_mb:32", read.settings().conf());
    assertEquals(33554432, read.settings().maxSplitBytes());
    assertEquals(0.6, read.settings().garbageCollectionThreshold());
    assertTrue(read.settings().expandableSegments());
    assertTrue(read.settings().graphCaptureRecordStreamReuse());
    assertEquals(4, read.settings().roundupDivisions().slot(0));
    assertEquals(0, read.settings().roundupDivisions().slot(1));
    assertEquals(8, read.settings().roundupDivisions().slot(15));
    assertEquals(3000, read.settings().traceMaxEntries());
    assertTrue(read.devices().get(0).overflowed().orElseThrow());
  }

  /** Building PyTorch for ROCm writes hip for cuda in its sources, names of settings included. */
  @Test
  void settingsOfRocmAreRead() throws Exception {
    Map<String, Object> value = snapshot();
    Map<String, Object> settings = SyntheticSnapshotWriter.settings();
    settings.remove("PYTORCH_CUDA_ALLOC_CONF");
    settings.remove("release_lock_on_cudamalloc");
    settings.remove("pinned_use_cuda_host_register");
    settings.put("PYTORCH_HIP_ALLOC_CONF", "max_split_size_mb:32,release_lock_on_hipmalloc:True");
    settings.put("release_lock_on_hipmalloc", true);
    settings.put("pinned_use_hip_host_register", true);
    settings.put("max_split_size", 33554432);
    value.put("allocator_settings", settings);

    Snapshot read = readValue(value);

    assertEquals("max_split_size_mb:32,release_lock_on_hipmalloc:True", read.settings().conf());
    assertTrue(read.settings().releaseLockOnCudamalloc());
    assertTrue(read.settings().pinnedUseCudaHostRegister());
    assertEquals(33554432, read.settings().maxSplitBytes());
    assertEquals(List.of(), read.notes());
  }

  @Test
  void overflowFlagsPerDeviceAreRead() throws Exception {
    Map<String, Object> value = snapshot();
    value.put("device_traces", list(history(), history()));
    value.put("trace_alloc_overflowed", list(false, true));
    value.put("trace_alloc_max_entries", 9);
    Snapshot read = readValue(value);
    assertFalse(read.devices().get(0).overflowed().orElseThrow());
    assertTrue(read.devices().get(1).overflowed().orElseThrow());
    assertEquals(9, read.settings().traceMaxEntries());
  }

  @Test
  void filesWithoutSettingsHaveDefaults() throws Exception {
    Map<String, Object> value = snapshot();
    value.remove("allocator_settings");
    value.remove("external_annotations");
    SnapshotSettings read = readValue(value).settings();
    assertEquals(SnapshotSettings.ABSENT.with(-1, read.release()), read);
  }

  @Test
  void annotationsAreRead() throws Exception {
    Map<String, Object> value = snapshot();
    value.put(
        "external_annotations",
        list(
            dict("stage", "START", "name", "step", "device", 1, "time_us", 4),
            dict("stage", "END", "name", "step", "device", 1, "time_us", 6)));
    assertEquals(
        List.of(
            new Annotation(Annotation.Stage.START, "step", 1, 4000),
            new Annotation(Annotation.Stage.END, "step", 1, 6000)),
        readValue(value).annotations());
  }

  @Test
  void devicesAreSeparateAndPaddedToThoseWithSegments() throws Exception {
    Map<String, Object> value = snapshot();
    value.put("device_traces", list(list(), history()));
    dictAt(value.get("segments"), 0).put("device", 2);
    Snapshot read = readValue(value);
    assertEquals(3, read.devices().size());
    assertEquals(0, read.devices().get(0).effects().count());
    assertEquals(5, read.devices().get(1).effects().count());
    assertEquals(0, read.devices().get(2).effects().count());
    assertEquals(2, read.segments().get(0).device());
  }

  @Test
  void entriesOfPyTorch20WithoutTimesAreRead() throws Exception {
    List<Object> history = history();
    for (int i = 0; i < history.size(); i++) {
      dictAt(history, i).keySet().removeAll(List.of("time_us", "compile_context", "user_metadata"));
    }
    Snapshot read = readValue(snapshot(history));
    assertFalse(read.devices().get(0).hasTimes());
    assertEquals(0, read.devices().get(0).timeNanos(3));
    assertEquals(5, read.eventCount());
    assertEquals(List.of("device 0: 5 entries without a time"), read.notes());
  }

  @Test
  void anEntryWithoutTimeAmongOthersTakesTheTimeBefore() throws Exception {
    List<Object> history = history();
    dictAt(history, 3).remove("time_us");
    Snapshot read = readValue(snapshot(history));
    assertEquals(11_000, read.devices().get(0).timeNanos(3));
    assertEquals(
        List.of("device 0: 1 entry without a time, taken from the previous entry"), read.notes());
  }

  @Test
  void poolsOfPyTorch212EntriesAreRead() throws Exception {
    List<Object> history = history();
    dictAt(history, 1).put("pool_id", new Tuple(0, 3));
    dictAt(history, 2).put("pool_id", new Tuple(0, 0));
    DeviceHistory device = readValue(snapshot(history)).devices().get(0);
    assertNull(device.poolId(0));
    assertEquals(new PoolId(0, 3), device.poolId(1));
    assertEquals(PoolId.DEFAULT, device.poolId(2));
    assertNull(device.poolId(4));
  }

  @Test
  void segmentsOfPyTorch20AreCompletedByTheRunningSumOfSizes() throws Exception {
    Map<String, Object> value = snapshot();
    Map<String, Object> segment = dictAt(value.get("segments"), 0);
    segment
        .keySet()
        .removeAll(
            List.of("requested_size", "segment_pool_id", "is_expandable", "frames", "active_size"));
    for (int i = 0; i < 3; i++) {
      Map<String, Object> block = dictAt(segment.get("blocks"), i);
      block.remove("address");
      block.remove("requested_size");
      block.remove("frames");
    }
    dictAt(segment.get("blocks"), 1).put("state", "active_awaiting_free");
    // That of the block's last request, before its neighbours were joined to it.
    dictAt(segment.get("blocks"), 2)
        .put("history", list(dict("addr", 3L << 40, "real_size", 7, "frames", list())));
    dictAt(segment.get("blocks"), 0)
        .put(
            "history",
            list(
                dict("addr", 1L << 40, "real_size", 999, "frames", list(frame("a.py", 1, "f"))),
                dict("addr", 1L << 40, "real_size", 5, "frames", list())));

    Snapshot read = readValue(value);

    SnapshotSegment old = read.segments().get(0);
    assertEquals(1536, old.activeBytes());
    assertEquals(999 + 512, old.requestedBytes());
    assertEquals(PoolId.DEFAULT, old.pool());
    assertEquals(1L << 40, old.blockAddress(0));
    assertEquals((1L << 40) + 1024, old.blockAddress(1));
    assertEquals((1L << 40) + 1536, old.blockAddress(2));
    assertEquals(999, old.blockRequestedBytes(0));
    assertEquals(512, old.blockRequestedBytes(1));
    assertEquals(7, old.blockRequestedBytes(2));
    assertEquals(BlockState.ACTIVE_PENDING_FREE, old.blockState(1));
    assertEquals(List.of("a.py:1:f"), stack(read, old.blockStack(0)));
    assertEquals(List.of("1 block without a requested size"), read.notes());
  }

  @Test
  void hostMemoryAnnotateEntriesAndUnknownKeysAreIgnoredAndCounted() throws Exception {
    List<Object> history = history();
    Map<String, Object> annotate = event("annotate", 1L << 40, 0, 11);
    annotate.put("user_metadata", "weights");
    history.add(3, annotate);
    dictAt(history, 0).put("block_size", 512);
    dictAt(history, 1).put("user_metadata", "here");
    dictAt(history, 1).put("compile_context", "0/0");
    Map<String, Object> value = snapshot(history);
    value.put("host_segments", list(dict("address", 1, "total_size", 2)));
    value.put("host_traces", list(event("host_alloc", 1, 2, 3), event("x", 1, 2, 3)));
    value.put("extra", dict("deep", list(1, 2.5, null, list(dict("x", new Tuple(1, "b"))))));

    Snapshot read = readValue(value);

    assertEquals(5, read.eventCount());
    assertEquals(
        List.of(
            "unknown key \"block_size\" ignored in 1 place",
            "unknown key \"extra\" ignored in 1 place",
            "unknown key \"deep\" ignored in 1 place",
            "unknown key \"x\" ignored in 1 place",
            "host_segments of pinned host memory ignored (1 read)",
            "host_traces of pinned host memory ignored (2 entries)",
            "device 0: 1 entry of action \"annotate\" ignored",
            "device 0: 1 entry with a compile_context, not used",
            "device 0: 1 entry with user_metadata, not used"),
        read.notes().stream().sorted(SnapshotReaderTest::asListed).toList());
  }

  /** Unknown keys come in the order in which the file names them first, which is not tested. */
  private static int asListed(String a, String b) {
    List<String> keys = List.of("block_size", "extra", "deep", "\"x\"");
    int ia = keys.stream().filter(a::contains).mapToInt(keys::indexOf).findFirst().orElse(9);
    int ib = keys.stream().filter(b::contains).mapToInt(keys::indexOf).findFirst().orElse(9);
    return Integer.compare(ia, ib);
  }

  @Test
  void aSegmentListAloneIsReadAndHasNoHistory() throws Exception {
    Snapshot read = readValue(list(segment(), segment()));
    assertEquals(2, read.segments().size());
    assertFalse(read.hasHistory());
    assertEquals(
        "test.pickle: the snapshot has segments but no event history (device_traces); call"
            + " torch.cuda.memory._record_memory_history() before the program allocates and write"
            + " the snapshot with torch.cuda.memory._dump_snapshot(); 'allocsim peak' shows what is"
            + " held at its end.",
        assertThrows(TraceFormatException.class, read::requireHistory).getMessage());
  }

  @Test
  void aSnapshotWithoutTracesIsReadAndHasNoHistory() throws Exception {
    Map<String, Object> value = snapshot();
    value.remove("device_traces");
    assertFalse(readValue(value).hasHistory());
    value.put("device_traces", list(list(), list()));
    assertFalse(readValue(value).hasHistory());
    assertFalse(readValue(list()).hasHistory());
  }

  @Test
  void wholeNumbersTextsAndBytesInLongFormsAreRead() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PickleWriter out = PickleWriter.python(bytes, 2)) {
      out.raw('}', '(');
      // BINUNICODE8 "segments", then an empty list.
      out.raw(0x8d, 8, 0, 0, 0, 0, 0, 0, 0, 's', 'e', 'g', 'm', 'e', 'n', 't', 's', ']');
      // LONG4 of 9 bytes, SHORT_BINBYTES and a LONG1 of no bytes under keys that are not known.
      out.raw('X', 1, 0, 0, 0, 'a', 0x8b, 9, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 0x88, 0);
      out.raw('X', 1, 0, 0, 0, 'b', 'C', 2, 9, 9);
      out.raw('X', 1, 0, 0, 0, 'c', 0x8a, 0);
      out.raw('u');
    }
    assertEquals(3, read(bytes.toByteArray()).notes().size());
  }

  @Test
  void dataAfterThePickleAreNoted() throws Exception {
    byte[] pickle = PickleWriter.pickle(snapshot(), 4);
    byte[] longer = java.util.Arrays.copyOf(pickle, pickle.length + 3);
    assertEquals(
        List.of("data after the end of the pickle (byte " + pickle.length + ") ignored"),
        read(longer).notes());
  }

  @Test
  void syntheticSnapshotsHoldTheEntriesAskedFor() throws Exception {
    for (int events : new int[] {1, 2, 17, 18, 999, 1000, 1001, 20_000}) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      SyntheticSnapshotWriter.write(bytes, events, 7);
      Snapshot read = read(bytes.toByteArray());
      assertEquals(events, read.eventCount());
      assertEquals(List.of(), read.notes());
      RecordedSnapshotsTest.checkConsistency(read);
    }
  }

  /** A snapshot whose entries have stacks and shared parts in many ways. */
  private static Map<String, Object> withStacks(int events) {
    List<Object> frames = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      frames.add(frame("file" + i % 7 + ".py", i, "f" + i));
    }
    List<Object> history = new ArrayList<>();
    List<Object> shared = list(frames.get(3), frames.get(4));
    for (int i = 0; i < events; i++) {
      Map<String, Object> entry = event("alloc", (1L << 40) + i * 512L, i * 70_000L, 1L << 50);
      if (i % 3 == 0) {
        entry.put("frames", shared);
      } else if (i % 3 == 1) {
        entry.put("frames", list(frames.get(i % 300), frames.get(i * 7 % 300), frames.get(0)));
      }
      entry.put("pool_id", new Tuple(i % 2, 0));
      history.add(entry);
    }
    Map<String, Object> value = snapshot(history);
    value.put("device_traces", list(history, history(), list()));
    value.put(
        "external_annotations",
        list(dict("stage", "START", "name", "é\u20ac\ud83d\ude00", "device", 0, "time_us", 4)));
    return value;
  }

  /** The same value with the keys of every dict in reverse order. */
  private static Object reversed(Object value) {
    return switch (value) {
      case List<?> list -> {
        List<Object> copy = new ArrayList<>();
        list.forEach(element -> copy.add(reversed(element)));
        yield copy;
      }
      case Map<?, ?> map -> {
        List<Object> keys = new ArrayList<>(map.keySet());
        Collections.reverse(keys);
        Map<Object, Object> copy = new LinkedHashMap<>();
        keys.forEach(key -> copy.put(key, reversed(map.get(key))));
        yield copy;
      }
      case null, default -> value;
    };
  }
}
