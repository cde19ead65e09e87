package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

class PerturbCommandTest {
  private static final long GIB = 1L << 30;

  @TempDir Path folder;
  private Path file;

  /** Three tensors that fill a GPU of 12 GiB, after small ones whose order does not matter. */
  @BeforeEach
  void record() throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    for (int i = 0; i < 3; i++) {
      trace.free(trace.allocate(1000 + i, 0, PoolId.DEFAULT));
    }
    for (long bytes : new long[] {3 * GIB, 4 * GIB, 5 * GIB - (4 << 20)}) {
      trace.allocate(bytes, 0, PoolId.DEFAULT);
    }
    file =
        SyntheticSnapshot.write(trace.build(StackTable.empty()), folder.resolve("program.pickle"));
  }

  private CommandRun perturb(Object... options) {
    return CommandRun.of(
        Stream.concat(Stream.of("perturb", file), Arrays.stream(options)).toArray());
  }

  private JsonNode json(Object... options) {
    CommandRun run =
        perturb(Stream.concat(Arrays.stream(options), Stream.of("--json", "-")).toArray());
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void aProgramThatFillsItsGpuFailsInAboutHalfOfItsCopies() {
    JsonNode json = json("--resize", "2%", "--runs", 300, "--capacity", "12GiB");
    assertTrue(json.get("unchanged").get("passes").asBoolean());
    assertEquals(300, json.get("copies").size());
    int failed = 0;
    for (JsonNode each : json.get("copies")) {
      failed += each.get("passes").asBoolean() ? 0 : 1;
    }
    assertEquals(failed, json.get("failed_runs").asInt());
    double share = json.get("failed_runs_ratio").asDouble();
    assertTrue(share > 0.3 && share < 0.7, "share " + share);
    assertTrue(json.get("failed_runs_ratio_interval").get(0).asDouble() < share);
    assertTrue(json.get("failed_runs_ratio_interval").get(1).asDouble() > share);
    JsonNode peaks = json.get("peak_reserved_bytes");
    assertTrue(peaks.get("min").asLong() < peaks.get("median").asLong());
    assertTrue(peaks.get("median").asLong() <= peaks.get("max").asLong());
    assertTrue(peaks.get("max").asLong() <= 12 * GIB);
  }

  @Test
  void theSameSeedsGiveTheSameAnswers() {
    Object[] options = {"--resize", "2", "--swap-adjacent", "--runs", 40, "--capacity", "12GiB"};
    String first = perturb(options).out();
    assertEquals(first, perturb(options).out());
    assertTrue(first.contains(" of 40 randomly perturbed copies ("), first);
  }

  @Test
  void theWorstSeedCanBeHadAgainAlone() {
    JsonNode worst =
        json("--resize", "\u00b12%", "--runs", 50, "--seed", 7, "--capacity", "12GiB").get("worst");
    JsonNode again =
        json("--resize", "2%", "--runs", 1, "--seed", worst.get("seed"), "--capacity", "12GiB");
    assertEquals(worst, again.get("worst"));
    assertEquals(worst, again.get("copies").get(0));
  }

  @Test
  void theOrderOfTensorsThatAllFitDoesNotMatter() {
    JsonNode json = json("--swap-adjacent", "--runs", 20, "--capacity", "12GiB");
    assertEquals(0, json.get("failed_runs").asInt());
    assertEquals(0.0, json.get("failed_runs_ratio_interval").get(0).asDouble());
    assertEquals(
        json.get("unchanged").get("peak_reserved_bytes"),
        json.get("peak_reserved_bytes").get("max"));
  }

  /** Where 5 GiB come before 6 GiB the freed 10 GiB are carved up; the other way they are not. */
  @Test
  void theOrderOfTwoTensorsDecidesWhetherTheyFit() throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.free(trace.allocate(10 * GIB, 0, PoolId.DEFAULT));
    trace.allocate(6 * GIB, 0, PoolId.DEFAULT);
    trace.allocate(2 * GIB, 0, PoolId.DEFAULT);
    trace.allocate(4 * GIB, 0, PoolId.DEFAULT);
    file = SyntheticSnapshot.write(trace.build(StackTable.empty()), folder.resolve("order.pickle"));
    JsonNode json = json("--swap-adjacent", "--runs", 60, "--capacity", "12GiB");
    int failed = json.get("failed_runs").asInt();
    assertTrue(failed > 0 && failed < 60, json.toString());
  }

  @Test
  void withoutAChangeNeighboursAreSwappedAndSizesChanged() throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.free(trace.allocate(10 * GIB, 0, PoolId.DEFAULT));
    trace.allocate(6 * GIB, 0, PoolId.DEFAULT);
    file = SyntheticSnapshot.write(trace.build(StackTable.empty()), folder.resolve("some.pickle"));
    JsonNode given = json("--swap-adjacent", "--resize", "2%");
    JsonNode usual = json();
    ((ObjectNode) given).remove("wall_seconds");
    ((ObjectNode) usual).remove("wall_seconds");
    assertEquals(given, usual);
  }

  @ParameterizedTest
  @CsvSource({
    "'--swap-adjacent --runs 0', 'is outside 1..100000'",
    "'--swap-adjacent --resize-each size', '--resize-each needs --resize'",
    "'--resize 100%', 'is not a percentage'",
    "'--resize -1%', 'is not a percentage'",
    "'--resize 2% --resize-each stack', 'is not one of size, request'",
    "'--swap-adjacent --policy none-such', 'is not a policy'",
    "'--swap-adjacent --seed 9223372036854775807', 'is too large to count up from'",
  })
  void wrongUsageIsReported(String options, String message) {
    CommandRun run = perturb((Object[]) options.split(" "));
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains(message), run.err());
  }
}
