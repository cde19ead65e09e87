package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What commands say of a folder with the recordings of a job's ranks. */
class JobCommandsTest {
  private static final Path FAILING = Path.of("samples/train_gpt.pickle.xz");
  private static final Path SERVED = CommandRun.recording("cat_growth.pickle.xz");
  private static final Path FULL = CommandRun.recording("device_oom.pickle.xz");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @TempDir private Path temp;
  private Path job;

  @BeforeEach
  void makeFolder() throws IOException {
    job = Files.createDirectory(temp.resolve("job"));
  }

  private void rank(int rank, Path recording) throws IOException {
    Files.copy(recording, job.resolve("rank" + rank + ".pickle.xz"));
  }

  private Path file(int rank) {
    return job.resolve("rank" + rank + ".pickle.xz");
  }

  private static CommandRun done(int exitCode, Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals("", run.err());
    assertEquals(exitCode, run.exitCode(), run.out());
    return run;
  }

  private static JsonNode json(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--json", "-"));
    CommandRun run = CommandRun.of(all.toArray());
    assertFalse(run.out().isEmpty(), run.err());
    return MAPPER.readTree(run.out());
  }

  private static List<String> texts(JsonNode rows, String key) {
    List<String> texts = new ArrayList<>();
    rows.forEach(row -> texts.add(row.get(key).asString()));
    return texts;
  }

  @Test
  void aJobOfOneRankIsTunedAsItsFile() throws IOException {
    for (Path recording : List.of(FAILING, SERVED)) {
      Files.deleteIfExists(file(3));
      rank(3, recording);
      JsonNode ofJob = json("tune", job);
      JsonNode ofFile = json("tune", file(3));
      for (String key : List.of("conf", "peak_reserved_bytes", "driver_calls", "driver_seconds")) {
        assertEquals(texts(ofFile.get("settings"), key), texts(ofJob.get("settings"), key), key);
      }
      assertEquals(ofFile.get("recommended_conf"), ofJob.get("recommended_conf"));
      assertEquals(ofFile.get("recorded_conf"), ofJob.get("recorded_conf"));
      assertEquals(ofFile.get("verdict").get("paste"), ofJob.get("verdict").get("paste"));
    }
  }

  @Test
  void aJobOfOneRankIsDiagnosedAsItsFile() throws IOException {
    for (Path recording : List.of(FAILING, SERVED, FULL)) {
      Files.deleteIfExists(file(0));
      rank(0, recording);
      JsonNode ofJob = json("diagnose", job);
      JsonNode program = json("diagnose", file(0)).get("program");
      JsonNode rank = ofJob.at("/ranks/0");
      assertEquals(program.get("smallest_gpu"), ofJob.get("smallest_gpu"));
      assertEquals(program.get("smallest_gpu_recorded"), ofJob.get("smallest_gpu_recorded"));
      assertEquals(program.get("best_passes"), ofJob.get("best_passes"));
      for (String key :
          List.of(
              "best_conf",
              "recorded_conf",
              "first_failed_request_index",
              "first_failed_request_bytes",
              "first_failed_request_line",
              "first_failed_request_verdict",
              "missing_bytes",
              "leak_verdict")) {
        assertEquals(program.get(key), rank.get(key), key);
      }
    }
  }

  @Test
  void aJobOfOneRankNeedsWhatItsFileNeeds() throws IOException {
    rank(0, FAILING);
    JsonNode ofJob = json("min-capacity", job);
    JsonNode ofFile = json("min-capacity", file(0));
    for (String key : List.of("conf", "capacity_bytes", "smallest_gpu")) {
      assertEquals(texts(ofFile.get("settings"), key), texts(ofJob.get("settings"), key), key);
    }
  }

