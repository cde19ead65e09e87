package org.allocsim.validation.fidelity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.workloads.format.pytorch.CutSnapshots;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.SyntheticSnapshotWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Long histories are verified, whole and without their beginning. By hand, a file of 1 GB with 5
 * million entries in a heap of 1 GiB (after a build):
 *
 * <pre>
 * java -cp simulator/target/classes:workloads/target/classes:workloads/target/test-classes \
 *     org.allocsim.workloads.format.pytorch.SyntheticSnapshotWriter /tmp/long.pickle 5000000
 * ALLOCSIM_JAVA_OPTS=-Xmx1g /usr/bin/time -v ./allocsim verify /tmp/long.pickle
 * </pre>
 */
class LongHistoryTest {
  private static final int ENTRIES = 200_000;

  @TempDir private Path folder;

  @Test
  void aLongHistoryIsReproducedWholeAndWithoutItsBeginning() throws Exception {
    Path file = folder.resolve("long.pickle");
    try (OutputStream stream = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      SyntheticSnapshotWriter.write(stream, ENTRIES, 1);
    }
    Snapshot snapshot = SnapshotReader.read(file, (done, total) -> {});
    DeviceVerification whole = verify(snapshot);
    assertTrue(whole.completeHistory());
    assertEquals(ENTRIES, whole.eventsMatched());
    DeviceVerification rest = verify(CutSnapshots.withoutOldest(snapshot, 0, ENTRIES / 2));
    assertEquals(ENTRIES - ENTRIES / 2, rest.eventsMatched());
    assertEquals(
        whole.statistics().get("requested_bytes.all.current"),
        rest.statistics().get("requested_bytes.all.current"));
  }

  private static DeviceVerification verify(Snapshot snapshot) throws Exception {
    VerificationOptions options = Recorded.optionsOfSnapshotAlone(snapshot);
    List<DeviceVerification> results =
        SnapshotVerifier.verify(snapshot, options, (done, total) -> {});
    assertEquals(1, results.size());
    assertEquals("", RecordedSnapshotsAreReproducedTest.describe(results.getFirst()));
    return results.getFirst();
  }
}
