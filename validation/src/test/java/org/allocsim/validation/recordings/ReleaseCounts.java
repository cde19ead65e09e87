package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the recorded sequences of a release showed, for the page of releases. */
final class ReleaseCounts {
  private String torch = "";
  private int sequences;
  private int exact;
  private int brokenOff;
  private long events;
  private long statistics;
  private long messages;

  /** Counts a sequence that was compared. */
  void add(JsonNode sequence, boolean agrees, boolean endsInAssertion) {
    torch = sequence.get("torch").asString();
    sequences++;
    exact += agrees && !endsInAssertion ? 1 : 0;
    brokenOff += endsInAssertion ? 1 : 0;
    events += sequence.get("events").size();
    statistics += endsInAssertion ? 0 : sequence.get("stats").size();
    messages += endsInAssertion ? 0 : sequence.get("ooms").size();
  }

  /**
   * The file of these counts says the same; {@code -Dgolden.regenerate=true} writes it.
   *
   * @param recording name of the recording, such as {@code pytorch-releases/2.14.jsonl.xz}
   */
  void check(String recording) throws IOException {
    String release = recording.replaceAll(".*/|\\.jsonl\\.xz", "");
    Path file = ReleasesPage.FOLDER.resolve("recorded-" + release + ".json");
    ObjectMapper mapper = new ObjectMapper();
    ObjectNode counts =
        mapper
            .createObjectNode()
            .put("torch", torch)
            .put("recording", recording)
            .put("sequences", sequences)
            .put("exact", exact)
            .put("aborted", brokenOff)
            .put("events", events)
            .put("statistics", statistics)
            .put("messages", messages);
    String text = mapper.writerWithDefaultPrettyPrinter().writeValueAsString(counts) + '\n';
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.createDirectories(ReleasesPage.FOLDER);
      Files.writeString(file, text);
    }
    assertEquals(Files.readString(file), text);
  }
}
