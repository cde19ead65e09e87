package org.allocsim.workloads.format.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.workloads.format.Progress;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Recordings of PyTorch 2.11: what is read must agree with itself, and with what is known. */
class RecordedSnapshotsTest {
  @Test
  void aRecordingWithTwoStreamsIsRead() throws Exception {
    Snapshot read = resource("prefetch_streams.pickle.xz");
    assertEquals(
        "{ALLOC=122, FREE_REQUESTED=122, FREE_COMPLETED=120, SEGMENT_ALLOC=6} 2",
        counts(read.devices().get(0).effects()) + " " + read.streamHandles().length);
    checkConsistency(read);
  }

  @Test
  void aRecordingWithAUserPoolIsRead() throws Exception {
    Snapshot read = resource("mempool.pickle.xz");
    assertEquals(
        "{ALLOC=60, FREE_REQUESTED=60, FREE_COMPLETED=60, SEGMENT_ALLOC=16, SEGMENT_FREE=9}"
            + " [(0,0)]",
        counts(read.devices().get(0).effects())
            + " "
            + read.segments().stream().map(SnapshotSegment::pool).distinct().toList());
    checkConsistency(read);
  }

  @Test
  void aRecordingWithGraphCaptureIsRead() throws Exception {
    Snapshot read = resource("cuda_graph.pickle.xz");
    assertEquals(
        "{ALLOC=73, FREE_REQUESTED=53, FREE_COMPLETED=53, SEGMENT_ALLOC=21, SEGMENT_FREE=6}"
            + " [(0,0), (1,0), (2,0), (3,0)]",
        counts(read.devices().get(0).effects())
            + " "
            + read.segments().stream().map(SnapshotSegment::pool).distinct().toList());
    checkConsistency(read);
  }

  private static Snapshot resource(String name) throws Exception {
    try (InputStream stream = RecordedSnapshotsTest.class.getResourceAsStream(name)) {
      Snapshot read = SnapshotReader.read(stream, name, Progress.NONE);
      assertEquals(List.of(), read.notes());
      return read;
    }
  }

  @TestFactory
  Stream<DynamicTest> everyRecordingAgreesWithItself() throws Exception {
    Path folder = recordings();
    assumeTrue(
        folder != null,
        "left out: all recordings but the three shipped ones, as there is no folder " + given());
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(file -> file.toString().contains(".pickle")).sorted().toList();
    }
    return files.stream()
        .map(file ->
            DynamicTest.dynamicTest(
                folder.relativize(file).toString(),
                () -> checkConsistency(SnapshotReader.read(file, Progress.NONE))));
  }

  private static Path given() {
    return Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
  }

  private static Path recordings() {
    return Stream.of(given(), Path.of("..").resolve(given()))
        .filter(Files::isDirectory)
        .findFirst()
        .orElse(null);
  }

  private static Map<EffectKind, Integer> counts(EffectLog effects) {
    Map<EffectKind, Integer> counts = new EnumMap<>(EffectKind.class);
    for (int row = 0; row < effects.count(); row++) {
      counts.merge(effects.kind(row), 1, Integer::sum);
    }
    return counts;
  }

  /**
   * Sums of segments and blocks hold; what a history obtains and does not return is in the final
   * segments and blocks with its size; times run forward. Holds for histories cut off in front too.
   */
  static void checkConsistency(Snapshot snapshot) {
    List<Map<Long, Long>> active = new ArrayList<>();
    List<Map<Long, Long>> segments = new ArrayList<>();
    for (int device = 0; device < snapshot.devices().size(); device++) {
      active.add(new HashMap<>());
      segments.add(new HashMap<>());
    }
    for (SnapshotSegment segment : snapshot.segments()) {
      checkSegment(segment, active.get(segment.device()));
      segments.get(segment.device()).put(segment.address(), segment.totalBytes());
    }
    for (int device = 0; device < snapshot.devices().size(); device++) {
      DeviceHistory history = snapshot.devices().get(device);
      checkTimes(history);
      EffectLog effects = history.effects();
      checkLeft(effects, EffectKind.ALLOC, EffectKind.FREE_COMPLETED, active.get(device));
      checkLeft(effects, EffectKind.SEGMENT_ALLOC, EffectKind.SEGMENT_FREE, segments.get(device));
    }
  }

  private static void checkSegment(SnapshotSegment segment, Map<Long, Long> active) {
    long next = segment.address();
    long allocatedBytes = 0;
    long activeBytes = 0;
    long requestedBytes = 0;
    for (int i = 0; i < segment.blockCount(); i++) {
      assertEquals(next, segment.blockAddress(i), "blocks tile their segment");
      next += segment.blockBytes(i);
      if (segment.blockState(i) != BlockState.INACTIVE) {
        activeBytes += segment.blockBytes(i);
        requestedBytes += segment.blockRequestedBytes(i);
        active.put(segment.blockAddress(i), segment.blockRequestedBytes(i));
      }
      if (segment.blockState(i) == BlockState.ACTIVE_ALLOCATED) {
        allocatedBytes += segment.blockBytes(i);
      }
    }
    assertEquals(segment.address() + segment.totalBytes(), next);
    assertEquals(segment.allocatedBytes(), allocatedBytes);
    assertEquals(segment.activeBytes(), activeBytes);
    assertEquals(segment.requestedBytes(), requestedBytes);
  }

  private static void checkTimes(DeviceHistory history) {
    for (int row = 1; row < history.effects().count(); row++) {
      assertTrue(history.timeNanos(row) >= history.timeNanos(row - 1), "times run forward");
    }
  }

  /** What {@code begin} obtains and {@code end} does not return is in the final state. */
  private static void checkLeft(
      EffectLog effects, EffectKind begin, EffectKind end, Map<Long, Long> finalState) {
    Map<Long, Long> live = new HashMap<>();
    for (int row = 0; row < effects.count(); row++) {
      if (effects.kind(row) == begin) {
        assertNull(live.put(effects.address(row), effects.bytes(row)), "obtained twice");
      } else if (effects.kind(row) == end) {
        Long bytes = live.remove(effects.address(row));
        assertTrue(bytes == null || bytes == effects.bytes(row), "returned as obtained");
      }
    }
    live.forEach(
        (address, bytes) -> assertEquals(bytes, finalState.get(address), "still there at the end"));
  }
}
