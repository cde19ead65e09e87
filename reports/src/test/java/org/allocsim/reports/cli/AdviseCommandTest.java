package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

class AdviseCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private Path file;
  private ObjectNode trials;

  @BeforeEach
  void readTrials() throws IOException {
    try (InputStream stream = getClass().getResourceAsStream("/advice/trials.json")) {
      trials = (ObjectNode) JSON.readTree(stream);
    }
    file = folder.resolve("trials.json");
    write();
  }

  private void write() throws IOException {
    Files.writeString(file, JSON.writeValueAsString(trials));
  }

  private JsonNode answered() throws IOException {
    Path json = folder.resolve("answer.json");
    CommandRun run = CommandRun.of("advise", file.toString(), "--json", json.toString());
    assertEquals(ExitCodes.DONE, run.exitCode(), run::err);
    return JSON.readTree(json.toFile());
  }

  private List<?> next() {
    CommandRun run = CommandRun.of("advise", file.toString(), "--next");
    assertEquals(ExitCodes.DONE, run.exitCode(), run::err);
    return JSON.convertValue(JSON.readTree(run.out()).get("combinations"), List.class);
  }

  @Test
  void theAnswerNamesTheCheapestChangeAndWhatToPaste() throws IOException {
    Golden.assertGolden("advise.txt", CommandRun.of("advise", file.toString()).out());
  }

  @Test
  void trialsOfAnEarlierVersionAreStillRead() throws IOException {
    trials.get("remedies").forEach(each -> ((ObjectNode) each).put("max_saved_bytes", 77));
    write();
    JsonNode now = answered().get("not_tried");
    assertEquals(77, now.get(0).get("max_saved_bytes").asLong());
    trials.put("schema", "allocsim-trials-1");
    for (JsonNode each : trials.get("remedies")) {
      ObjectNode remedy = (ObjectNode) each;
      remedy.set("most_saved_bytes", remedy.remove("max_saved_bytes"));
    }
    write();
    assertEquals(now, answered().get("not_tried"));
  }

  @Test
  void theAnswerForProgramsHasEachRunAndEachRemedyThatWasNotTried() throws IOException {
    JsonNode answer = answered();
    assertTrue(answer.get("fits").asBoolean());
    assertEquals("accumulate-2", answer.get("chosen").get(0).asString());
    assertEquals(trials.get("trials").size(), answer.get("trials").size());
    JsonNode failed = answer.get("trials").get(answer.get("trials").size() - 1);
    assertEquals("fails", failed.get("fits").asString());
    assertTrue(failed.get("problem").asString().contains("train.py:34"));
    assertTrue(answer.get("not_tried").toString().contains("bitsandbytes is not installed"));
  }

  @Test
  void whatAFileHasNoUseForIsRefused() {
    CommandRun run = CommandRun.of("advise", file.toString(), "--device", "l40s");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("advise with a file does not accept --device"), run.err());
  }

  @Test
  void aTargetThatNothingReachesIsAnsweredWithTheLeast() throws IOException {
    trials.put("target_bytes", 1L << 30);
    trials.put("out_of_time", true);
    write();
    JsonNode answer = answered();
    assertFalse(answer.get("fits").asBoolean());
    String text = CommandRun.of("advise", file.toString()).out().replaceAll("\\s+", " ");
    assertTrue(text.startsWith("Nothing tried makes it fit 1.00 GiB: the least is "), text);
    assertTrue(text.contains("Time ran out before all runs were done"), text);
  }

  @Test
  void whatComesNextFollowsFromWhatWasRun() throws IOException {
    assertEquals(List.of(), next());
    // Less memory: two batches are not enough, four may be.
    trials.put("target_bytes", 5L << 30);
    write();
    assertEquals(List.of(List.of("accumulate-4")), next());
    ((ArrayNode) trials.get("trials")).removeAll();
    write();
    assertEquals(List.of(List.of()), next());
  }

  @Test
  void aRecordingOfTheChangedProgramIsComparedWithWhatWasPredicted() throws IOException {
    Path recording = CommandRun.recording("gc_retried.pickle.xz");
    CommandRun run =
        CommandRun.of(
            "advise", file.toString(), "--recorded", recording.toString(), "--as", "none");
    assertEquals(ExitCodes.DONE, run.exitCode(), run::err);
    assertTrue(run.out().replaceAll("\\s+", " ").contains("; 10.98 GiB was predicted"), run::out);
    CommandRun unknown =
        CommandRun.of(
            "advise", file.toString(), "--recorded", recording.toString(), "--as", "magic");
    assertEquals(ExitCodes.USAGE, unknown.exitCode());
    assertTrue(unknown.err().contains("--as magic: no run has these remedies"), unknown::err);
  }

  @Test
  void aPageShowsTheBars() throws IOException {
    Path report = folder.resolve("report");
    assertEquals(
        ExitCodes.DONE,
        CommandRun.of("advise", file.toString(), "--report", report.toString()).exitCode());
    assertTrue(
        Files.readString(report.resolve("advise.html"))
            .contains("Peak of reserved memory of each run"));
  }

  @Test
  void aPageShowsTheStepAndThePeakBeforeAndAfter() throws IOException {
    Path recording = CommandRun.recording("gc_retried.pickle.xz");
    for (JsonNode each : trials.get("trials")) {
      String names = each.get("remedies").toString();
      if (names.equals("[]") || names.equals("[\"accumulate-2\"]")) {
        String name = names.length() + ".pickle.xz";
        Files.copy(recording, folder.resolve(name));
        ((ObjectNode) each.get("answer")).put("file", name);
      }
    }
    write();
    Path report = folder.resolve("report");
    CommandRun run = CommandRun.of("advise", file.toString(), "--report", report.toString());
    assertEquals(ExitCodes.DONE, run.exitCode(), run::err);
    String drawn = Files.readString(report.resolve("difference.svg"));
    assertTrue(drawn.contains(">unchanged: ") && drawn.contains(">changed: "), drawn);
    assertTrue(Files.readString(report.resolve("purposes.svg")).contains("accumulate-2"));
    String page = Files.readString(report.resolve("advise.html"));
    // What to paste comes first, the recorded run after all else.
    assertTrue(page.indexOf(">To paste<") < page.indexOf("id=\"results-title\""));
    assertTrue(page.indexOf(">Before and after<") < page.indexOf("id=\"explorer\""));
  }

  @Test
  void aFileOfAnyContentIsAnsweredOrRefusedInOneSentence() throws IOException {
    String text = Files.readString(file);
    Random random = new Random(52);
    int refused = 0;
    for (int round = 0; round < 300; round++) {
      StringBuilder damaged = new StringBuilder(text);
      for (int i = 0; i < 1 + random.nextInt(3); i++) {
        int at = random.nextInt(damaged.length() - 10);
        switch (random.nextInt(3)) {
          case 0 -> damaged.deleteCharAt(at);
          case 1 -> damaged.setCharAt(at, (char) (32 + random.nextInt(95)));
          default -> damaged.setLength(at);
        }
        if (damaged.length() < 20) {
          break;
        }
      }
      Files.writeString(file, damaged);
      CommandRun run = CommandRun.of("advise", file.toString());
      if (run.exitCode() != ExitCodes.DONE) {
        refused++;
        assertEquals(ExitCodes.FAILED, run.exitCode(), run::err);
        assertTrue(
            run.err().startsWith("allocsim: ") && run.err().contains("trials.json"), run::err);
        assertEquals(1, run.err().lines().count(), run::err);
      }
    }
    assertTrue(refused > 100, refused + " were refused");
  }
}
