package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.analysis.idle.ProfileText;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A profile is joined with a snapshot of its run by the time of day. */
class IdleMemoryTest {
  private static final long MIB = 1 << 20;
  private static final int STEPS = 3;
  private static final int STEP_MICROS = 10_000;

  /** Microseconds of the day at which the profile begins. */
  private static final int BEGIN = 2_000_000;

  @TempDir private Path folder;

  /** Each step asks for memory, computes, and empties the cache. */
  private Path profile(boolean hasCalls) throws IOException {
    ProfileText text = new ProfileText();
    for (int step = 0; step < STEPS; step++) {
      int at = BEGIN + STEP_MICROS * step;
      text.step(step, at, at + STEP_MICROS).operator("aten::empty", at + 10, at + 1_020);
      if (hasCalls) {
        text.call("cudaMalloc", at + 20, at + 1_000);
      }
      text.kernel("gemm", 7, at + 1_030, at + 1_040, at + 1_050, at + 3_000)
          .call("cudaStreamSynchronize", at + 1_050, at + 3_005);
      if (hasCalls) {
        text.call("cudaFree", at + 3_012, at + 5_000);
      }
      text.kernel("gemm", 7, at + 5_100, at + 5_110, at + 5_120, at + 9_990);
    }
    return text.write(folder.resolve("trace.json"));
  }

  /** The history of that run, which begins a second before, with a larger segment. */
  private Path snapshot(boolean isExpandable, int beginMicros) throws IOException {
    String got = isExpandable ? "segment_map" : "segment_alloc";
    String freed = isExpandable ? "segment_unmap" : "segment_free";
    TestSnapshot snapshot =
        new TestSnapshot()
            .under(isExpandable ? "expandable_segments:True" : "")
            .calledFrom("/home/user/job/train.py", 12, "step");
    for (int step = -1; step < STEPS; step++) {
      int at = step < 0 ? beginMicros - 1_000_000 : beginMicros + STEP_MICROS * step;
      long bytes = (step < 0 ? 60 : 40) * MIB;
      snapshot
          .until(at + 1_002)
          .event(got, 64 * MIB, bytes)
          .event("alloc", 64 * MIB, bytes)
          .event("free_requested", 64 * MIB, bytes)
          .event("free_completed", 64 * MIB, bytes)
          .until(isExpandable ? at + 4_990 : at + 3_008)
          .event(freed, 64 * MIB, bytes);
    }
    return snapshot.writeTo(folder);
  }

  private JsonNode answer(Path profile, Path snapshot, Object... more) throws IOException {
    Path json = folder.resolve("idle.json");
    Object[] words = new Object[6 + more.length];
    Object[] first = {"idle", profile, "--memory", snapshot, "--json", json};
    System.arraycopy(first, 0, words, 0, 6);
    System.arraycopy(more, 0, words, 6, more.length);
    CommandRun run = CommandRun.of(words);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return JsonMapper.builder().build().readTree(Files.readString(json));
  }

  private static JsonNode cause(JsonNode answer, String id) {
    for (JsonNode cause : answer.get("causes")) {
      if (cause.get("cause").asString().equals(id)) {
        return cause;
      }
    }
    throw new AssertionError(answer.get("causes").toString());
  }

  @Test
  void eachStepHasItsPeakAndItsCallsOfTheDriver() throws IOException {
    JsonNode answer = answer(profile(true), snapshot(false, BEGIN));
    assertEquals(2L * STEPS, answer.get("matched_segments").asLong());
    assertEquals(0, answer.get("unmatched_segments").asLong());
    assertEquals(0, answer.get("replay_error_nanos").asLong());
    for (int step = 0; step < STEPS; step++) {
      JsonNode calls = answer.get("driver_calls").get(step);
      assertEquals("ProfilerStep#" + step, calls.get("name").asString());
      assertEquals(1, calls.get("allocations").asInt());
      assertEquals(40 * MIB, calls.get("allocated_bytes").asLong());
      assertEquals(1, calls.get("frees").asInt());
      assertEquals(40 * MIB, calls.get("freed_bytes").asLong());
      assertEquals(0, calls.get("retries").asInt());
      assertEquals(40 * MIB, answer.get("steps").get(step).get("peak_reserved_bytes").asLong());
    }
    assertEquals(60 * MIB, answer.get("modelled_peak_reserved_bytes").asLong());
    assertEquals(
        "job/train.py:12 (step)",
        cause(answer, "empty-cache").get("where").asString(),
        "the snapshot has the line that the profile has not");
  }

  @Test
  void requestsOfTheSnapshotRunAgainUnderOtherSettings() throws IOException {
    JsonNode answer = answer(profile(true), snapshot(false, BEGIN), "--what-if", "no-empty-cache");
    JsonNode kept = answer.get("what_if").get(1);
    assertTrue(
        kept.get("step_nanos").asLong()
            < answer.get("what_if").get(0).get("step_nanos").asLong() - 2_000_000,
        answer.get("what_if").toString());
    assertEquals(60 * MIB, kept.get("peak_reserved_bytes").asLong());
  }

  @Test
  void pagesOfExpandableSegmentsAreCallsThatTheProfileLacks() throws IOException {
    Path profile = profile(false);
    JsonNode answer = answer(profile, snapshot(true, BEGIN));
    JsonNode cleared = cause(answer, "empty-cache");
    // From the begin of the operator to the entry, and from the end of the synchronisation to it.
    assertEquals(
        STEPS * (992_000L + 1_985_000L), cleared.get("idle_nanos").asLong(), answer::toString);
    assertEquals("job/train.py:12 (step)", cleared.get("where").asString());
    assertEquals(1, answer.get("driver_calls").get(0).get("frees").asInt());
    assertEquals(0, answer.get("replay_error_nanos").asLong());
    CommandRun alone = CommandRun.of("idle", profile);
    assertFalse(alone.out().contains("empty_cache"), alone.out());
  }

  @Test
  void aSnapshotOfAnotherTimeIsRefused() throws IOException {
    Path profile = profile(true);
    CommandRun before =
        CommandRun.of("idle", profile, "--memory", snapshot(false, BEGIN - 500_000));
    assertEquals(ExitCodes.FAILED, before.exitCode());
    assertTrue(before.err().contains("its history ends 477 ms before"), before.err());
    CommandRun after =
        CommandRun.of("idle", profile, "--memory", snapshot(false, BEGIN + 2_000_000));
    assertEquals(ExitCodes.FAILED, after.exitCode());
    assertTrue(after.err().contains("its history begins"), after.err());
    assertEquals(1, after.err().lines().count(), after.err());
  }

  @Test
  void aSnapshotOfAnotherRunAtThatTimeIsRefused() throws IOException {
    CommandRun run =
        CommandRun.of("idle", profile(true), "--memory", snapshot(false, BEGIN + 5_300));
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("it is not of the run of"), run.err());
  }

  @Test
  void whatIsNoSnapshotAndSeveralProfilesAreRefused() throws IOException {
    Path profile = profile(true);
    CommandRun none = CommandRun.of("idle", profile, "--memory", profile);
    assertEquals(ExitCodes.FAILED, none.exitCode());
    assertTrue(none.err().contains("it is not a memory snapshot"), none.err());
    CommandRun two = CommandRun.of("idle", profile, profile, "--memory", profile);
    assertEquals(ExitCodes.USAGE, two.exitCode());
    assertTrue(two.err().contains("--memory takes one profile"), two.err());
  }
}