  @Test
  void theRowsOfRanksAreWhatTheirFilesAnswer() throws IOException {
    rank(0, SERVED);
    rank(1, FULL);
    JsonNode replayed = json("replay", job);
    JsonNode verified = json("verify", job);
    JsonNode peaks = json("peak", job);
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone = json("replay", file(rank));
      JsonNode row = replayed.at("/ranks/" + rank);
      assertEquals(rank, row.get("rank").asInt());
      assertEquals(alone.at("/stats/reserved_bytes.all.peak"), row.get("peak_reserved_bytes"));
      assertEquals(alone.at("/stats/allocated_bytes.all.peak"), row.get("peak_allocated_bytes"));
      assertEquals(alone.at("/stats/num_ooms"), row.get("failed_request_count"));
      JsonNode exact = json("verify", file(rank));
      assertEquals(
          exact.get("events_recorded"), verified.at("/ranks/" + rank + "/events_recorded"));
      assertEquals(exact.get("exact"), verified.at("/ranks/" + rank + "/exact"));
      assertEquals(
          json("peak", file(rank)).at("/moment/allocated_bytes"),
          peaks.at("/ranks/" + rank + "/allocated_bytes"));
    }
    assertTrue(verified.get("exact").asBoolean());
    assertEquals(1, replayed.get("failed_ranks").asInt());
  }

  @Test
  void theSettingForAllServesEveryRankAlone() throws IOException {
    rank(0, SERVED);
    rank(1, FAILING);
    JsonNode diagnosed = json("diagnose", job);
    assertEquals("1", diagnosed.get("first_failed_rank").asString());
    assertTrue(diagnosed.get("best_passes").asBoolean());
    String conf = diagnosed.get("recommended_conf").asString();
    assertEquals(conf, json("tune", job).get("recommended_conf").asString());
    long highest = 0;
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone = json("replay", file(rank), "--conf", conf);
      assertEquals(0, alone.at("/stats/num_ooms").asLong());
      highest = Math.max(highest, alone.at("/stats/reserved_bytes.all.peak").asLong());
    }
    JsonNode recommended =
        diagnosed.get("settings").get(texts(diagnosed.get("settings"), "conf").indexOf(conf));
    assertEquals(highest, recommended.get("peak_reserved_bytes").asLong());
    assertEquals(0, recommended.get("failing_ranks").size());
  }

  @Test
  void theSmallestDeviceRunsEveryRankAndOnePageLessDoesNot() throws IOException {
    rank(0, SERVED);
    rank(1, FULL);
    JsonNode settings = json("min-capacity", job).get("settings");
    for (JsonNode setting : settings) {
      long bytes = setting.get("capacity_bytes").asLong();
      String conf = setting.get("conf").asString();
      int worst = setting.get("worst_rank").asInt();
      for (int rank = 0; rank < 2; rank++) {
        assertEquals(0, failures(rank, conf, bytes), conf);
      }
      assertTrue(failures(worst, conf, bytes - (2 << 20)) > 0, conf);
    }
  }

  private long failures(int rank, String conf, long capacityBytes) {
    return json("replay", file(rank), "--conf", conf, "--capacity", capacityBytes)
        .at("/stats/num_ooms")
        .asLong();
  }

  @Test
  void theOrderOfFilesOnDiskDecidesNothing() throws IOException {
    rank(1, FULL);
    rank(10, SERVED);
    rank(2, SERVED);
    String first = done(0, "replay", job).out();
    for (int rank : new int[] {1, 10, 2}) {
      Files.delete(file(rank));
    }
    rank(2, SERVED);
    rank(10, SERVED);
    rank(1, FULL);
    assertEquals(first, done(0, "replay", job).out());
    List<String> ranks =
        first
            .lines()
            .filter(line -> line.matches("\\d+ .*"))
            .map(line -> line.split(" ")[0])
            .toList();
    assertEquals(List.of("1", "2", "10"), ranks);
    assertTrue(first.contains("no recording of ranks 0, 3, 4, 5, 6, 7, 8 and 9"), first);
  }

  @Test
  void aDamagedRankIsNamedAndTheOthersAreAnswered() throws IOException {
    rank(0, SERVED);
    rank(1, SERVED);
    Files.write(file(1), Arrays.copyOf(Files.readAllBytes(file(1)), 500));
    Files.writeString(job.resolve("notes.txt"), "no recording\n");
    for (String command : List.of("diagnose", "tune", "verify", "min-capacity", "peak")) {
      CommandRun run = CommandRun.of(command, job);
      assertEquals(1, run.exitCode(), command);
      assertEquals(1, run.err().lines().count(), run.err());
      assertTrue(run.err().contains("rank1.pickle.xz"), run.err());
      assertTrue(run.out().contains("rank 1 is not counted"), run.out());
      assertTrue(run.out().contains("(not recordings): notes.txt"), run.out());
    }
  }

  @Test
  void whereNoRankCanBeReadThatIsSaid() throws IOException {
    Files.writeString(file(0), "");
    Files.writeString(file(1), "x");
    CommandRun run = CommandRun.of("tune", job);
    assertEquals(1, run.exitCode());
    assertEquals(3, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("no rank's recording can be read"), run.err());
    assertEquals("", run.out());
  }

  @Test
  void foldersThatAreNoJobsAreRefusedInOneSentence() throws IOException {
    assertRefused(1, "contains no trace", "diagnose", job);
    rank(0, SERVED);
    Files.copy(SERVED, job.resolve("old.rank0.pickle.xz"));
    assertRefused(1, "are both of rank 0", "diagnose", job);
    assertRefused(1, "are both of rank 0", "verify", job);
  }

  @Test
  void whatIsForOneRecordingIsRefusedWithItsRemedy() throws IOException {
    rank(0, SERVED);
    assertRefused(2, "give the file of one rank", "replay", job, "--events", "-");
    assertRefused(2, "give the file of one rank", "replay", job, "--repeat", "3");
    assertRefused(2, "give the file of one rank", "leaks", job, "--chart", "a.svg");
    assertRefused(2, "omit --stats", "verify", job, "--stats", "a.json");
    assertRefused(2, "omit the other names", "verify", job, SERVED);
    assertRefused(2, "omit the other names", "compare", SERVED, job);
    assertRefused(2, "give the recording of one rank with its log", "diagnose", job, "-");
    assertRefused(2, "give the file of one rank", "inspect", job, "--events", "-");
    assertRefused(2, "give the file of one rank", "account", job, "--pid", "1");
    assertRefused(2, "give the file of one rank", "account", job, "--smi-index", "1");
    assertRefused(2, "only job folders or only files", "diff", job, SERVED);
    assertRefused(
        2, "only job folders or only files", "fit", "--batch", "8", "--sizes", "1,2", job, SERVED);
    assertRefused(
        1,
        "is a folder; name a file in it, for a job the file of one rank",
        "convert",
        job,
        "-o",
        "a");
  }

  private static void assertRefused(int exitCode, String words, Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(exitCode, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(words), run.err());
    assertEquals("", run.out());
  }

  @Test
  void ofAServedJobNothingIsChangedWhereNothingHelps() throws IOException {
    rank(0, SERVED);
    rank(1, SERVED);
    String out = done(0, "diagnose", job).out();
    assertTrue(out.startsWith("No rank failed: rank 0 reserved the most, "), out);
    assertTrue(out.contains("All ranks reserve the same at their peaks"), out);
  }

  @Test
  void limitsAreCheckedOnEveryRank() throws IOException {
    rank(0, SERVED);
    rank(1, FULL);
    String out = done(3, "check", job, "--no-oom").out();
    assertTrue(out.startsWith("Some limits are not met on rank 1, of 2 ranks."), out);
    Files.delete(file(1));
    assertTrue(done(0, "check", job, "--no-oom").out().startsWith("1 limit met on 1 rank."));
  }

  @Test
  void allocatorsAreComparedOverAllRanks() throws IOException {
    rank(0, SERVED);
    rank(1, FULL);
    JsonNode compared = json("compare", job, "--policies", "pytorch,max-live,cuda-async");
    JsonNode bound =
        compared.get("policies").get(texts(compared.get("policies"), "policy").indexOf("max-live"));
    long highest = 0;
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone = json("compare", file(rank), "--policies", "max-live");
      highest = Math.max(highest, alone.at("/traces/0/results/0/peak_reserved_bytes").asLong());
    }
    assertEquals(highest, bound.get("peak_reserved_bytes").asLong());
  }

  @Test
  void aReportIsAPageWithJsonAndCsv() throws IOException {
    rank(0, SERVED);
    rank(1, FULL);
    Path report = temp.resolve("report");
    done(0, "tune", job, "--report", report);
    assertEquals(List.of("tune.csv", "tune.html", "tune.json"), CommandRun.files(report));
    assertTrue(
        Files.readString(report.resolve("tune.csv")).startsWith("place,conf,failing_ranks,"));
    String markdown = done(0, "tune", job, "--markdown").out();
    assertTrue(markdown.contains("| place | setting | ranks that fail |"), markdown);
  }

  @Test
  void picklesOfSomethingElseAreNoRecordingsWhateverTheyAreCalled() throws IOException {
    rank(0, SERVED);
    rank(1, SERVED);
    String alone = done(0, "replay", job).out();
    Files.write(job.resolve("labels.pkl"), PickleBytes.of(Map.of("loss", List.of("a", "b"))));
    Files.write(job.resolve("rank0_optimizer.pickle"), PickleBytes.of(List.of("lr", "betas")));
    String out = done(0, "replay", job).out();
    assertTrue(
        out.contains("skipped 2 files (not recordings): labels.pkl and rank0_optimizer.pickle"),
        out);
    assertTrue(out.startsWith(alone.lines().findFirst().orElseThrow()), out);
    assertEquals(
        List.of("labels.pkl", "rank0_optimizer.pickle"),
        strings(json("replay", job).at("/job/skipped")));
    Files.write(job.resolve("rank2.pickle"), Arrays.copyOf(PickleBytes.of(Map.of("a", "b")), 12));
    CommandRun damaged = CommandRun.of("replay", job);
    assertEquals(1, damaged.exitCode());
    assertTrue(damaged.out().contains("rank 2 is not counted"), damaged.out());
  }

  private static List<String> strings(JsonNode list) {
    List<String> strings = new ArrayList<>();
    list.forEach(each -> strings.add(each.asString()));
    return strings;
  }

  @Test
  void aRecordingOfAnotherRankThanItsNameSaysIsNamed() throws IOException {
    Path recorded = Path.of("..", "validation", "jobs", "recorded", "moe");
    Files.copy(recorded.resolve("run.rank0.pickle.xz"), file(1));
    Files.copy(recorded.resolve("run.rank1.pickle.xz"), file(0));
    for (String command : List.of("replay", "verify", "inspect", "min-capacity")) {
      CommandRun run = done(0, command, job);
      String text = String.join(" ", run.out().lines().map(String::strip).toList());
      assertTrue(
          text.contains("rank0.pickle.xz records rank 1 but is named rank 0; the name is used"),
          text);
    }
    JsonNode contradicting = json("replay", job).get("mismatched_ranks");
    assertEquals(2, contradicting.size());
    assertEquals(0, contradicting.get(0).get("rank").asInt());
    assertEquals(1, contradicting.get(0).get("recorded_rank").asInt());
    assertEquals(0, json("replay", recorded).get("mismatched_ranks").size());
  }
}
