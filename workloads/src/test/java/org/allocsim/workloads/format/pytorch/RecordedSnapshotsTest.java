package org.allocsim.workloads.format.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Recordings of PyTorch 2.11: what is read must agree with itself, and with what is known. */
class RecordedSnapshotsTest {
  @Test
  void aRecordingWithTwoStreamsIsRead() throws Exception {
    Snapshot read = resource("prefetch_streams.pickle.xz");
    assertEquals(
        "{ALLOC=122, FREE_REQUESTED=122, FREE_COMPLETED=120, SEGMENT_ALLOC=6} 2", counts(read.devices().get(0).effects()) + " " + read.streamHandles().length);
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
      return SnapshotReader.read(stream, name, Progress.NONE);
    }
  }

  @TestFactory
  Stream<DynamicTest> everyRecordingAgreesWithItself() throws Exception {
    Path folder = recordings();
    assumeTrue(
        folder != null,
        "left out: the full recordings, no folder " + System.getProperty("allocsim.recordings"));
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(file -> file.toString().contains(".pickle")).sorted().toList();
    }
    return files.stream()
        .map(
            file ->
                DynamicTest.dynamicTest(
                    folder.relativize(file).toString(),
                    () -> checkConsistency(SnapshotReader.read(file, Progress.NONE))));
  }

  private static Path recordings() {
    Path given = Path.of(System.getProperty("allocsim.recordings", "../shared/recordings"));
    return Stream.of(given, Path.of("..").resolve(given))
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
   * Sums of segments and blocks hold; what a history allocates and does not free is in the final
   * blocks with its size; times run forward.
   */
  static void checkConsistency(Snapshot snapshot) {
    assertEquals(List.of(), snapshot.notes());
    Map<Integer, Map<Long, Long>> active = new HashMap<>();
    Map<Integer, Long> reserved = new HashMap<>();
    for (SnapshotSegment segment : snapshot.segments()) {
      checkSegment(segment, active.computeIfAbsent(segment.device(), device -> new HashMap<>()));
      reserved.merge(segment.device(), segment.totalBytes(), Long::sum);
    }
    for (int device = 0; device < snapshot.devices().size(); device++) {
      DeviceHistory history = snapshot.devices().get(device);
      checkHistory(history, active.getOrDefault(device, Map.of()));
      if (startsEmpty(history.effects())) {
        assertEquals(
            reserved.getOrDefault(device, 0L),
            reservedByHistory(history.effects()),
            "segments are what was obtained and not returned");
      }
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

  private static void checkHistory(DeviceHistory history, Map<Long, Long> active) {
    EffectLog effects = history.effects();
    Map<Long, Long> live = new HashMap<>();
    long lastNanos = 0;
    for (int row = 0; row < effects.count(); row++) {
      assertTrue(history.timeNanos(row) >= lastNanos, "times run forward");
      lastNanos = history.timeNanos(row);
      if (effects.kind(row) == EffectKind.ALLOC) {
        assertNull(live.put(effects.address(row), effects.bytes(row)), "free before allocated");
      } else if (effects.kind(row) == EffectKind.FREE_COMPLETED) {
        Long bytes = live.remove(effects.address(row));
        assertTrue(bytes == null || bytes == effects.bytes(row), "a block is freed as allocated");
      }
    }
    live.forEach((address, bytes) -> assertEquals(bytes, active.get(address), "still active"));
  }

  private static boolean startsEmpty(EffectLog effects) {
    return effects.count() > 0
        && (effects.kind(0) == EffectKind.SEGMENT_ALLOC
            || effects.kind(0) == EffectKind.SEGMENT_MAP);
  }

  private static long reservedByHistory(EffectLog effects) {
    long bytes = 0;
    for (int row = 0; row < effects.count(); row++) {
      bytes +=
          switch (effects.kind(row)) {
            case SEGMENT_ALLOC, SEGMENT_MAP -> effects.bytes(row);
            case SEGMENT_FREE, SEGMENT_UNMAP -> -effects.bytes(row);
            default -> 0;
          };
    }
    return bytes;
  }
}
