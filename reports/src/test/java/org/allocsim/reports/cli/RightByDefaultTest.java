package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What a recording says of GPU, limit, release and device, and what users give in its place. */
class RightByDefaultTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long ADDRESS = 1L << 40;
  private static final Path SAMPLE = Path.of("samples", "train_gpt.pickle.xz");

  @TempDir private Path folder;

  private static String done(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals("", run.err());
    return run.out().replaceAll("\\s+", " ");
  }

  private static JsonNode json(Object... arguments) {
    List<Object> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(List.of("--json", "-"));
    return new ObjectMapper().readTree(CommandRun.of(all.toArray()).out());
  }

  /** Gets a block of so many bytes and gives it back; its segment stays. */
  private static TestSnapshot cached(TestSnapshot snapshot, long address, long bytes) {
    return snapshot
        .event("segment_alloc", address, bytes)
        .event("alloc", address, bytes)
        .event("free_requested", address, bytes)
        .event("free_completed", address, bytes)
        .freeSegment(address, bytes, bytes);
  }

  /** Gets a block and keeps asking for another that is refused with so much free on the GPU. */
  private static TestSnapshot failing(long heldBytes, long wantedBytes, long freeBytes) {
    return new TestSnapshot()
        .event("segment_alloc", ADDRESS, heldBytes)
        .event("alloc", ADDRESS, heldBytes)
        .event("oom", freeBytes, wantedBytes)
        .event("free_requested", ADDRESS, heldBytes)
        .event("free_completed", ADDRESS, heldBytes)
        .freeSegment(ADDRESS, heldBytes, heldBytes);
  }

  /** 23.05 GiB held and 197 MiB free are a GPU of 24 GB, whatever the default is. */
  @Test
  void theGpuIsAsLargeAsWhatWasHeldAndFreeWhenARequestFailed() throws IOException {
    Path full = failing(23_604 * MIB, 600 * MIB, 197 * MIB).writeTo(folder);
    assertTrue(done("replay", full).contains("GPU 0 has a total capacity of 23."));
    JsonNode tuned = json("tune", full);
    assertFalse(tuned.get("can_fit").asBoolean(), tuned.toString());
    String account = done("account", full);
    assertTrue(account.contains("+ unexplained 0 B"), account);
    assertTrue(
        account.contains("the smallest with as much memory as the recording shows"), account);
  }

  @Test
  void aShareIsOneOfTheGpuThatTheRecordingShows() {
    assertTrue(done("replay", SAMPLE, "--memory-fraction", "0.39").contains("limit 9.22 GiB"));
    assertTrue(done("blockers", SAMPLE, "--memory-fraction", "0.39").contains("held open"));
    String chosen = done("replay", SAMPLE, "--memory-fraction", "0.39", "--device", "h100-80gb");
    assertTrue(chosen.contains("limit 30.88 GiB"), chosen);
  }

  @Test
  void theAccountOfTheSampleIsOfItsOwnGpu() {
    String account = done("account", SAMPLE);
    assertTrue(account.contains("= the GPU 23.65 GiB"), account);
    assertTrue(account.contains("+ unexplained 0 B"), account);
  }

  @Test
  void anotherReleaseKeepsTheLimitThatTheRecordingShows() {
    String older = done("replay", SAMPLE, "--torch-version", "2.5");
    assertTrue(older.contains("policy pytorch 2.5"), older);
    assertTrue(older.contains("limit 9.26 GiB"), older);
    assertTrue(older.startsWith("Out of memory: "), older);
  }

  @Test
  void theLimitRefusedTheRequestAlsoWhereTheReleaseDoesNotPrintIt() {
    String older = CommandRun.of("diagnose", SAMPLE, "--torch-version", "2.2").out();
    assertTrue(older.contains("allocator's own limit of 9.26 GiB"), older);
  }

  /** Of two devices the second fails; the first holds more and has no limit. */
  private Path twoDevices() throws IOException {
    TestSnapshot snapshot = cached(new TestSnapshot(), 2 * ADDRESS, 900 * MIB).nextDevice();
    return failing(snapshot, 200 * MIB).writeTo(folder);
  }

  /** 100 MiB are in use when the allocator refuses more, with 60 GiB free on the GPU. */
  private static TestSnapshot failing(TestSnapshot snapshot, long wantedBytes) {
    return snapshot
        .event("segment_alloc", ADDRESS, 100 * MIB)
        .event("alloc", ADDRESS, 100 * MIB)
        .event("oom", 60 * GIB, wantedBytes)
        .event("free_requested", ADDRESS, 100 * MIB)
        .event("free_completed", ADDRESS, 100 * MIB)
        .freeSegment(ADDRESS, 100 * MIB, 100 * MIB);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tune", "compare", "replay", "diagnose", "blockers", "account", "peak"})
  void theDeviceThatFailedIsLookedAtThoughAnotherHoldsMore(String command) throws IOException {
    CommandRun run = CommandRun.of(command, twoDevices());
    assertEquals("", run.err());
    assertTrue(run.out().contains("device 1"), run.out());
  }

  @Test
  void aDeviceWithoutHistoryIsNotLookedAt() throws IOException {
    TestSnapshot snapshot = new TestSnapshot().nextDevice();
    Path second = cached(snapshot, ADDRESS, 900 * MIB).writeTo(folder);
    assertTrue(done("tune", second).contains("events of device 1"));
    assertTrue(done("leaks", SAMPLE).contains("device 0"));
  }

  @Test
  void eachDeviceHasALimitOfItsOwn() throws IOException {
    Path two = twoDevices();
    assertEquals(300 * MIB - 1, json("tune", two).get("limit_bytes").asLong());
    JsonNode other = json("tune", two, "--device-index", "0");
    assertTrue(other.get("limit_bytes").isNull(), other.toString());
    assertEquals(ExitCodes.DONE, CommandRun.of("verify", two).exitCode());
  }

  /** Of 100 MiB 60 are in use when 80 more are refused, with 60 GiB free on the GPU. */
  @Test
  void aSettingThatNotEveryShownLimitServesIsNotSaidToSaveTheRun() throws IOException {
    Path refused =
        new TestSnapshot()
            .event("segment_alloc", ADDRESS, 100 * MIB)
            .event("alloc", ADDRESS, 100 * MIB)
            .event("free_requested", ADDRESS, 100 * MIB)
            .event("free_completed", ADDRESS, 100 * MIB)
            .event("alloc", ADDRESS, 60 * MIB)
            .event("oom", 60 * GIB, 80 * MIB)
            .event("free_requested", ADDRESS, 60 * MIB)
            .event("free_completed", ADDRESS, 60 * MIB)
            .freeSegment(ADDRESS, 100 * MIB, 100 * MIB)
            .writeTo(folder);
    assertEquals(100 * MIB, json("tune", refused).get("min_limit_bytes").asLong());
    String between = "it was between 100.00 MiB and 180.00 MiB";
    for (String command : List.of("tune", "compare", "diagnose")) {
      String said = done(command, refused).replaceAll("\\s+", " ");
      assertTrue(said.contains(between), said);
    }
    String shown = done("diagnose", refused).replaceAll("\\s+", " ");
    assertTrue(shown.contains(" saved the run if its limit was 140.00 MiB or more:"), shown);
    String given = done("diagnose", refused, "--memory-limit", "150MiB").replaceAll("\\s+", " ");
    assertTrue(given.contains(" saved the run: every recorded request succeeds"), given);
    assertFalse(given.contains("between"), given);
  }

  @Test
  void anOldReleaseIsRecommendedExpandableSegmentsAlone() {
    JsonNode tuned = json("tune", SAMPLE, "--torch-version", "2.2");
    List<String> tried = tuned.get("settings").findValuesAsString("conf");
    assertTrue(tried.contains("expandable_segments:True"), tried.toString());
    assertTrue(tried.contains("max_split_size_mb:128"), tried.toString());
  }

  /**
   * PyTorch 2.11 on an H200 of which another process held all but 0.99 GiB. With 39.56 MiB free the
   * GPU refused 36.94 MiB, for which two pages of 20 MiB are mapped.
   */
  @Test
  void aGpuThatOthersFillIsNoLimitAndNoSmallerGpu() {
    Path full = CommandRun.recording("full_gpu_expandable.pickle.xz");
    JsonNode tuned = json("tune", full);
    assertTrue(tuned.get("limit_bytes").isNull(), tuned.toString());
    assertEquals("h200", tuned.get("device").asString());
    assertEquals(ExitCodes.DONE, CommandRun.of("verify", full).exitCode());
    String said = CommandRun.of("diagnose", full).out().replaceAll("\\s+", " ");
    assertTrue(said.contains("ELSEWHERE: 138.98 GiB of the GPU's 139.80 GiB"), said);
  }

  /** The recording's first entries are lost; 500 MiB were reserved before the others. */
  private Path lateStart() throws IOException {
    return failing(new TestSnapshot(), 700 * MIB)
        .heldSegment(2 * ADDRESS, 500 * MIB)
        .writeTo(folder);
  }

  @Test
  void aLimitCountsWhatWasReservedBeforeTheFirstEntry() throws IOException {
    Path late = lateStart();
    assertEquals(1300 * MIB - 1, json("tune", late).get("limit_bytes").asLong());
    assertEquals(ExitCodes.DONE, CommandRun.of("verify", late).exitCode());
  }

  /** Before the first entry 500 MiB were cached, which no other setting can have. */
  @Test
  void ofALateRecordingSettingsAreComparedFromOneStart() throws IOException {
    TestSnapshot snapshot = new TestSnapshot().freeSegment(2 * ADDRESS, 500 * MIB, 500 * MIB);
    Path late = cached(snapshot, ADDRESS, 600 * MIB).writeTo(folder);
    String tuned = done("tune", late);
    assertTrue(tuned.startsWith("Keep the recorded settings, which reserved"), tuned);
    assertTrue(tuned.contains("which reserved at most 1.07 GiB"), tuned);
    JsonNode rows = json("tune", late).get("settings");
    assertEquals(1, rows.get(0).get("rank").asInt());
    assertEquals(1100 * MIB, rows.get(0).get("peak_reserved_bytes").asLong());
    assertEquals(1, rows.get(1).get("rank").asInt(), "the recorded settings from the same start");
    assertEquals(600 * MIB, rows.get(1).get("peak_reserved_bytes").asLong());
    String says =
        "The recording starts late, with 500.00 MiB reserved and 0 B of it in use; other settings"
            + " are simulated from the blocks in use, with an empty cache.";
    assertTrue(tuned.contains(says), tuned);
    assertTrue(done("replay", late, "--conf", "expandable_segments:True").contains(says));
    String compared = done("compare", late, "--policies", "pytorch,bfc");
    assertTrue(compared.contains(says), compared);
    assertFalse(done("replay", late).contains(says));
    assertEquals(1100 * MIB, json("replay", late).get("stats").get(RESERVED_PEAK).asLong());
  }

  private static final String RESERVED_PEAK = "reserved_bytes.all.peak";

  /**
   * PyTorch 2.14.1 under garbage_collection_threshold:0.6 and a limit of 1258291200 bytes, on the
   * stand-in for a GPU: it collected thirteen segments, and no request failed.
   */
  @Test
  void collectionsShowTheLimitThatTheyNeed() {
    Path collected = CommandRun.recording("gc_collected.pickle.xz");
    long limitBytes = json("tune", collected).get("limit_bytes").asLong();
    assertTrue(limitBytes >= 1_258_291_200L, "the real limit explains the history, too");
    assertTrue(limitBytes < 1.03 * 1_258_291_200L, "limit " + limitBytes);
    assertEquals(ExitCodes.DONE, CommandRun.of("verify", collected).exitCode());
  }

  /**
   * The same without a limit, so that the threshold has no effect: a program that emptied the
   * cache, and one that the full device refused memory.
   */
  @ParameterizedTest
  @ValueSource(strings = {"gc_emptied.pickle.xz", "gc_retried.pickle.xz"})
  void noLimitIsInferredWhereThresholdAndReleasesAreExplainedWithout(String name) {
    Path recording = CommandRun.recording(name);
    JsonNode tuned = json("tune", recording);
    assertTrue(tuned.get("limit_bytes").isNull(), tuned.get("limit_bytes").toString());
    assertEquals(ExitCodes.DONE, CommandRun.of("verify", recording).exitCode());
  }

  @Test
  void failuresThatTheModelDoesNotRepeatAreSaid() {
    String larger = done("replay", SAMPLE, "--capacity", "20GiB");
    assertTrue(
        larger.contains("1 request failed in the recording; here the allocator has no limit"),
        larger);
  }

  @Test
  void aRecordingOfOneEntryIsNotCalledExact() throws IOException {
    Path one =
        new TestSnapshot()
            .event("free_completed", ADDRESS, 20 * MIB)
            .freeSegment(ADDRESS, 20 * MIB, 20 * MIB)
            .writeTo(folder);
    String verified = done("verify", one);
    assertTrue(verified.startsWith("as recorded (1 of 1 event), too few to show"), verified);
  }

  @Test
  void aMarginUnderTwoPerCentIsSaid() {
    String tuned = done("tune", SAMPLE, "--memory-limit", "9.1GiB");
    assertTrue(tuned.contains("It leaves only"), tuned);
    assertTrue(tuned.contains("a slightly larger program may fail"), tuned);
  }

  @Test
  void aBareSmallCapacityIsRefusedWithItsReadings() {
    CommandRun run = CommandRun.of("tune", SAMPLE, "--capacity", "24");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("'24' could be 24GiB, 24MiB or 24 bytes"), run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"24,000 MiB", "24 000 MiB", "24000MiB"})
  void printedSizesCanBePasted(String size) {
    JsonNode tuned = json("tune", SAMPLE, "--capacity", size, "--grid", "coarse");
    assertEquals(24_000 * MIB, tuned.get("capacity_bytes").asLong(), tuned.toString());
  }

  @Test
  void printedNumbersOfRequestsCanBePasted() {
    assertTrue(done("blockers", SAMPLE, "--at", "6 836").contains("request 6 836"));
  }

  /** Traces of the profiler of PyTorch 1.8 and 1.9. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "replay",
        "tune",
        "compare",
        "diagnose",
        "peak",
        "blockers",
        "leaks",
        "inspect",
        "account",
        "min-capacity",
        "verify",
        "view"
      })
  void noCommandTakesAProfileWithoutAddresses(String command) throws IOException {
    StringBuilder events = new StringBuilder();
    for (int i = 0; i < 20; i++) {
      events
          .append(i == 0 ? "" : ",")
          .append("{\"ph\":\"i\",\"name\":\"[memory]\",\"ts\":")
          .append(i)
          .append(",\"args\":{\"Device Type\":1,\"Device Id\":0,\"Bytes\":")
          .append(i % 2 == 0 ? 1024 : -1024)
          .append("}}");
    }
    Path profile =
        Files.writeString(
            folder.resolve("profile.json"),
            "{\"schemaVersion\":1,\"traceEvents\":[" + events + "]}");
    CommandRun run = CommandRun.of(command, profile);
    assertEquals(ExitCodes.FAILED, run.exitCode(), run.out());
    assertEquals("", run.out());
    assertTrue(run.err().contains("its memory events have no addresses"), run.err());
    assertTrue(run.err().contains("record with PyTorch 1.10 or later"), run.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"inspect", "verify", "tune", "replay", "diagnose", "peak", "leaks"})
  void aPointerOfGitLfsIsCalledByItsName(String command) throws IOException {
    Path pointer =
        Files.writeString(
            folder.resolve("snapshot.pickle"),
            "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n");
    CommandRun run = CommandRun.of(command, pointer);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("fetch the file with 'git lfs pull'"), run.err());
  }
}
