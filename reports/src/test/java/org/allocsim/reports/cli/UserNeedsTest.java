package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Questions that users ask in public, put to the commands on programs of known sizes. */
class UserNeedsTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;

  @TempDir Path folder;

  private Path record(String conf, Consumer<AllocationTrace.Builder> program) throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    program.accept(trace);
    return SyntheticSnapshot.write(
        trace.build(StackTable.empty()), conf, folder.resolve("program.pickle"));
  }

  private static int allocate(AllocationTrace.Builder trace, long bytes) {
    return trace.allocate(bytes, 0, PoolId.DEFAULT);
  }

  private static JsonNode json(Object... arguments) {
    CommandRun run =
        CommandRun.of(Stream.concat(Arrays.stream(arguments), Stream.of("--json", "-")).toArray());
    assertTrue(
        run.exitCode() == ExitCodes.DONE || run.exitCode() == ExitCodes.CHECK_DID_NOT_HOLD,
        run.err());
    return new ObjectMapper().readTree(run.out());
  }

  /** vllm-project/vllm#41268: weights are converted layer by layer. */
  private static void convertWeights(AllocationTrace.Builder trace) {
    for (int layer = 0; layer < 36; layer++) {
      int temporary = allocate(trace, 530 * MIB);
      allocate(trace, 530 * MIB);
      trace.free(temporary);
      allocate(trace, 270 * MIB);
    }
  }

  @Test
  void tuneFindsTheSplitLimitThatSavesALoad() throws IOException {
    JsonNode json = json("tune", record("", UserNeedsTest::convertWeights), "--capacity", "80GiB");
    int plainRank = -1;
    int seen = 0;
    for (JsonNode setting : json.get("settings")) {
      String conf = setting.get("conf").asString();
      double reserved = setting.get("peak_reserved_bytes").asDouble() / GIB;
      if (conf.isEmpty()) {
        plainRank = setting.get("rank").asInt();
        assertEquals(37.27, reserved, 0.005);
      } else if (conf.matches("max_split_size_mb:(20|32|64|128|256|512)")) {
        seen++;
        assertEquals(28.64, reserved, 0.005, conf);
        assertEquals(-1, plainRank, conf + " ranks above the default");
      }
      assertTrue(setting.get("driver_seconds").asDouble() > 0);
      assertTrue(setting.has("forced_synchronizations"));
      assertTrue(setting.has("step_mean_nanos"));
    }
    assertTrue(plainRank > 0);
    assertTrue(seen >= 3, "only " + seen + " split limits were tried");
    assertTrue(json.get("verdict").get("paste_line").asString().startsWith("export PYTORCH"));
    JsonNode large =
        json("replay", folder.resolve("program.pickle"), "--conf", "max_split_size_mb:600");
    assertEquals(37.27, large.get("stats").get("reserved_bytes.all.peak").asDouble() / GIB, 0.005);
  }

  @ParameterizedTest
  @ValueSource(strings = {"pytorch", "bfc", "direct", "cuda-async", "rmm-pool(initial=1GiB)"})
  void theProgramPassesOnTheSmallestGpuAndNotOnASmallerOne(String policy) throws IOException {
    Path file = record("", UserNeedsTest::convertWeights);
    JsonNode json = json("min-capacity", file, "--policies", policy);
    for (JsonNode setting : json.get("settings")) {
      long capacity = setting.get("capacity_bytes").asLong();
      assertTrue(capacity >= json.get("peak_requested_bytes").asLong());
      String conf = setting.get("conf").isNull() ? null : setting.get("conf").asString();
      assertTrue(passes(file, policy, conf, capacity), conf);
      assertFalse(passes(file, policy, conf, capacity - 2 * MIB), conf);
    }
  }

  private static boolean passes(Path file, String policy, String conf, long capacityBytes) {
    List<Object> arguments =
        new ArrayList<>(List.of("replay", file, "--policy", policy, "--capacity", capacityBytes));
    if (conf != null) {
      arguments.addAll(List.of("--conf", conf));
    }
    return json(arguments.toArray()).get("failed_requests").isEmpty();
  }

  /** Also with streams of the program's own, whose making takes memory from the GPU. */
  @Test
  void replayAgreesWithMinCapacityOnAProgramWithStreams() {
    Path file = CommandRun.recording("prefetch_streams.pickle.xz");
    for (JsonNode setting : json("min-capacity", file).get("settings")) {
      String conf = setting.get("conf").asString();
      long capacity = setting.get("capacity_bytes").asLong();
      assertTrue(passes(file, "pytorch", conf, capacity), conf);
      assertFalse(passes(file, "pytorch", conf, capacity - 2 * MIB), conf);
    }
  }

  /** pytorch#193400: a canary of 64 MiB; in each cycle 91 MiB and 45.5 MiB, and 2 MiB stay. */
  @ParameterizedTest
  @CsvSource({
    "'max_split_size_mb:128,expandable_segments:True', 14060",
    "max_split_size_mb:128, 422",
    "expandable_segments:True, 420",
  })
  void twoSettingsThatPoisonEachOtherReserveWhatIsPublished(String conf, long mib)
      throws IOException {
    Path file =
        record(
            "",
            trace -> {
              allocate(trace, 64 * MIB);
              for (int cycle = 0; cycle <= 100; cycle++) {
                int a = allocate(trace, 91 * MIB);
                int b = allocate(trace, 91 * MIB / 2);
                allocate(trace, 2 * MIB);
                trace.free(a);
                trace.free(b);
              }
            });
    assertEquals(mib * MIB, peak("replay", file, "--conf", conf, "--torch-version", "2.12"));
  }

  private static long peak(Object... arguments) {
    return json(arguments).get("stats").get("reserved_bytes.all.peak").asLong();
  }

  /** A step with Adam: states of twice the weights come with its first step. */
  @Test
  void peakByPhaseShowsTheStatesOfAdam() throws IOException {
    Path file =
        record(
            "",
            trace -> {
              trace.markerBegin("load");
              allocate(trace, 100 * MIB);
              trace.markerEnd("load");
              int gradients = allocate(trace, 100 * MIB);
              trace.markerBegin("Optimizer.step#Adam.step");
              allocate(trace, 100 * MIB);
              allocate(trace, 100 * MIB);
              trace.markerEnd("Optimizer.step#Adam.step");
              trace.free(gradients);
            });
    JsonNode json = json("peak", file, "--by", "phase");
    long sum = 0;
    for (JsonNode group : json.get("groups")) {
      sum += group.get("allocated_bytes").asLong();
      if (group.get("label").asString().contains("Adam.step")) {
        assertEquals(200 * MIB, group.get("allocated_bytes").asLong());
      }
    }
    assertEquals(json.get("moment").get("allocated_bytes").asLong(), sum);
    assertEquals(400 * MIB, sum);
  }

  @Test
  void checkSaysWithItsExitCodeWhetherLimitsAreKept() throws IOException {
    Path file = record("", trace -> trace.free(allocate(trace, 100 * MIB)));
    List<Object> within = List.of("check", file, "--max-reserved", "100MiB");
    assertEquals(ExitCodes.DONE, CommandRun.of(within.toArray()).exitCode());
    List<Object> beyond = new ArrayList<>(List.of("check", file, "--max-reserved", "99MiB"));
    CommandRun run = CommandRun.of(beyond.toArray());
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode());
    assertEquals(1, run.out().lines().filter(line -> line.startsWith("FAIL")).count());
  }

  /** The history of a program that begins in its middle still adds up. */
  @Test
  void inspectShowsWhatAHistoryLacks() {
    JsonNode json = json("inspect", CommandRun.recording("prefetch_streams.pickle.xz"));
    for (JsonNode history : json.get("histories")) {
      assertEquals(history.get("final_live_bytes"), history.get("last_live_bytes"));
      assertEquals(0, history.get("orphan_frees").asInt());
    }
    JsonNode part =
        json(
            "inspect",
            CommandRun.recording("prefetch_streams.pickle.xz"),
            "--from",
            10,
            "--to",
            20);
    assertEquals(10, part.get("devices").get(0).get("events").asInt());
    assertEquals(
        ExitCodes.USAGE,
        CommandRun.of(
                "inspect",
                CommandRun.recording("prefetch_streams.pickle.xz"),
                "--from",
                20,
                "--to",
                10)
            .exitCode());
  }
}
