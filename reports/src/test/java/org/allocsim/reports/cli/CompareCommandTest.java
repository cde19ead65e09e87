package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.stats.ByteFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class CompareCommandTest {
  private static final String TRACE =
      """
      {"allocsim":"trace","version":1}
      {"op":"alloc","id":1,"bytes":3000000,"time_ns":1000}
      {"op":"alloc","id":2,"bytes":700000,"time_ns":2000}
      {"op":"free","id":1,"time_ns":3000}
      {"op":"alloc","id":3,"bytes":9000000,"time_ns":4000}
      {"op":"free","id":3}
      {"op":"free","id":2}
      """;

  @TempDir private Path folder;

  private String trace() throws Exception {
    return Files.writeString(folder.resolve("trace.jsonl"), TRACE).toString();
  }

  private JsonNode json(String... arguments) throws Exception {
    CommandRun run = CommandRun.of((Object[]) arguments);
    assertEquals("", run.err());
    assertEquals(ExitCodes.DONE, run.exitCode());
    return new ObjectMapper().readTree(run.out());
  }

  /** 32 streams of PyTorch's pool take 32 MiB, which nobody else's program needs. */
  @ParameterizedTest
  @CsvSource({"'', 0", "',\"pytorch\":true', 20"})
  void streamsTakePagesOfProgramsOnPyTorchOnly(String field, int failed) throws Exception {
    StringBuilder lines =
        new StringBuilder("{\"allocsim\":\"trace\",\"version\":1" + field + "}\n");
    for (int id = 0; id < 20; id++) {
      lines.append(
          "{\"op\":\"alloc\",\"id\":%d,\"bytes\":1000000,\"stream\":%d}\n"
              .formatted(id, 1 + id % 2));
    }
    String file = Files.writeString(folder.resolve("streams.jsonl"), lines).toString();
    JsonNode table =
        json("compare", file, "--policies", "rmm-fixed", "--capacity", "140MiB", "--json", "-");
    JsonNode row = table.get("traces").get(0).get("results").get(0);
    assertEquals("rmm-fixed", row.get("policy").asString());
    assertEquals(failed, row.get("failed_requests").asInt());
  }

  @Test
  void everyInstalledPolicyHasARowAndNoneReservesLessThanTheBound() throws Exception {
    JsonNode table = json("compare", trace(), "--json", "-").get("traces").get(0);
    List<JsonNode> rows = table.get("results").valueStream().toList();
    for (var provider : Policies.all()) {
      assertTrue(
          rows.stream().anyMatch(row -> row.get("policy").asString().equals(provider.spec().id())),
          provider.spec().id());
    }
    for (JsonNode row : rows) {
      if (row.get("not_run_reason").isNull() && row.get("failed_requests").asLong() == 0) {
        assertTrue(row.get("peak_reserved_bytes").asLong() >= 9_700_000, row.toString());
        assertEquals(9_700_000, row.get("peak_requested_bytes").asLong(), row.toString());
      }
    }
  }

  @Test
  void inEachGroupRowsThatServeEverythingComeFirstTheLowestReservedFirst() throws Exception {
    JsonNode rows =
        json("compare", trace(), "--json", "-", "--capacity", "20MiB")
            .get("traces")
            .get(0)
            .get("results");
    List<String> groups = List.of("pytorch", "framework", "textbook", "bound");
    int group = 0;
    long failures = 0;
    long reserved = 0;
    boolean isAnyFailing = false;
    for (JsonNode row : rows) {
      int own = groups.indexOf(row.get("group").asString());
      assertTrue(own >= group, "groups stand together: " + row);
      if (own > group) {
        failures = 0;
        reserved = 0;
      }
      group = own;
      assertEquals(own == 0, !row.get("how_in_pytorch").isNull(), row.toString());
      if (!row.get("not_run_reason").isNull()) {
        failures = Long.MAX_VALUE;
      } else {
        assertTrue(row.get("failed_requests").asLong() >= failures, row.toString());
        if (row.get("failed_requests").asLong() > failures) {
          reserved = 0;
        }
        failures = row.get("failed_requests").asLong();
        isAnyFailing |= failures > 0;
        assertTrue(row.get("peak_reserved_bytes").asLong() >= reserved, row.toString());
        reserved = row.get("peak_reserved_bytes").asLong();
      }
    }
    assertTrue(isAnyFailing, "nothing fails on a device of 20 MiB");
  }

  @Test
  void theReportFolderGetsTheTableAsCsvAndJson() throws Exception {
    Path report = folder.resolve("made/here");
    CommandRun run =
        CommandRun.of(
            "compare",
            trace(),
            trace(),
            "--policies",
            "cub,rmm-pool(initial=16MiB),rmm-fixed",
            "--report",
            report.toString());
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    List<String> csv = Files.readAllLines(report.resolve("compare.csv"));
    assertTrue(csv.getFirst().contains(",peak_reserved_bytes,"), csv.getFirst());
    assertEquals(7, csv.size());
    assertTrue(csv.stream().anyMatch(line -> line.contains(",rmm-pool,initial=16MiB,")));
    assertEquals(
        2,
        new ObjectMapper()
            .readTree(Files.readString(report.resolve("compare.json")))
            .get("traces")
            .size());
  }

  @Test
  void policyPytorchRunsOnceForEverySetting() throws Exception {
    CommandRun run =
        CommandRun.of(
            "compare",
            trace(),
            "--policies",
            "pytorch",
            "--confs",
            ";expandable_segments:True;max_split_size_mb:32",
            "--csv",
            "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals(4, run.out().lines().count(), run.out());
    assertTrue(run.out().contains(",conf=max_split_size_mb:32,"), run.out());
  }

  @Test
  void unknownPoliciesAndOptionsAreWrongUsageWithTheKnownOnes() throws Exception {
    for (String[] each :
        new String[][] {
          {"xyz", "'xyz' is not a policy; known policies are best-fit"},
          {"rmm-pool(colour=blue)", "policy rmm-pool has no option 'colour'; it has initial, max"},
          {"rmm-pool(initial)", "'initial' is not an option of the form name=value"},
          {"rmm-pool(initial=1", "no closing parenthesis"}
        }) {
      CommandRun run = CommandRun.of("compare", trace(), "--policies", each[0]);
      assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
      assertTrue(run.err().contains(each[1]), run.err());
    }
  }

  @Test
  void anOptionWhoseValueIsWrongLeavesARowThatSaysSo() throws Exception {
    CommandRun run = CommandRun.of("compare", trace(), "--policies", "cub,rmm-pool(initial=many)");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("rmm-pool(initial=many) not run: "), run.out());
  }

  @Test
  void replayServesAnyTraceThroughAnyPolicy() throws Exception {
    for (var provider : Policies.all()) {
      String id = provider.spec().id();
      String policy = id.equals("ggml-vmm") ? "ggml-vmm(frees=deferred)" : id;
      JsonNode result = json("replay", trace(), "--policy", policy, "--json", "-");
      assertEquals(id, result.get("policy").asString());
      if (result.get("failed_requests").isEmpty()) {
        // What a deferred free still holds counts as requested.
        assertEquals(
            policy.equals(id) ? 9_700_000 : 12_700_000,
            result.get("stats").get("requested_bytes.all.peak").asLong(),
            provider.spec().id());
      }
    }
  }

  @Test
  void policyThatCannotServeTheOrderOfFreesNamesTheEvent() throws Exception {
    CommandRun run = CommandRun.of("replay", trace(), "--policy", "ggml-vmm");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(
        run.err()
            .contains(
                "policy ggml-vmm cannot serve it: needs frees in reverse order of allocation:"
                    + " event 2 (counted from 0) frees the 3000000 bytes of event 0"),
        run.err());
  }

  @Test
  void replayOfAnotherPolicySaysWhatItFollowsAndHowItFails() throws Exception {
    CommandRun run =
        CommandRun.of(
            "replay", trace(), "--policy", "cupy", "--memory-limit", "8MiB", "--after-oom", "stop");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("policy  cupy\n"), run.out());
    assertTrue(run.out().contains("Out of memory on device 0: "), run.out());
    assertTrue(run.out().contains("(--after-oom stop)"), run.out());
  }

  @Test
  void inspectCountsTheRequestsOfAnyFormat() throws Exception {
    CommandRun run = CommandRun.of("inspect", trace());
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("device 0: 6 requests in 0.000 s"), run.out());
    assertTrue(run.out().contains("at most 9.25 MiB at once; 0 allocations live"), run.out());
    JsonNode device = json("inspect", trace(), "--json", "-").get("devices").get(0);
    assertEquals(3, device.get("requests").get("allocate").asLong());
    assertEquals(9_700_000, device.get("peak_live_bytes").asLong());
  }

  @Test
  void convertSaysWhatIsLostAndTheResultIsReadAgain() throws Exception {
    Path csv = folder.resolve("log.csv");
    CommandRun run = CommandRun.of("convert", trace(), "--to", "minimalloc", "-o", csv.toString());
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("as minimalloc"), run.out());
    assertTrue(Files.readString(csv).startsWith("id,"), Files.readString(csv));
    JsonNode result = json("replay", csv.toString(), "--policy", "max-live", "--json", "-");
    assertEquals(9_700_000, result.get("stats").get("reserved_bytes.all.peak").asLong());
    assertEquals(ExitCodes.USAGE, CommandRun.of("convert", trace(), "-o", "x.foo").exitCode());
  }

  @Test
  void aReportHasOnePageAndNoChartThatNobodyAskedFor() throws Exception {
    Path report = folder.resolve("report");
    CommandRun.of("compare", trace(), "--policies", "pytorch,cub", "--report", report.toString());
    assertEquals(List.of("compare.csv", "compare.html", "compare.json"), CommandRun.files(report));
  }

  @Test
  void theFolderOfChartsHasEachInBothThemesAndTheirFiguresAreThoseOfTheJson() throws Exception {
    Path report = folder.resolve("report");
    CommandRun run =
        CommandRun.of(
            "compare",
            trace(),
            "--policies",
            "pytorch,cuda-async,pytorch",
            "--report",
            report.toString(),
            "--charts",
            report.toString());
    assertEquals("", run.err());
    assertEquals(ExitCodes.DONE, run.exitCode());
    for (String name :
        List.of(
            "reserved",
            "fragmentation",
            "peak",
            "driver-time",
            "throughput",
            "sizes",
            "lifetimes",
            "segments-peak-pytorch",
            "segments-end-pytorch")) {
      for (String end : List.of(".svg", ".png", "-dark.svg", "-dark.png")) {
        assertTrue(Files.size(report.resolve(name + end)) > 1_000, name + end);
      }
    }
    String peaks = Files.readString(report.resolve("peak.svg"));
    JsonNode json = new ObjectMapper().readTree(Files.readString(report.resolve("compare.json")));
    for (JsonNode row : json.get("traces").get(0).get("results")) {
      String bytes = ByteFormat.human(row.get("peak_reserved_bytes").asLong());
      assertTrue(peaks.contains(bytes), bytes);
      assertEquals(
          row.get("peak_reserved_bytes").asLong(),
          row.get("reserved_at_peak").valueStream().mapToLong(JsonNode::asLong).sum(),
          "the parts of the peak add up");
    }
  }

  @Test
  void markdownIsATableForPullRequests() throws Exception {
    CommandRun run = CommandRun.of("compare", trace(), "--policies", "direct", "--markdown");
    assertTrue(run.out().contains("| policy | peak reserved |"), run.out());
    assertTrue(run.out().contains("| --- | --: |"), run.out());
  }
}
