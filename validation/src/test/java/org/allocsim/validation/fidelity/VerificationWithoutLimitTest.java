package org.allocsim.validation.fidelity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.InputStream;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.policy.pytorch.conf.ConfigParser;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.SnapshotReader;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A snapshot does not hold the memory limit nor the size of the device; without them it is
 * reproduced all the same, as the limit shows in what was refused. The one setting that works
 * against the limit before anything is refused is {@code garbage_collection_threshold}: there the
 * result may differ, and then says what is missing.
 */
class VerificationWithoutLimitTest {
  private static Stream<Recorded> recordings() {
    Stream<Recorded> others = Recorded.isFolderPresent() ? Recorded.all().stream() : Stream.empty();
    return Stream.concat(Recorded.shipped().stream(), others);
  }

  @TestFactory
  Stream<DynamicTest> snapshotAloneIsReproducedOrTellsThatTheLimitIsMissing() {
    return recordings().map(recorded -> dynamicTest(recorded.name(), () -> verify(recorded)));
  }

  @TestFactory
  Stream<DynamicTest> everyLimitFromTheLeastToTheHighestThatIsShownReproducesTheSnapshot() {
    return recordings()
        .map(recorded -> dynamicTest(recorded.name(), () -> tryShownLimits(recorded)));
  }

  private static void tryShownLimits(Recorded recorded) throws Exception {
    Snapshot snapshot = recorded.snapshot();
    VerificationOptions alone = Recorded.optionsOfSnapshotAlone(snapshot);
    DerivedRequests requests =
        RequestDerivation.derive(
            snapshot,
            new DerivationOptions(
                alone.config(), alone.version(), MemoryLimit.NONE, alone.deviceTotalBytes()));
    long highestBytes = requests.limitBytes(0);
    long minBytes = requests.minLimitBytes(0);
    assertEquals(highestBytes == MemoryLimit.NONE, minBytes == MemoryLimit.NONE);
    if (highestBytes == MemoryLimit.NONE) {
      return;
    }
    long trueBytes = recorded.limitBytes();
    if (trueBytes != MemoryLimit.NONE) {
      assertTrue(
          minBytes <= trueBytes && trueBytes <= highestBytes,
          () -> trueBytes + " is not from " + minBytes + " to " + highestBytes);
    }
    if (alone.config().garbageCollectionThreshold() > 0) {
      // The limit says when it is collected.
      return;
    }
    for (long bytes : new long[] {minBytes, (minBytes + highestBytes) / 2, highestBytes}) {
      VerificationOptions options =
          new VerificationOptions(alone.config(), alone.version(), bytes, alone.deviceTotalBytes());
      for (DeviceVerification result :
          SnapshotVerifier.verify(snapshot, options, (done, total) -> {})) {
        assertEquals("", RecordedSnapshotsAreReproducedTest.describe(result), bytes + " B");
      }
    }
  }

  private static void verify(Recorded recorded) throws Exception {
    Snapshot snapshot = recorded.snapshot();
    VerificationOptions options = Recorded.optionsOfSnapshotAlone(snapshot);
    for (DeviceVerification result :
        SnapshotVerifier.verify(snapshot, options, (done, total) -> {})) {
      boolean saysWhatIsMissing =
          result.inferences().stream()
              .anyMatch(inference -> inference.subject().equals("unknown memory limits"));
      if (options.config().garbageCollectionThreshold() > 0 && !result.exact()) {
        assertTrue(saysWhatIsMissing, () -> result.inferences().toString());
      } else {
        assertEquals("", RecordedSnapshotsAreReproducedTest.describe(result));
        assertEquals(false, saysWhatIsMissing, "nothing is missing");
      }
    }
  }

  /**
   * PyTorch 2.14.1 on the stand-in for a GPU, under a limit of 1 200 879 042 bytes of which 70 %
   * may be reserved before garbage is collected; the pools of the entries were taken out, as 2.11
   * does not write them. Without a limit the segments that were collected would have to be those of
   * private pools, in which other settings would leave them.
   */
  @ParameterizedTest
  @ValueSource(longs = {MemoryLimit.NONE, 100L << 30})
  void collectedGarbageIsNotTakenForPoolsThatAreGone(long saidBytes) throws Exception {
    Snapshot snapshot;
    try (InputStream stream = getClass().getResourceAsStream("collected.pickle.xz")) {
      snapshot = SnapshotReader.read(stream, "collected", Progress.NONE);
    }
    DerivedRequests requests =
        RequestDerivation.derive(
            snapshot,
            new DerivationOptions(
                ConfigParser.parse(snapshot.firstConf(), PyTorchVersion.V2_14).allocator(),
                PyTorchVersion.V2_14,
                saidBytes,
                -1));
    assertEquals(0, requests.unexplainedEntries());
    assertEquals(
        List.of("memory limits"), requests.inferences().stream().map(Inference::subject).toList());
    assertTrue(requests.minLimitBytes(0) <= 1_200_879_042L);
    assertTrue(requests.limitBytes(0) >= 1_200_879_042L);
  }
}
