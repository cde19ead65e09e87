package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** The row of a rank is what its file answers alone, on recordings of two ranks. */
class JobRowsTest {
  private static final Path JOBS = Path.of("..", "validation", "jobs", "recorded");
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final long MIB = 1L << 20;

  @TempDir private Path temp;

  private static Path job(String name) {
    return JOBS.resolve(name);
  }

  private static Path file(String job, int rank) {
    return job(job).resolve("run.rank" + rank + ".pickle.xz");
  }

  private static JsonNode json(Object... arguments) {
    List<Object> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--json", "-"));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals("", run.err());
    assertEquals(0, run.exitCode());
    return MAPPER.readTree(run.out());
  }

  private static long sum(JsonNode rows, String key) {
    long sum = 0;
    for (JsonNode row : rows) {
      sum += row.get(key).asLong();
    }
    return sum;
  }

  @Test
  void pinnedMemoryOfARankIsThatOfItsFile() {
    JsonNode ofJob = json("blockers", job("ddp_fails"));
    long highest = 0;
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone = json("blockers", file("ddp_fails", rank));
      JsonNode row = ofJob.at("/ranks/" + rank);
      assertEquals(alone.at("/moment/kind"), row.get("moment"));
      assertEquals(alone.get("segments").size(), row.get("segments").asInt());
      assertEquals(sum(alone.get("segments"), "free_bytes"), row.get("free_bytes").asLong());
      assertEquals(sum(alone.get("segments"), "blocker_bytes"), row.get("blocker_bytes").asLong());
      assertEquals(alone.get("missing_bytes"), row.get("missing_bytes"));
      highest = Math.max(highest, row.get("free_bytes").asLong());
    }
    int most = ofJob.get("most_blocked_rank").asInt();
    assertEquals(highest, ofJob.at("/ranks/" + most + "/free_bytes").asLong());
    assertEquals(sum(ofJob.get("ranks"), "free_bytes"), ofJob.get("free_bytes").asLong());
  }

  @Test
  void theGpuOfARankIsAccountedForAsThatOfItsFile() {
    JsonNode ofJob = json("account", job("ddp_fails"), "--total", "24GiB", "--free", "300MiB");
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone =
          json("account", file("ddp_fails", rank), "--total", "24GiB", "--free", "300MiB");
      JsonNode row = ofJob.at("/ranks/" + rank);
      assertEquals(alone.get("reserved_bytes"), row.get("reserved_bytes"));
      assertEquals(alone.get("gpu_bytes"), row.get("gpu_bytes"));
      for (JsonNode line : alone.get("lines")) {
        JsonNode figure = row.get(line.get("part").asString() + "_bytes");
        if (figure != null) {
          assertEquals(line.get("bytes"), figure, line.get("part").asString());
        }
      }
      assertEquals(300 * MIB, row.get("free_bytes").asLong());
    }
  }

  @Test
  void whatIsInTheFileOfARankIsWhatItsFileShows() {
    JsonNode ofJob = json("inspect", job("tp"));
    long events = 0;
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone = json("inspect", file("tp", rank));
      JsonNode row = ofJob.at("/ranks/" + rank);
      assertEquals(sum(alone.get("devices"), "events"), row.get("events").asLong());
      assertEquals(
          sum(alone.get("devices"), "events_with_stack"), row.get("events_with_stack").asLong());
      assertEquals(alone.get("format"), row.get("format"));
      assertEquals("2.11", row.get("torch_version").asString());
      events += row.get("events").asLong();
    }
    assertEquals(events, ofJob.get("events").asLong());
    assertTrue(ofJob.get("same_kind").asBoolean());
  }

  @Test
  void aChangedJobFailsWhereACopyOfAnyRankOfThatSeedDoes() {
    String[] change = {"--swap-adjacent", "--runs", "6", "--memory-limit", "2100MiB"};
    JsonNode ofJob =
        json("perturb", job("moe"), change[0], change[1], change[2], change[3], change[4]);
    Set<Long> failed = new HashSet<>();
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone =
          json("perturb", file("moe", rank), change[0], change[1], change[2], change[3], change[4]);
      JsonNode row = ofJob.at("/ranks/" + rank);
      for (String key : List.of("runs", "failed_runs")) {
        assertEquals(alone.get(key), row.get(key), key);
      }
      assertEquals(alone.at("/worst/seed"), row.get("worst_seed"));
      assertEquals(
          alone.at("/unchanged/peak_reserved_bytes"), row.get("unchanged_peak_reserved_bytes"));
      assertEquals(alone.at("/peak_reserved_bytes/max"), row.get("max_peak_reserved_bytes"));
      for (JsonNode copy : alone.get("copies")) {
        if (!copy.get("passes").asBoolean()) {
          failed.add(copy.get("seed").asLong());
        }
      }
    }
    assertFalse(failed.isEmpty());
    assertEquals(failed.size(), ofJob.get("failed_runs").asInt());
  }

  @Test
  void twoJobsDifferRankByRankAsTheirFilesDo() {
    JsonNode ofJobs = json("diff", job("moe"), job("moe_expandable"));
    // What PyTorch itself reserved in the two runs.
    long[] changes = {2290089984L - 2478833664L, 2080374784L - 2222981120L};
    for (int rank = 0; rank < 2; rank++) {
      JsonNode alone = json("diff", file("moe", rank), file("moe_expandable", rank));
      JsonNode row = ofJobs.at("/ranks/" + rank);
      assertEquals(changes[rank], row.get("reserved_change_bytes").asLong());
      for (String key :
          List.of(
              "reserved_change_bytes",
              "program_change_bytes",
              "allocator_change_bytes",
              "rounding_change_bytes",
              "slack_change_bytes")) {
        assertEquals(alone.get(key), row.get(key), key);
      }
    }
    assertEquals("0", ofJobs.get("most_changed_rank").asString());
    assertEquals(2290089984L, ofJobs.get("after_max_reserved_bytes").asLong());
  }

  @Test
  void aJobDoesNotDifferFromItself() {
    String out = CommandRun.of("diff", job("pipe"), job("pipe")).out();
    assertTrue(out.startsWith("Reserved memory does not change on any rank."), out);
  }

  @Test
  void ranksThatOneOfTwoJobsLacksAreNamed() throws IOException {
    Path small = Files.createDirectory(temp.resolve("small"));
    Files.copy(file("moe", 1), small.resolve("rank1.pickle.xz"));
    JsonNode diff = json("diff", job("moe"), small);
    assertEquals(1, diff.get("ranks").size());
    assertEquals("0", diff.at("/ranks_only_before/0").asString());
    Files.move(small.resolve("rank1.pickle.xz"), small.resolve("rank7.pickle.xz"));
    CommandRun none = CommandRun.of("diff", job("moe"), small);
    assertEquals(1, none.exitCode());
    assertTrue(none.err().contains("have no rank in common"), none.err());
    assertEquals(1, none.err().lines().count());
  }

  /** 100 MiB that stay, and so many for each of the batch. */
  private void write(Path file, long mibOfEach, int batch) throws IOException {
    Files.createDirectories(file.getParent());
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    trace.free(trace.allocate(mibOfEach * MIB * batch, 0, PoolId.DEFAULT));
    try (var stream = Files.newOutputStream(file)) {
      new JsonLinesFormat()
          .writer()
          .orElseThrow()
          .write(trace.build(StackTable.empty()), 0, stream);
    }
  }

  @Test
  void theBatchThatFitsAJobIsTheSmallestOfItsRanks() throws IOException {
    for (int batch : new int[] {8, 16}) {
      write(temp.resolve("batch" + batch).resolve("rank0.jsonl"), 10, batch);
      write(temp.resolve("batch" + batch).resolve("rank1.jsonl"), 20, batch);
    }
    Path eight = temp.resolve("batch8");
    Path sixteen = temp.resolve("batch16");
    JsonNode ofJobs = json("fit", "--batch", 20, eight, sixteen, "--capacity", "1GiB");
    long smallest = Long.MAX_VALUE;
    for (int rank = 0; rank < 2; rank++) {
      String name = "rank" + rank + ".jsonl";
      JsonNode alone =
          json(
              "fit",
              "--batch",
              20,
              eight.resolve(name),
              sixteen.resolve(name),
              "--capacity",
              "1GiB");
      JsonNode row = ofJobs.at("/ranks/" + rank);
      for (String key :
          List.of(
              "conf",
              "peak_reserved_bytes",
              "low_reserved_bytes",
              "high_reserved_bytes",
              "fits",
              "largest_size")) {
        assertEquals(alone.at("/settings/0/" + key), row.get(key), key);
      }
      smallest = Math.min(smallest, row.get("largest_size").asLong());
    }
    assertEquals(smallest, ofJobs.at("/settings/0/largest_size").asLong());
    assertEquals("1", ofJobs.at("/settings/0/worst_rank").asString());
    assertTrue(smallest >= 40 && smallest < 50, String.valueOf(smallest));
    assertEquals(
        3, CommandRun.of("fit", "--batch", 64, eight, sixteen, "--capacity", "1GiB").exitCode());
  }

  @Test
  void ranksSideBySideAnswerAsOneAfterTheOther() throws IOException {
    Path folder = Files.createDirectory(temp.resolve("eight"));
    for (int rank = 0; rank < 8; rank++) {
      Files.copy(file("pipe", rank % 2), folder.resolve("rank" + rank + ".pickle.xz"));
    }
    Files.write(folder.resolve("rank3.pickle.xz"), new byte[] {1, 2, 3});
    CommandRun first = CommandRun.of("replay", folder);
    assertEquals(1, first.err().lines().count());
    for (int run = 0; run < 3; run++) {
      CommandRun again = CommandRun.of("replay", folder);
      assertEquals(first.out(), again.out());
      assertEquals(first.err(), again.err());
    }
    for (int rank = 0; rank < 8; rank += 7) {
      assertEquals(
          json("replay", file("pipe", rank % 2)).at("/stats/reserved_bytes.all.peak"),
          MAPPER
              .readTree(CommandRun.of("replay", folder, "--json", "-").out())
              .at("/ranks/" + (rank < 3 ? rank : rank - 1) + "/peak_reserved_bytes"));
    }
  }
}
