package org.allocsim.benchmarks.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.pytorch.DeviceHistory;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LongRecordingTest {
  private static final int ENTRIES = 20_000;

  @TempDir private Path folder;

  @Test
  void everyEntryOfTheHistoryIsWhatTheAllocatorDoesForTheRequestsBehindIt() throws Exception {
    Path file = folder.resolve("recording.pickle");
    int entries = LongRecording.write(file, ENTRIES);
    assertTrue(entries >= ENTRIES && entries < ENTRIES + 100, entries + " entries");
    Snapshot snapshot = SnapshotReader.read(file, Progress.NONE);
    assertEquals(entries, snapshot.eventCount());
    assertTrue(snapshot.notes().isEmpty(), snapshot.notes().toString());
    AllocatorConfig config = ConfigParser.parse("", LongRecording.RELEASE).allocator();
    DerivedRequests requests =
        RequestDerivation.derive(
            snapshot, new DerivationOptions(config, LongRecording.RELEASE, MemoryLimit.NONE, -1));
    assertEquals(0, requests.unexplainedEntries());
  }

  @Test
  void entriesHaveTheStacksOfTheirCallSites() throws Exception {
    Path file = folder.resolve("recording.pickle");
    LongRecording.write(file, ENTRIES);
    Snapshot snapshot = SnapshotReader.read(file, Progress.NONE);
    DeviceHistory history = snapshot.devices().getFirst();
    long stacks =
        IntStream.range(0, history.effects().count()).map(history::stack).distinct().count();
    assertEquals(2000, stacks);
  }

  @Test
  void equalArgumentsGiveEqualFiles() throws Exception {
    Path first = folder.resolve("first.pickle");
    Path second = folder.resolve("second.pickle");
    LongRecording.write(first, ENTRIES);
    LongRecording.write(second, ENTRIES);
    assertEquals(-1, Files.mismatch(first, second));
  }
}
