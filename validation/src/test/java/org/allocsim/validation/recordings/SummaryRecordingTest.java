package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.MemorySummary;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/** Keys of the statistics and text of the summary are those of the recorded programs. */
class SummaryRecordingTest {
  private static final String ALL = "org.allocsim.validation.recordings.Recordings#withStatistics";

  @ParameterizedTest
  @MethodSource(ALL)
  void keysAreTheRecordedOnesInTheirOrder(String name) {
    List<String> recorded = Recordings.json(name).get("stats").propertyNames().stream().toList();
    assertEquals(recorded, MemoryStats.keys());
  }

  @ParameterizedTest
  @MethodSource(ALL)
  void summaryOfRecordedStatisticsIsTheRecordedText(String name) {
    JsonNode recording = Recordings.json(name);
    Map<String, Long> stats = Recordings.statistics(recording);
    assertEquals(recording.get("summary").asString(), MemorySummary.format(stats::get, 0, false));
  }
}
