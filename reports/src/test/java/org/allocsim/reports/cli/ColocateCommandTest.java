package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

class ColocateCommandTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long SECOND = 1_000_000_000;

  @TempDir Path folder;
  private Path trainer;
  private Path engine;

  /**
   * The trainer has 6 GiB, of which it gives 5 back at second 2; the engine wants 5 at second 3.
   */
  @BeforeEach
  void writePrograms() throws IOException {
    AllocationTrace.Builder trains = new AllocationTrace.Builder();
    trains.at(0, 10 * SECOND, 0);
    trains.allocate(GIB, 0, PoolId.DEFAULT);
    int freed = trains.allocate(5 * GIB, 0, PoolId.DEFAULT);
    trains.at(0, 12 * SECOND, 0);
    trains.free(freed);
    trains.at(0, 14 * SECOND, 0);
    trains.synchronize();
    trainer = write("trainer.jsonl", trains);
    AllocationTrace.Builder serves = new AllocationTrace.Builder();
    serves.at(0, 10 * SECOND, 0);
    serves.allocate(2 * GIB, 0, PoolId.DEFAULT);
    serves.at(0, 13 * SECOND, 0);
    serves.allocate(5 * GIB, 0, PoolId.DEFAULT);
    engine = write("engine.jsonl", serves);
  }

  private Path write(String name, AllocationTrace.Builder trace) throws IOException {
    Path file = folder.resolve(name);
    try (var stream = Files.newOutputStream(file)) {
      new JsonLinesFormat()
          .writer()
          .orElseThrow()
          .write(trace.build(StackTable.empty()), 0, stream);
    }
    return file;
  }

  private static JsonNode json(int exitCode, Object... arguments) {
    Object[] all = new Object[arguments.length + 3];
    all[0] = "colocate";
    all[1] = "--json";
    all[2] = "-";
    System.arraycopy(arguments, 0, all, 3, arguments.length);
    CommandRun run = CommandRun.of(all);
    assertEquals(exitCode, run.exitCode(), run.err());
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void theFirstFailureNamesWhoHoldsTheMemory() {
    // 12 GiB, two contexts of 100 MiB, 6 GiB of the trainer and 2 of the engine leave 3.8.
    CommandRun run =
        CommandRun.of("colocate", trainer, engine, "--capacity", "12GiB", "--context", "100MiB");
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertTrue(
        run.out().startsWith("engine fails first, 3.000 s after the start: its request 1 for 5.00"),
        run.out());
    assertTrue(run.out().contains("trainer holds 6.10 GiB, 5.00 GiB of it cached"), run.out());
    JsonNode first =
        json(3, trainer, engine, "--capacity=12GiB", "--context=100MiB").at("/first_failure/0");
    assertEquals("engine", first.get("process").asString());
    assertEquals(12 * GIB - 8 * GIB - 200 * MIB, first.get("free_bytes").asLong());
    assertEquals(5 * GIB, first.get("requested_bytes").asLong());
    assertEquals(5 * GIB, first.at("/holdings/0/cached_bytes").asLong());
    assertEquals(GIB, first.at("/holdings/0/allocated_bytes").asLong());
    assertEquals(100 * MIB, first.at("/holdings/1/context_bytes").asLong());
  }

  @Test
  void theSmallestGpuIsWhatBothHoldAtOnce() {
    JsonNode answer =
        json(0, trainer, engine, "--capacity=20GiB", "--context=100MiB", "--smallest");
    assertEquals(13 * GIB + 200 * MIB, answer.get("smallest_gpu_bytes").asLong());
    assertEquals(13 * GIB + 200 * MIB, answer.get("peak_bytes").asLong());
    assertEquals(3.0, answer.get("peak_seconds").asDouble());
    // With the cache off, the trainer has given 5 GiB back when the engine asks.
    JsonNode direct =
        json(
            0,
            trainer + ",policy=direct",
            engine + ",policy=direct",
            "--capacity=20GiB",
            "--context=100MiB",
            "--smallest");
    assertEquals(8 * GIB + 200 * MIB, direct.get("smallest_gpu_bytes").asLong());
  }

  @Test
  void limitsAreThoseWithWhichAllRun() {
    JsonNode ample = json(0, trainer, engine, "--capacity=20GiB", "--context=100MiB", "--limits");
    assertEquals(6 * GIB, ample.at("/processes/0/min_limit_bytes").asLong());
    assertTrue(ample.at("/processes/0/max_limit_bytes").isNull());
    assertEquals(7 * GIB, ample.at("/processes/1/min_limit_bytes").asLong());
    // No limit of either makes room for 13 GiB in 12.
    JsonNode small = json(3, trainer, engine, "--capacity=12GiB", "--context=100MiB", "--limits");
    assertTrue(small.at("/processes/0/min_limit_bytes").isNull());
  }

  @Test
  void settingsAfterACommaAreOfOneProcess() {
    JsonNode answer =
        json(
            0,
            trainer + ",name=a,context=1GiB,other=512MiB,start=2.5,end=exit,memory-limit=7GiB",
            engine + ",policy=rmm-pool(initial=8GiB;max=9GiB)",
            "--capacity=30GiB");
    JsonNode first = answer.at("/processes/0");
    assertEquals("a", first.get("process").asString());
    assertEquals(7 * GIB, first.get("limit_bytes").asLong());
    assertEquals(2.5, first.get("start_seconds").asDouble());
    assertEquals(6.5, first.get("end_seconds").asDouble());
    assertTrue(first.get("exits").asBoolean());
    assertEquals(GIB, first.at("/at_end/0/context_bytes").asLong());
    assertEquals(512 * MIB, first.at("/at_end/0/other_bytes").asLong());
    assertEquals(7 * GIB + 512 * MIB, first.get("peak_bytes").asLong());
    assertEquals(
        8 * GIB,
        answer.at("/processes/1/at_end/0/allocated_bytes").asLong()
            + answer.at("/processes/1/at_end/0/cached_bytes").asLong());
  }

  @Test
  void contextsAreThoseThatWereMeasured() {
    JsonNode plain = json(0, trainer, engine, "--device=h200");
    assertEquals(552_402_944, plain.at("/at_peak/0/context_bytes").asLong());
    assertEquals(549_060_608, plain.at("/at_peak/1/context_bytes").asLong());
    JsonNode clients = json(0, trainer, engine, "--device=h200", "--mps");
    assertEquals(619_511_808, clients.at("/at_peak/0/context_bytes").asLong());
    assertEquals(542_113_792, clients.at("/at_peak/1/context_bytes").asLong());
  }

  /** As a Tesla T4 reports it: a limit of 1 GiB leaves a client 1 049 489 392 bytes. */
  @Test
  void aLimitOfMpsLeavesWhatTheDriverReports() {
    JsonNode answer =
        json(
            3,
            trainer + ",mps-limit=7GiB",
            engine + ",mps-limit=1GiB",
            "--device=h200",
            "--mps",
            "--mps-limit=6.5GiB");
    assertEquals(1_049_489_392, answer.at("/processes/1/mps_headroom_bytes").asLong());
    // Nobody's limit is higher than the one for all.
    assertEquals(
        (long) (6.5 * GIB) - 24_252_432, answer.at("/processes/0/mps_headroom_bytes").asLong());
    assertEquals("engine", answer.at("/first_failure/0/process").asString());
    assertEquals(0, answer.at("/first_failure/0/request").asLong());
    assertEquals(2, answer.at("/processes/1/failed_requests").asLong());
    assertEquals(0, answer.at("/processes/0/failed_requests").asLong());
    CommandRun run =
        CommandRun.of("colocate", trainer, engine + ",mps-limit=1GiB", "--device=h200", "--mps");
    assertTrue(run.out().contains("its MPS client limit leaves"), run.out());
  }

  @Test
  void aReportDrawsWhatAllHoldOverTime() throws IOException {
    Path report = folder.resolve("report");
    CommandRun run =
        CommandRun.of(
            "colocate",
            trainer,
            engine,
            "--capacity=12GiB",
            "--context=100MiB",
            "--report",
            report);
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    String chart = Files.readString(report.resolve("shared.svg"));
    assertTrue(chart.contains("engine fails first, 3.000 s after the start"), chart);
    assertTrue(chart.contains("trainer: peak 6.10 GiB"));
    assertTrue(chart.contains("contexts and libraries"));
    assertTrue(chart.contains("the GPU has 12.00 GiB"));
    assertTrue(Files.exists(report.resolve("shared-dark.png")));
    String page = Files.readString(report.resolve("colocate.html"));
    assertTrue(page.contains("<table class=\"plain\""), page);
    for (String title : List.of("At the first failure", "At the combined peak")) {
      assertTrue(page.contains("aria-label=\"" + title + "\"><table"), title);
    }
  }

  @Test
  void aFigureHasTheSeriesThatItDraws() throws IOException {
    Path report = folder.resolve("figure");
    CommandRun run =
        CommandRun.of(
            "colocate",
            trainer,
            engine,
            "--capacity=20GiB",
            "--report",
            report,
            "--figure",
            "one-column");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    String series = Files.readString(report.resolve("shared-series.csv"));
    // The trainer's 6 GiB and the engine's 7, and both contexts.
    assertTrue(series.contains("contexts + trainer + engine"), series);
    assertTrue(Files.exists(report.resolve("shared.pdf")));
  }

  @Test
  void aSliceOfUnknownSizeIsSaidToBeComputed() {
    CommandRun computed = CommandRun.of("colocate", trainer, "--device=b200 3g.90gb");
    assertTrue(computed.out().contains("computed as a fraction"), computed.out());
    CommandRun listed = CommandRun.of("colocate", trainer, "--device=h200 2g.35gb");
    assertTrue(!listed.out().contains("computed"), listed.out());
  }

  @Test
  void aSliceOfAGpuIsAGpu() {
    JsonNode answer = json(0, trainer, "--device=h100 3g.40gb");
    assertEquals("h100-80gb 3g.40gb", answer.get("device").asString());
    assertEquals(40_448 * MIB, answer.get("total_bytes").asLong());
  }

  @Test
  void ranksOfAJobAreProcesses() throws IOException {
    Path ranks = Files.createDirectory(folder.resolve("ranks"));
    Files.copy(CommandRun.recording("cat_growth.pickle.xz"), ranks.resolve("rank0.pickle.xz"));
    Files.copy(CommandRun.recording("cat_growth.pickle.xz"), ranks.resolve("rank1.pickle.xz"));
    JsonNode answer = json(0, ranks + ",context=200MiB", "--device=h200");
    assertEquals(2, answer.get("processes").size());
    assertEquals(200 * MIB, answer.at("/at_peak/1/context_bytes").asLong());
    assertTrue(answer.get("recorded_clock").asBoolean());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ,colour=red            | unknown process setting 'colour'
          ,polici=direct         | did you mean 'policy'?
          ,start=1,start=2       | start is given twice
          ,start=soon            | start=soon is not a time
          ,start=-1              | start=-1 is not a time
          ,end=later             | end=later must be exit or hold
          ,memory-limit=24       | memory-limit: '24'
          ,memory-fraction=2     | memory-fraction: '2' is not a fraction
          ,policy=nonsense       | policy: 'nonsense' is not a policy
          ,memory-limit=1GiB,memory-fraction=0.5 | give memory-limit or memory-fraction, not both
          ,context=2TiB          | exceed the memory of
          ,mps-limit=1GiB        | add --mps
          """)
  void wrongSettingsAreNamed(String settings, String part) {
    CommandRun run = CommandRun.of("colocate", trainer + settings.strip());
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains(part), run.err());
  }
}
