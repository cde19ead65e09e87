package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code replay --insert}: what calls of empty_cache() would have changed. */
class WhatIfTest {
  private static final long GIB = 1L << 30;

  @TempDir Path folder;
  private Path flashlight;

  /** 10 GiB are freed, 5 GiB stay, 6 GiB are asked for (flashlight/flashlight#180). */
  @BeforeEach
  void recordFlashlight() throws IOException {
    flashlight =
        record(trace -> {
          trace.markerBegin("load");
          trace.free(allocate(trace, 10 * GIB));
          trace.markerEnd("load");
          trace.markerBegin("train");
          allocate(trace, 5 * GIB);
          allocate(trace, 6 * GIB);
          trace.markerEnd("train");
        });
  }

  private Path record(Consumer<AllocationTrace.Builder> program) throws IOException {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    program.accept(trace);
    return SyntheticSnapshot.write(
        trace.build(StackTable.empty()), folder.resolve("program.pickle"));
  }

  private static int allocate(AllocationTrace.Builder trace, long bytes) {
    return trace.allocate(bytes, 0, PoolId.DEFAULT);
  }

  private String replay(Object... options) {
    Object[] all = new Object[options.length + 4];
    all[0] = "replay";
    all[1] = flashlight;
    all[2] = "--capacity";
    all[3] = "12GiB";
    System.arraycopy(options, 0, all, 4, options.length);
    CommandRun run = CommandRun.of(all);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return run.out().replaceAll("\\s+", " ");
  }

  @Test
  void withoutACallTheRequestFails() {
    assertTrue(replay().contains("Request 2 failed, asking for 6.00 GiB"));
  }

  @ParameterizedTest
  @CsvSource({"phase-boundaries,2", "request:1,1"})
  void aCallInTheGapLetsTheRequestPass(String place, int calls) {
    String out = replay("--insert", "empty_cache@" + place);
    assertTrue(out.startsWith("Every request succeeds, with at most "), out);
    assertTrue(out.contains("insert empty_cache() was inserted " + calls + " time"), out);
    assertTrue(out.contains("= reserved 11.00 GiB"), out);
  }

  @Test
  void theOldWordForPhaseBoundariesIsStillRead() {
    assertEquals(
        replay("--insert", "empty_cache@phase-boundaries"),
        replay("--insert", "empty_cache@phase-borders"));
  }

  @ParameterizedTest
  @CsvSource({"before-oom", "request:2"})
  void aCallRightBeforeTheRequestDoesNotHelp(String place) {
    String out = replay("--insert", "empty_cache@" + place);
    assertTrue(
        out.contains("(request 2) asked for")
            || out.startsWith("Out of memory: request 2 asked for"),
        out);
    assertTrue(out.contains("empty_cache() was inserted 1 time,"), out);
  }

  @Test
  void theJsonNamesPlaceAndCount() {
    String json = replay("--insert", "empty_cache@phase-boundaries", "--json", "-");
    assertTrue(
        json.contains(
            "\"inserted\": { \"call\": \"empty_cache\", \"place\": \"phase-boundaries\", \"count\":"
                + " 2 }"),
        json);
    assertTrue(json.contains("\"failed_requests\": []"), json);
  }

  /** The trade that users measure: the more often, the less is reserved and the longer it takes. */
  @Test
  void moreCallsReserveLessAndTakeLonger() throws IOException {
    flashlight =
        record(trace -> {
          for (int step = 0; step < 40; step++) {
            trace.markerBegin("step#" + step);
            trace.free(allocate(trace, (100L + 7L * (step * 13 % 40)) << 20));
            trace.markerEnd("step#" + step);
          }
        });
    double[] seconds = new double[3];
    int i = 0;
    for (String place : new String[] {"request:0", "every:10", "every:1"}) {
      String json = replay("--insert", "empty_cache@" + place, "--json", "-");
      seconds[i++] =
          Double.parseDouble(json.replaceAll(".*\"driver_seconds\": ([0-9.E-]+).*", "$1"));
    }
    assertTrue(seconds[0] < seconds[1] && seconds[1] < seconds[2]);
  }

  @Test
  void nothingIsInsertedWhereNothingFails() {
    CommandRun run = CommandRun.of("replay", flashlight, "--insert", "empty_cache@before-oom");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("no empty_cache() was inserted: no request fails without it"));
  }

  @ParameterizedTest
  @CsvSource({
    "empty_cache@every:0,needs a distance",
    "empty_cache@sometimes,is not one of",
    "clear@every:1,is not one of",
    "empty_cache@request:3,has fewer allocation requests",
  })
  void placesThatAreNoneAreWrongUsage(String option, String message) {
    CommandRun run = CommandRun.of("replay", flashlight, "--insert", option);
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains(message), run.err());
  }

  @Test
  void stepsAndPhasesThatAreNotThereAreReported() throws IOException {
    CommandRun steps = CommandRun.of("replay", flashlight, "--insert", "empty_cache@every:2");
    assertEquals(ExitCodes.FAILED, steps.exitCode());
    assertTrue(steps.err().contains("record more iterations"), steps.err());
    Path plain = record(trace -> trace.free(allocate(trace, GIB)));
    CommandRun phases = CommandRun.of("replay", plain, "--insert", "empty_cache@phase-boundaries");
    assertEquals(ExitCodes.FAILED, phases.exitCode());
    assertTrue(phases.err().contains("it has no phases"), phases.err());
  }

  @Test
  void recordedAddressesDoNotFitAnotherProgram() {
    CommandRun run =
        CommandRun.of(
            "replay", flashlight, "--addresses", "recorded", "--insert", "empty_cache@request:0");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("--insert changes the program"), run.err());
  }
}
