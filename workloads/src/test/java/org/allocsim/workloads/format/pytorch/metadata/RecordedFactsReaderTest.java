package org.allocsim.workloads.format.pytorch.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts.Sample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecordedFactsReaderTest {
  private static RecordedFacts.Device device(String keys) {
    return RecordedFactsReader.read(
            """
            {"version": 1, "pytorch": "2.11.0", "devices": [{"device": 0, "name": "GPU",
             "total_bytes": 1000, "end_position": [4, 3, 2, 1]}], %s}\
            """
                .formatted(keys),
            1)
        .devices()
        .getFirst();
  }

  @Test
  void aSampleHasWhatTheDriverSays() {
    List<Sample> samples =
        device(
                """
                "samples": [{"time_unix_nanos": 7, "device": 0, "used_bytes": 500,
                 "free_bytes": 600, "driver_bytes": 50, "process_bytes": 400,
                 "other_processes_bytes": 90, "pools_bytes": 30, "reserved_bytes": 200}]\
                """)
            .samples();
    assertEquals(List.of(new Sample(7, 1150, 600, 50, 400, 90, 30, 200)), samples);
  }

  @Test
  void whatItDoesNotSayIsUnknownAndTheDriversShareIsWhatPyTorchDoesNotSee() {
    List<Sample> samples =
        device(
                """
                "samples": [{"time_unix_nanos": 7, "device": 0, "used_bytes": 500,
                 "free_bytes": 600, "process_bytes": null, "reserved_bytes": 200}]\
                """)
            .samples();
    assertEquals(List.of(new Sample(7, 1100, 600, 100, -1, -1, -1, 200)), samples);
  }

  @Test
  void communicatorsOfADeviceAddUpAndThoseOfNoDeviceAreLeftOut() {
    assertEquals(
        70,
        device(
                """
                "collectives": [
                 {"group": "0", "device": 0, "memory": {"suspend": 5, "total": 30}},
                 {"group": "1", "device": 0, "memory": {"total": 40, "persist": 2}},
                 {"group": "2", "memory": {"total": 500}}]\
                """)
            .collectivesBytes());
    assertEquals(-1, device("\"collectives\": []").collectivesBytes());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"samples\": {}",
        "\"settings\": {\"A\": [\"b\"]}",
        "\"pytorch\": [\"2.11.0\"]",
        "\"calls\": [{\"call\": [\"settings\"]}]",
        "\"calls\": [{\"call\": \"settings\", \"settings\": {\"a\": 1}}]",
        "\"categories\": [{\"category\": [\"forward\", {}]}]",
        "\"categories\": [{\"category\": 7}]",
        "\"devices\": [{\"name\": [[\"GPU\"]]}]",
        "\"samples\": [7]",
        "\"samples\": [{\"device\": 99999999999}]",
        "\"samples\": [{\"used_bytes\": -1}]",
        "\"samples\": [{\"used_bytes\": 9223372036854775807, \"free_bytes\": 1}]",
        "\"collectives\": [{\"device\": 0, \"memory\": {\"total\": \"much\"}}]",
        "\"collectives\": [{\"device\": 0, \"memory\": {\"total\": 9223372036854775807}},"
            + " {\"device\": 0, \"memory\": {\"total\": 9}}]"
      })
  void whatNoRecorderWritesIsRefusedInAClause(String keys) {
    IllegalArgumentException refusal =
        assertThrows(IllegalArgumentException.class, () -> device(keys));
    assertTrue(refusal.getMessage().matches("[a-z][a-z ]+"), refusal.getMessage());
  }

  @Test
  void aRankThatIsNoNumberIsUnknownAndWhatFollowsIsRead() {
    RecordedFacts facts =
        RecordedFactsReader.read("{\"version\": 1, \"rank\": [3, {}], \"lost_calls\": 2}", 1);
    assertNull(facts.rank());
    assertEquals(2, facts.lostCalls());
  }
}
