package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyCommandTest {
  private static final long MIB = 1L << 20;

  @TempDir private Path folder;

  @Test
  void aRecordingIsExactInEventsBlocksAndStatistics() throws IOException {
    Path file = CommandRun.recording("prefetch_streams.pickle.xz");
    CommandRun run =
        CommandRun.of("verify", file, "--stats", CommandRun.recording("prefetch_streams.json.xz"));
    assertEquals(ExitCodes.DONE, run.exitCode(), run.out() + run.err());
    Golden.assertGolden("verify-prefetch-streams.txt", run.out().replace(file.toString(), "FILE"));
  }

  @Test
  void jsonHasTheContractedKeys() throws IOException {
    Path file = CommandRun.recording("prefetch_streams.pickle.xz");
    Path json = folder.resolve("out.json");
    CommandRun run = CommandRun.of("verify", file, "--json", json);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.out() + run.err());
    Golden.assertGolden(
        "verify-prefetch-streams.json",
        Files.readString(json)
            .replace(file.toString(), "FILE")
            .replaceAll("\"wall_seconds\": [0-9.E-]+", "\"wall_seconds\": 0"));
  }

  @Test
  void everyDeviceHasALine() {
    CommandRun run = CommandRun.of("verify", CommandRun.recording("two_gpu.pickle.xz"));
    assertEquals(ExitCodes.DONE, run.exitCode(), run.out() + run.err());
    assertTrue(run.out().contains("device 0: exact (816 of 816 events"), run.out());
    assertTrue(run.out().contains("device 1: exact (819 of 819 events"), run.out());
  }

  @Test
  void aDivergenceIsShownWithWhatLiesAroundIt() throws IOException {
    Path file =
        new TestSnapshot()
            .event("segment_alloc", 64 * MIB, 2 * MIB)
            .event("alloc", 64 * MIB, 1000)
            .event("alloc", 64 * MIB + 4096, 1000)
            .event("free_requested", 64 * MIB + 4096, 1000)
            .event("free_completed", 64 * MIB + 4096, 1000)
            .event("free_requested", 64 * MIB, 1000)
            .event("free_completed", 64 * MIB, 1000)
            .freeSegment(64 * MIB, 2 * MIB, 1000)
            .writeTo(folder);
    CommandRun run = CommandRun.of("verify", file, "--json", folder.resolve("out.json"));
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertTrue(run.out().contains("diverged at event 2 of 7 events"), run.out());
    assertTrue(run.out().contains("recorded   alloc addr=" + (64 * MIB + 4096)), run.out());
    assertTrue(run.out().contains("simulated  alloc addr=" + (64 * MIB + 1024)), run.out());
    assertTrue(run.out().contains("> entry 2"), run.out());
    assertTrue(run.out().contains("--memory-fraction"), run.out());
    String json = Files.readString(folder.resolve("out.json"));
    assertTrue(json.contains("\"events_recorded\": 7,\n  \"events_matched\": 2,\n"), json);
    assertTrue(json.contains("\"exact\": false,\n  \"first_divergence\": {"), json);
    assertTrue(json.contains("\"index\": 2,"), json);
  }

  @Test
  void wrongStatisticsAreADifference() throws IOException {
    Path stats = Files.writeString(folder.resolve("stats.json"), "{\"num_ooms\": 7, \"later\": 1}");
    CommandRun run =
        CommandRun.of(
            "verify", CommandRun.recording("prefetch_streams.pickle.xz"), "--stats", stats);
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertTrue(run.out().contains("num_ooms: recorded 7, simulated 0"), run.out());
  }

  @Test
  void synchronizationsThatLeaveNoEventAreReportedAndNoDifference() throws IOException {
    Path recording = CommandRun.recording("prefetch_streams.pickle.xz");
    Path more = Files.writeString(folder.resolve("more.json"), "{\"num_sync_all_streams\": 7}");
    CommandRun run = CommandRun.of("verify", recording, "--stats", more);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertTrue(run.out().contains("num_sync_all_streams: recorded 7, simulated 0"), run.out());
    Path fewer = Files.writeString(folder.resolve("fewer.json"), "{\"num_sync_all_streams\": -1}");
    assertEquals(
        ExitCodes.CHECK_DID_NOT_HOLD,
        CommandRun.of("verify", recording, "--stats", fewer).exitCode());
  }

  @Test
  void savedStatisticsThatAreNoneAreRefused() throws IOException {
    Path stats = Files.writeString(folder.resolve("stats.json"), "[]");
    CommandRun run =
        CommandRun.of(
            "verify", CommandRun.recording("prefetch_streams.pickle.xz"), "--stats", stats);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("stats.json: it is not a JSON object; save"), run.err());
  }

  @Test
  void savedStatisticsGoWithOneSnapshot() {
    CommandRun run = CommandRun.of("verify", "a", "b", "--stats", "c");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("--stats needs a single snapshot"), run.err());
  }

  @Test
  void anUnreadableFileDoesNotKeepTheOthersFromBeingVerified() throws IOException {
    Path damaged = Files.writeString(folder.resolve("damaged"), "no pickle");
    Path json = folder.resolve("out.json");
    CommandRun run =
        CommandRun.of(
            "verify", damaged, CommandRun.recording("prefetch_streams.pickle.xz"), "--json", json);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.out().contains("device 0: exact"), run.out());
    assertTrue(Files.readString(json).contains("\"error\": "), "the file is named");
    assertTrue(Files.readString(json).contains("\"exact\": false,"), "the whole is not exact");
  }

  @Test
  void jsonOnStandardOutputIsNotMixedWithText() {
    CommandRun run =
        CommandRun.of("verify", CommandRun.recording("two_gpu.pickle.xz"), "--json", "-");
    assertTrue(run.out().startsWith("{\n"), run.out());
    assertTrue(run.out().endsWith("}\n"), run.out());
    assertFalse(run.out().contains("device 0: exact"), run.out());
  }
}
