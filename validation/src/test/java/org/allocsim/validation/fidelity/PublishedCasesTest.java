package org.allocsim.validation.fidelity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.pytorch.CachingAllocator;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.format.pytorch.derive.DerivationOptions;
import org.allocsim.workloads.format.pytorch.derive.RequestDerivation;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * Cases from public threads, run on the real allocator under several settings: from the recording
 * under one setting the outcome under every other is predicted.
 */
class PublishedCasesTest {
  private static final long MIB = 1L << 20;
  private static final String FOLDER = "pytorch-published/";

  private static final Map<String, Recorded> RECORDINGS =
      Recorded.shipped().stream()
          .filter(recording -> recording.name().startsWith(FOLDER))
          .collect(
              Collectors.toMap(
                  recording -> recording.name().substring(FOLDER.length()), Function.identity()));

  private static Recorded recorded(String name) {
    return RECORDINGS.get(name);
  }

  /** Replays the requests of one recording under the settings and the limit of another. */
  private static MemoryStats predict(String source, String target) throws Exception {
    Recorded from = recorded(source);
    Recorded to = recorded(target);
    Snapshot snapshot = from.snapshot();
    VerificationOptions told = from.options(snapshot);
    VerificationOptions wanted = to.options(to.snapshot());
    var trace =
        RequestDerivation.derive(
                snapshot,
                new DerivationOptions(
                    told.config(), told.version(), told.limitBytes(), told.deviceTotalBytes()))
            .trace();
    MemoryStats stats = new MemoryStats(wanted.config().maxSplitBytes());
    CachingAllocator policy =
        new CachingAllocator(
            wanted.config(),
            PyTorchVersion.V2_11,
            wanted.limitBytes(),
            new SimulatedDevice(ShippedProfiles.named("h100-80gb")),
            stats);
    new Replay(trace, 0, policy, stats, stats::activeBytes).run(event -> true);
    return stats;
  }

  static Stream<List<String>> sameRequests() {
    List<List<String>> groups =
        List.of(
            List.of("A.split200", "A.expandable"),
            List.of("B.split128", "B.split256", "B.split512", "B.expandable"),
            List.of("C", "C.split20", "C.split512", "C.split600", "C.expandable"),
            List.of("C", "C.expandable.limit31"),
            List.of("D.native", "D.split", "D.expandable", "D.both"),
            List.of("E", "E.expandable"),
            List.of("F", "F.expandable"),
            List.of("G", "G.split64", "G.expandable"),
            List.of("I", "I.expandable"));
    return groups.stream()
        .flatMap(
            group -> group.stream().flatMap(from -> group.stream().map(to -> List.of(from, to))));
  }

  @ParameterizedTest
  @MethodSource("sameRequests")
  void statisticsUnderAnotherSettingAreThoseOfTheRealRun(List<String> pair) throws Exception {
    MemoryStats predicted = predict(pair.get(0), pair.get(1));
    JsonNode real = recorded(pair.get(1)).side().get("stats");
    for (String key : MemoryStats.keys()) {
      assertEquals(real.get(key).asLong(), predicted.get(key), pair + " " + key);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "A.split200, A, 1",
    "A.expandable, A, 1",
    "B.split128, B, 1",
    "B.expandable, B.split1024, 1",
    "C, C.limit31, 1"
  })
  void requestThatFailsUnderAnotherSettingFailsInThePrediction(
      String source, String target, long failures) throws Exception {
    assertEquals(failures, recorded(target).side().get("stats").get("num_ooms").asLong());
    MemoryStats predicted = predict(source, target);
    // A program that goes on differently after its failure is followed up to it only.
    assertTrue(predicted.outOfMemories() >= failures, source + " under " + target);
  }

  @Test
  void splitLimitAndExpandableSegmentsTogetherGrowAsPublished() throws Exception {
    long[] publishedMib = {220, 2980, 5760, 8520, 11300, 14060};
    JsonNode marks = recorded("D.both").side().get("marks");
    for (int i = 0; i < publishedMib.length; i++) {
      assertEquals(publishedMib[i] * MIB, marks.get(i).get(2).asLong(), "cycle " + 20 * i);
    }
    assertEquals(14060 * MIB, predict("D.native", "D.both").reservedBytes());
    assertEquals(420 * MIB, predict("D.both", "D.expandable").reservedBytes());
    assertEquals(422 * MIB, predict("D.both", "D.split").reservedBytes());
  }

  @Test
  void cardOf16GibFailsWith14And12And1GibAsInTheArticle() throws Exception {
    MemoryStats predicted = predict("B.expandable", "B");
    assertEquals(1, predicted.outOfMemories());
    assertEquals(14848 * MIB, predicted.reservedBytes());
    assertEquals(12296 * MIB, predicted.allocatedBytes());
  }
}
