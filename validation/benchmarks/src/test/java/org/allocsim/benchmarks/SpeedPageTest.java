package org.allocsim.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.allocsim.simulator.policy.Policies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class SpeedPageTest {
  private static final Path MODULE =
      Files.isRegularFile(Path.of("peers.json")) ? Path.of("") : Path.of("validation/benchmarks");

  /** Lines of the page of current results. */
  private static final int MAX_LINES = 150;

  private static String page(Path results) throws IOException {
    return SpeedPage.history(
        results, MODULE.resolve("real-allocators.json"), MODULE.resolve("counters.json"));
  }

  /** {@code -Dgolden.regenerate=true} writes the page. */
  @Test
  void thePageOfCurrentResultsSaysWhatTheySay() throws IOException {
    String page =
        SpeedPage.current(
            MODULE.resolve("results"),
            MODULE.resolve("peers.json"),
            MODULE.resolve("commands.json"));
    assertWritten("SPEED.md", page);
    assertTrue(page.lines().count() <= MAX_LINES, page.lines().count() + " lines");
  }

  @Test
  void thePageOfAllMeasurementsSaysWhatTheySay() throws IOException {
    assertWritten("SPEED-HISTORY.md", page(MODULE.resolve("results")));
  }

  private static void assertWritten(String name, String page) throws IOException {
    Path file = MODULE.toAbsolutePath().getParent().resolve(name);
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.writeString(file, page);
    }
    assertEquals(Files.readString(file), page);
  }

  @Test
  void whatStandsBesideAllocsimSaysHowManyTimesSlowerItIs(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("card.json"),
        """
        {"schema": "allocsim-beside-1",
         "machine": {"cpu": "a cpu", "cores": 16, "system": "Linux x86_64", "pytorch": "2.11.0"},
         "rounds": 3, "failed": {"pickle/x": "no such module"},
         "measurements": [
          {"what": "pytorch", "trace": "gpt", "setting": "", "unit": "ns_per_request",
           "samples": {"median": 500.0, "lower_quartile": 490.0, "upper_quartile": 510.5}},
          {"what": "allocsim", "trace": "gpt", "setting": "", "unit": "ns_per_event",
           "samples": {"median": 27.0, "lower_quartile": 26.0, "upper_quartile": 28.0}},
          {"what": "allocsim", "trace": "gpt", "setting": "", "unit": "ns_per_request",
           "samples": {"median": 40.0, "lower_quartile": 39.0, "upper_quartile": 41.0}},
          {"what": "pickle.load", "trace": "gpt", "setting": "none", "unit": "ns_per_event",
           "bytes_per_second": 1.0E8,
           "samples": {"median": 600.0, "lower_quartile": 590.0, "upper_quartile": 610.0}}]}
        """);
    String page = page(folder);
    assertTrue(
        page.contains(
            """
            a cpu, 16 cores, Linux x86_64; pytorch 2.11.0.

            | work | by | ns | quartiles | M/s | MB/s | allocsim is faster |
            | --- | --- | --: | --: | --: | --: | --: |
            | replay of gpt | pytorch | 500 a request | 490 to 511 | 2.0 |  | 12.5 times |
            | replay of gpt | allocsim | 40.0 a request | 39.0 to 41.0 | 25.0 |  |  |
            | reading gpt, not compressed | pickle.load | 600 an event | 590 to 610 | 1.7 | 100 |  |

            - not measured: pickle/x: no such module
            """),
        page);
  }

  @Test
  void whatWasMeasuredInTurnsIsComparedPairByPair(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("turns.json"),
        """
        {"schema": "allocsim-beside-1", "machine": {"cpu": "c", "cores": 16, "system": "Linux"},
         "rounds": 1, "failed": {},
         "measurements": [
          {"what": "pytorch", "trace": "gpt", "setting": "", "unit": "ns_per_request",
           "samples": {"median": 500.0, "lower_quartile": 490.0, "upper_quartile": 510.5}},
          {"what": "allocsim", "trace": "gpt", "setting": "", "unit": "ns_per_request",
           "samples": {"median": 40.0, "lower_quartile": 39.0, "upper_quartile": 41.0},
           "times": {"median": 10.32, "lower_quartile": 9.9, "upper_quartile": 10.6}}]}
        """);
    String page = page(folder);
    assertTrue(page.contains("| 2.0 |  | 10.3 times (9.9 to 10.6) |\n"), page);
  }

  @Test
  void realAllocatorsStandBesideTheirPolicies(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("others.json"),
        """
        {"schema": "allocsim-beside-1", "machine": {"cpu": "c", "cores": 16, "system": "Linux"},
         "rounds": 3, "failed": {},
         "measurements": [
          {"what": "CUB", "policy": "cub", "trace": "gpt", "setting": "", "unit": "ns_per_request",
           "samples": {"median": 500.0, "lower_quartile": 490.0, "upper_quartile": 510.0}},
          {"what": "allocsim", "policy": "cub", "trace": "gpt", "setting": "",
           "unit": "ns_per_request",
           "samples": {"median": 50.0, "lower_quartile": 49.0, "upper_quartile": 51.0}}]}
        """);
    String page = page(folder);
    assertTrue(page.contains("| replay of gpt, cub | CUB | 500 a request |"), page);
    assertTrue(page.contains("| 10.0 times |"), page);
    assertTrue(page.contains("| `cuda-async` | 2.3 us an allocation"), page);
    assertTrue(page.contains("| `plan-search` | exponential"), page);
  }

  @Test
  void everyPolicyHasARowAmongTheRealAllocators() throws IOException {
    JsonNode rows =
        new ObjectMapper().readTree(Files.readAllBytes(MODULE.resolve("real-allocators.json")));
    Set<String> named = new TreeSet<>();
    rows.get("allocators")
        .forEach(each -> each.get("policies").forEach(policy -> named.add(policy.asString())));
    rows.get("plans").forEach(each -> named.add(each.get("policy").asString()));
    Set<String> ids = new TreeSet<>();
    Policies.all().forEach(provider -> ids.add(provider.spec().id()));
    assertEquals(ids, named);
  }

  @ParameterizedTest
  @CsvSource({"1, ns_per_", "2, nanos_per_"})
  void resultsOfBenchBecomeATable(int version, String nanosPer, @TempDir Path folder)
      throws IOException {
    Files.writeString(
        folder.resolve("laptop.json"),
        """
        {"schema": "allocsim-bench-VERSION", "runs": 2, "not_run": {"stalloc on gpt": "needs phases"},
         "machine": {"cpu": "a cpu", "cores": 2, "system": "Linux amd64", "jdk": "25"},
         "measurements": [{"id": "replay/gpt/pytorch", "what": "replay of gpt, pytorch",
          "unit": "event", "events": 1000, "events_per_second": 2.5E7, "PER_request": 60.0,
          "plain_bytes_per_second": null, "cpu_share": 0.991, "allocated_bytes_per_event": 0.02,
          "PER_event": {"median": 40.0, "lower_quartile": 38.0, "upper_quartile": 42.0}}]}
        """
            .replace("VERSION", Integer.toString(version))
            .replace("PER_", nanosPer));
    String page = page(folder);
    assertTrue(
        page.contains(
            """
            | replay of gpt, pytorch | 40.0 | 38.0 to 42.0 | 25.0 |  | 60.0 | 0.0 | 99 % |

            - not run: stalloc on gpt: needs phases
            """),
        page);
  }
}
