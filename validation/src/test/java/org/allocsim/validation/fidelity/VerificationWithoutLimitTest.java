package org.allocsim.validation.fidelity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.stream.Stream;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

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
    long leastBytes = requests.leastLimitBytes(0);
    assertEquals(highestBytes == MemoryLimit.NONE, leastBytes == MemoryLimit.NONE);
    if (highestBytes == MemoryLimit.NONE) {
      return;
    }
    long trueBytes = recorded.limitBytes();
    if (trueBytes != MemoryLimit.NONE) {
      assertTrue(
          leastBytes <= trueBytes && trueBytes <= highestBytes,
          () -> trueBytes + " is not from " + leastBytes + " to " + highestBytes);
    }
    if (alone.config().garbageCollectionThreshold() > 0) {
      // The limit says when it is collected.
      return;
    }
    for (long bytes : new long[] {leastBytes, (leastBytes + highestBytes) / 2, highestBytes}) {
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
}
