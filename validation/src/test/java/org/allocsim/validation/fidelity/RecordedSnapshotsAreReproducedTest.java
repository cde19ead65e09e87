package org.allocsim.validation.fidelity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.allocsim.simulator.device.RecordedDevice;
import org.allocsim.simulator.effect.EffectFollower;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.DerivedRequests;
import org.allocsim.workloads.format.pytorch.derive.Inference;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every recorded snapshot is reproduced: each entry of its history, the segments and blocks at its
 * end, and the statistics that the program read then. The recordings are those that the project
 * holds and whatever lies in the folder that {@code allocsim.recordings} names.
 *
 * <p>Of the statistics only these may differ, and only so far:
 *
 * <ul>
 *   <li>{@code num_sync_all_streams} may be smaller: an {@code empty_cache()} that finds nothing to
 *       release leaves no entry, so it is not among the derived requests;
 *   <li>{@code num_alloc_retries} may be larger: where the program emptied the cache right before a
 *       request that would not have been granted, the history is that of a request that was refused
 *       and released the cache itself. Where the program's calls were recorded, both differences
 *       together are exactly the {@code empty_cache()} calls that were not derived; where they were
 *       not, the retries must agree;
 *   <li>a history that does not begin with the first allocation decides the values at its end only:
 *       totals and peaks count from its beginning;
 *   <li>nothing is compared for a snapshot that an OOM observer took: the statistics beside it were
 *       read when the program had gone on.
 * </ul>
 */
class RecordedSnapshotsAreReproducedTest {
  /**
   * Longer histories are not checked for invariants, which takes the number of blocks each time.
   */
  private static final int MAX_CHECKED_ENTRIES = 15_000;

  private static final String SYNCHRONIZATIONS = "num_sync_all_streams";
  private static final String RETRIES = "num_alloc_retries";

  /** A counter of 2.12 and later that stays 0, so that the simulator has none. */
  private static final String REJECTIONS = "num_oom_rejections";

  @TestFactory
  Stream<DynamicTest> shippedSnapshotsAreReproduced() {
    List<Recorded> shipped = Recorded.shipped();
    assertTrue(shipped.size() >= 10, shipped::toString);
    return shipped.stream().flatMap(RecordedSnapshotsAreReproducedTest::tests);
  }

  @TestFactory
  Stream<DynamicTest> snapshotsOfTheFolderAreReproduced() {
    if (!Recorded.isFolderPresent()) {
      String skipped =
          "left out: all recorded snapshots but those that the project holds, as there is no folder"
              + " "
              + Recorded.folder();
      System.out.println(skipped);
      return Stream.of(dynamicTest(skipped, () -> abort(skipped)));
    }
    return Recorded.all().stream().flatMap(RecordedSnapshotsAreReproducedTest::tests);
  }

  private static Stream<DynamicTest> tests(Recorded recorded) {
    return Stream.of(
        dynamicTest(recorded.name(), () -> reproduce(recorded)),
        dynamicTest(recorded.name() + ": invariants hold", () -> checkInvariants(recorded)));
  }

  private static void reproduce(Recorded recorded) throws Exception {
    Snapshot snapshot = recorded.snapshot();
    List<DeviceVerification> results =
        SnapshotVerifier.verify(snapshot, recorded.options(snapshot), (done, total) -> {});
    assertFalse(results.isEmpty());
    for (DeviceVerification result : results) {
      assertEquals("", describe(result));
      assertTrue(result.exact());
      compareStatistics(recorded, snapshot, result);
    }
    assertTrue(
        recorded.isTakenAtFailure() || recorded.statistics(0).isPresent(),
        "statistics lie beside the snapshot");
  }

  /** What keeps a result from being exact; empty if nothing does. */
  static String describe(DeviceVerification result) {
    StringBuilder text = new StringBuilder();
    result
        .firstDivergence()
        .ifPresent(divergence ->
            text.append("device ")
                .append(result.device())
                .append(", entry ")
                .append(divergence.index())
                .append(": recorded ")
                .append(divergence.expected())
                .append(", simulated ")
                .append(divergence.actual()));
    result.layoutDifferences().forEach(line -> text.append('\n').append(line));
    return text.toString();
  }

