package org.allocsim.validation.fidelity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.stream.Stream;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A snapshot does not hold the memory limit nor the size of the device; without them it is
 * reproduced all the same, as the limit shows in what was refused. The one setting that works
 * against the limit before anything is refused is {@code garbage_collection_threshold}: there the
 * result may differ, and then says what is missing.
 */
class VerificationWithoutLimitTest {
  @TestFactory
  Stream<DynamicTest> snapshotAloneIsReproducedOrTellsThatTheLimitIsMissing() {
    Stream<Recorded> others = Recorded.isFolderPresent() ? Recorded.all().stream() : Stream.empty();
    return Stream.concat(Recorded.shipped().stream(), others)
        .map(recorded -> dynamicTest(recorded.name(), () -> verify(recorded)));
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
