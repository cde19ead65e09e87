package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.jsonl.JsonLinesFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class FitCommandTest {
  private static final long MIB = 1L << 20;

  @TempDir Path folder;
  private Path eight;
  private Path sixteen;

  @BeforeEach
  void writeRuns() throws IOException {
    eight = write("batch8.jsonl", 8);
    sixteen = write("batch16.jsonl", 16);
  }

  /** 100 MiB that stay, and ten MiB for each of the batch. */
  private Path write(String name, int batch) throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.allocate(100 * MIB, 0, PoolId.DEFAULT);
    trace.free(trace.allocate(10 * MIB * batch, 0, PoolId.DEFAULT));
    Path file = folder.resolve(name);
    try (var stream = Files.newOutputStream(file)) {
      new JsonLinesFormat()
          .writer()
          .orElseThrow()
          .write(trace.build(StackTable.empty()), 0, stream);
    }
    return file;
  }

  @Test
  void theFileNamesSayTheSizes() {
    CommandRun run =
        CommandRun.of("fit", "--batch", 64, eight, sixteen, "--capacity", "1GiB", "--json", "-");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    JsonNode settings = new ObjectMapper().readTree(run.out()).get("settings");
    for (JsonNode setting : settings) {
      assertEquals(740 * MIB, setting.get("peak_reserved_bytes").asLong(), run.out());
      assertEquals(92, setting.get("largest_size").asLong(), "100 + 92 × 10 MiB fit 1 GiB");
    }
    assertEquals(2, settings.size(), "the recorded settings and expandable segments");
  }

  @Test
  void sizesThatAreGivenReplaceThoseOfTheNames() {
    CommandRun run =
        CommandRun.of("fit", "--batch", 64, "--sizes", "4,8", eight, sixteen, "--json", "-");
    JsonNode setting = new ObjectMapper().readTree(run.out()).get("settings").get(0);
    assertEquals(1380 * MIB, setting.get("peak_reserved_bytes").asLong(), run.out());
  }

  @Test
  void wrongSizesAreSaid() {
    CommandRun run = CommandRun.of("fit", "--batch", 64, "--sizes", "8,9", eight, sixteen);
    assertTrue(run.out().contains("No request grows with --sizes"), run.out());
  }

  @Test
  void namesThatContradictTheRequestsAreRefused() throws IOException {
    Path nine = Files.move(sixteen, folder.resolve("batch9.jsonl"));
    CommandRun run = CommandRun.of("fit", "--batch", 64, eight, nine);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("--sizes"), run.err());
  }

  @Test
  void aSizeThatFitsUnderNoSettingIsACheckThatDidNotHold() {
    CommandRun run = CommandRun.of("fit", "--batch", 93, eight, sixteen, "--capacity", "1GiB");
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertTrue(run.out().replaceAll("\\s+", " ").contains("a request fails"), run.out());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--batch 32 a b | do not show",
        "--batch 0 a8 a16 | not a number above 0",
        "--batch 32 --sizes 8 a b | one per recording",
      })
  void sizesThatAreMissingAreWrongUsage(String options, String words) {
    CommandRun run = CommandRun.of((Object[]) ("fit " + options).split(" "));
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().contains(words), run.err());
  }
}