  private static void compareStatistics(
      Recorded recorded, Snapshot snapshot, DeviceVerification result) {
    Map<String, Long> expected = recorded.statistics(result.device()).orElse(null);
    if (expected == null) {
      return;
    }
    Map<String, Long> actual = result.statistics();
    assertEquals(0, Objects.requireNonNullElse(expected.remove(REJECTIONS), 0L), REJECTIONS);
    assertEquals(expected.keySet(), actual.keySet());
    boolean complete =
        expected.get("allocation.all.allocated")
            == count(snapshot.devices().get(result.device()).effects(), EffectKind.ALLOC);
    assertEquals(complete, result.completeHistory(), "whether the history is complete");
    assertEquals(comparable(expected, complete), comparable(actual, complete));
    if (complete) {
      long unseenCalls = expected.get(SYNCHRONIZATIONS) - actual.get(SYNCHRONIZATIONS);
      long callsTakenForRetries = actual.get(RETRIES) - expected.get(RETRIES);
      assertTrue(unseenCalls >= 0, SYNCHRONIZATIONS);
      if (recorded.emptyCacheCalls().isPresent()) {
        assertTrue(callsTakenForRetries >= 0, RETRIES);
        assertEquals(
            recorded.emptyCacheCalls().get() - derivedEmptyCacheCalls(result),
            unseenCalls + callsTakenForRetries,
            "empty_cache() calls that were not derived");
      } else {
        assertEquals(0, callsTakenForRetries, RETRIES);
      }
    }
  }

  private static Map<String, Long> comparable(Map<String, Long> statistics, boolean complete) {
    Map<String, Long> comparable = new TreeMap<>(statistics);
    comparable
        .keySet()
        .removeIf(key ->
            complete
                ? key.equals(SYNCHRONIZATIONS) || key.equals(RETRIES)
                : !key.endsWith(".current"));
    assertFalse(comparable.isEmpty());
    return comparable;
  }

  private static long derivedEmptyCacheCalls(DeviceVerification result) {
    return result.inferences().stream()
        .filter(inference -> inference.subject().equals(Inference.EMPTY_CACHE_CALLS))
        .mapToLong(inference -> inference.count())
        .sum();
  }

  private static long count(EffectLog effects, EffectKind kind) {
    long count = 0;
    for (int row = 0; row < effects.count(); row++) {
      count += effects.kind(row) == kind ? 1 : 0;
    }
    return count;
  }

  private static void checkInvariants(Recorded recorded) throws Exception {
    Snapshot snapshot = recorded.snapshot();
    if (snapshot.eventCount() >= MAX_CHECKED_ENTRIES) {
      return;
    }
    VerificationOptions options = recorded.options(snapshot);
    DerivedRequests requests =
        RequestDerivation.derive(
            snapshot,
            new DerivationOptions(
                options.config(),
                options.version(),
                options.limitBytes(),
                options.deviceTotalBytes()));
    for (int device = 0; device < snapshot.devices().size(); device++) {
      checkInvariants(snapshot, device, requests, options);
    }
  }

  private static void checkInvariants(
      Snapshot snapshot, int device, DerivedRequests requests, VerificationOptions options) {
    AllocatorConfig config = options.config();
    long overLimitBytes = config.expandableSegments() ? config.largeSegmentBytes() - 1 : 0;
    InvariantChecker checker =
        new InvariantChecker(
            options.limitBytes() < 0
                ? options.deviceTotalBytes()
                : options.limitBytes() + overLimitBytes);
    EffectLog effects = snapshot.devices().get(device).effects();
    EffectFollower follower = new EffectFollower(effects, 0);
    CachingAllocator policy =
        new CachingAllocator(
            config,
            options.version(),
            requests.limitBytes(device),
            new RecordedDevice(effects, follower::position, options.deviceTotalBytes()),
            EffectListeners.both(checker, follower));
    policy.restore(requests.starts().get(device).layout());
    checker.startFrom(policy);
    new Replay(requests.trace(), device, policy, EffectListeners.both(checker, follower), () -> 0)
        .runRestored(event -> {
          checker.check(policy);
          return true;
        });
    checker.check(policy);
    assertFalse(follower.hasDiverged());
  }
}
