package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplayCommandTest {
  private static final Path STREAMS = CommandRun.recording("prefetch_streams.pickle.xz");
  private static final Path DEVICE_OOM = CommandRun.recording("device_oom.pickle.xz");
  private static final Path GROWTH = CommandRun.recording("cat_growth.pickle.xz");

  @TempDir private Path folder;

  @Test
  void textShowsSummaryFragmentationAndInferences() throws IOException {
    CommandRun run = done("replay", STREAMS);
    Golden.assertGolden(
        "replay-prefetch-streams.txt", run.out().replace(STREAMS.toString(), "FILE"));
  }

  @Test
  void failedRequestsComeFirst() throws IOException {
    CommandRun run = done("replay", DEVICE_OOM);
    assertTrue(run.out().lines().findFirst().orElse("").startsWith("Out of memory: "), run.out());
    Golden.assertGolden("replay-device-oom.txt", run.out().replace(DEVICE_OOM.toString(), "FILE"));
  }

  @Test
  void jsonHasTheContractedKeys() throws IOException {
    Path json = folder.resolve("out.json");
    done("replay", DEVICE_OOM, "--json", json);
    Golden.assertGolden("replay-device-oom.json", normalized(json, DEVICE_OOM));
  }

  @Test
  void jsonIsTheSameEveryTimeButForTheSeconds() throws IOException {
    Path first = folder.resolve("1.json");
    Path second = folder.resolve("2.json");
    done("replay", GROWTH, "--addresses", "modelled", "--json", first);
    done("replay", GROWTH, "--addresses", "modelled", "--json", second);
    assertEquals(normalized(first, GROWTH), normalized(second, GROWTH));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "prefetch_streams",
        "device_oom",
        "cat_growth",
        "cuda_graph",
      })
  void eventsAreTheRecordedOnes(String name) throws IOException {
    Path file = CommandRun.recording(name + ".pickle.xz");
    Path events = folder.resolve("events.jsonl");
    done("replay", file, "--events", events);
    Snapshot snapshot = Traces.open(file.toString(), null).snapshot().orElseThrow();
    EffectLog recorded = snapshot.devices().getFirst().effects();
    List<String> expected =
        IntStream.range(0, recorded.count())
            .filter(row -> recorded.kind(row) != EffectKind.SNAPSHOT)
            .mapToObj(row -> line(recorded, row, snapshot.streamHandles()))
            .toList();
    assertEquals(expected, Files.readAllLines(events));
  }

  private static String line(EffectLog log, int row, long[] streams) {
    String address =
        log.kind(row) == EffectKind.OOM
            ? ""
            : "\"addr\":" + Long.toUnsignedString(log.address(row)) + ",";
    return "{\"action\":\""
        + log.kind(row).action()
        + "\","
        + address
        + "\"size\":"
        + log.bytes(row)
        + ",\"stream\":"
        + Long.toUnsignedString(streams[log.stream(row)])
        + "}";
  }

  @Test
  void eventsOnStandardOutputAreNotMixedWithText() {
    CommandRun run = done("replay", STREAMS, "--events", "-");
    assertTrue(run.out().lines().allMatch(line -> line.startsWith("{\"action\":")), run.out());
    assertEquals(370, run.out().lines().count());
  }

  @Test
  void standardOutputTakesOneOutput() {
    CommandRun run = CommandRun.of("replay", STREAMS, "--events", "-", "--json", "-");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("both write to -"), run.err());
  }

  @Test
  void otherSettingsAreModelled() {
    CommandRun run = done("replay", GROWTH, "--conf", "expandable_segments:True");
    assertTrue(run.out().contains("PYTORCH_CUDA_ALLOC_CONF=\"expandable_segments:True\""));
    assertTrue(run.out().contains("addresses modelled"), run.out());
    assertTrue(run.out().contains("cuMemMap"), run.out());
  }

  @Test
  void theRecordedSettingsKeepRecordedAddresses() {
    assertTrue(done("replay", GROWTH).out().contains("addresses recorded"));
    assertTrue(done("replay", GROWTH, "--conf", "").out().contains("addresses recorded"));
  }

  @Test
  void aSmallerCapacityIsModelledAndRunsOutOfMemory() {
    CommandRun run = done("replay", GROWTH, "--capacity", "1GiB");
    assertTrue(run.out().contains("addresses modelled"), run.out());
    assertTrue(run.out().contains("has a total capacity of 1024.00 MiB"), run.out());
  }

  @Test
  void aLargerCapacityDoesNotRefuseWhatTheRecordedDeviceRefused() {
    CommandRun run = done("replay", DEVICE_OOM, "--capacity", "1TiB");
    assertTrue(run.out().contains("CUDA OOMs: 0 "), run.out());
  }

  @Test
  void aLimitBelowTheRecordedMemoryIsModelled() {
    CommandRun run = done("replay", GROWTH, "--memory-limit", "512MiB");
    assertTrue(run.out().contains("limit 512.00 MiB (536 870 912 B)"), run.out());
    assertTrue(run.out().contains("addresses modelled"), run.out());
    assertTrue(run.out().contains("512.00 MiB allowed; "), run.out());
  }

  @Test
  void aFractionIsAShareOfTheDevice() {
    CommandRun run = done("replay", GROWTH, "--memory-fraction", "0.25", "--device", "a100-40gb");
    assertTrue(run.out().contains("limit 9.85 GiB (10 574 708 736 B)"), run.out());
  }

  @Test
  void recordedAddressesThatDoNotFitAreRefused() {
    CommandRun run =
        CommandRun.of(
            "replay",
            GROWTH,
            "--conf",
            "expandable_segments:True",
            "--addresses",
            "recorded",
            "--events",
            folder.resolve("events"));
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("recorded addresses do not apply"), run.err());
    assertEquals(List.of(), CommandRun.files(folder));
  }

  @Test
  void modelledEventsHoldNothingOfAnAttemptWithRecordedAddresses() throws IOException {
    Path file =
        new TestSnapshot()
            .event("segment_alloc", 64L << 20, 2L << 20)
            .event("alloc", 64L << 20, 1000)
            .event("alloc", (64L << 20) + 4096, 1000)
            .freeSegment(64L << 20, 2L << 20, 1000)
            .writeTo(folder);
    CommandRun run = done("replay", file, "--events", folder.resolve("events"));
    assertTrue(run.out().contains("addresses modelled"), run.out());
    assertTrue(run.out().contains("From event 2 on, the allocator behaves differently"), run.out());
    assertEquals(3, Files.readAllLines(folder.resolve("events")).size());
  }

  @Test
  void theDeviceIndexChoosesTheHistory() {
    Path file = CommandRun.recording("two_gpu.pickle.xz");
    assertTrue(done("replay", file).out().contains("816 events of device 0"));
    CommandRun second = done("replay", file, "--device-index", "1");
    assertTrue(second.out().contains("819 events of device 1"), second.out());
    assertTrue(second.out().contains("device ID 1"), second.out());
    for (String missing : new String[] {"2", "1000000"}) {
      CommandRun run = CommandRun.of("replay", file, "--device-index", missing);
      assertEquals(ExitCodes.USAGE, run.exitCode());
      assertTrue(run.err().contains("device " + missing + " has no history"), run.err());
    }
  }

  @Test
  void settingsThatPyTorchRefusesAreRefusedWithItsWords() {
    CommandRun run = CommandRun.of("replay", GROWTH, "--conf", "max_split_size_mb:1");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("max_split_size_mb"), run.err());
    assertTrue(run.err().contains("see keys and values at https://"), run.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "expandable_segments:True,large_segment_size_mb:21",
        "large_segment_size_mb:-1",
        "large_segment_size_mb:9007199254740991",
        "expandable_segments:True,large_segment_size_mb:8796093022206",
      })
  void segmentsThatNoDriverServesAreRefused(String conf) {
    CommandRun run = CommandRun.of("replay", GROWTH, "--conf", conf);
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("large_segment_size_mb is beyond") || run.err().contains("even"));
    assertFalse(run.err().contains("defect"), run.err());
  }

  @Test
  void aMemoryFractionAmongTheSettingsLimitsUnlessAnOptionDoes() {
    String conf = "per_process_memory_fraction:0.5";
    assertTrue(done("replay", GROWTH, "--conf", conf).out().contains("limit 39.59 GiB"));
    assertTrue(
        done("replay", GROWTH, "--conf", conf, "--memory-limit", "40GiB")
            .out()
            .contains("limit 40.00 GiB"));
  }

  @Test
  void whatAReplayLeavesOutIsNoted() {
    Path two = CommandRun.recording("two_gpu.pickle.xz");
    // Nothing failed, and the second reserved more.
    String note = "not replayed: 816 events of device 0; --device-index 0 selects them";
    assertTrue(done("replay", two).out().contains(note));
    assertFalse(done("replay", two, "--device-index", "0").out().contains("not replayed"));
    String goesOn = "after a failed request the replay continues";
    assertTrue(done("replay", GROWTH, "--capacity", "1GiB").out().contains(goesOn));
    assertFalse(done("replay", DEVICE_OOM).out().contains(goesOn));
  }

  @Test
  void aBackendThatThePolicyIsNotIsRefused() {
    CommandRun run = CommandRun.of("replay", GROWTH, "--conf", "backend:cudaMallocAsync");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(
        run.err().contains("policy pytorch does not simulate backend cudaMallocAsync"), run.err());
  }

  @Test
  void garbageCollectionWithoutALimitIsReportedToHaveNoEffect() {
    String note = "garbage_collection_threshold has no effect";
    String conf = "garbage_collection_threshold:0.8";
    assertTrue(done("replay", GROWTH, "--conf", conf).out().contains(note));
    assertFalse(
        done("replay", GROWTH, "--conf", conf, "--memory-limit", "4GiB").out().contains(note));
  }

  @Test
  void invariantsHoldInBothModes() {
    for (String source : new String[] {"recorded", "modelled"}) {
      CommandRun run = done("replay", STREAMS, "--check", "--addresses", source);
      assertTrue(run.out().contains("invariants held before and after"), run.out());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"png", "svg", "pdf"})
  void chartsAreDrawnAndTheSameEveryTime(String extension) throws IOException {
    Path first = folder.resolve("1." + extension);
    Path second = folder.resolve("2." + extension);
    done("replay", DEVICE_OOM, "--chart", first);
    done("replay", DEVICE_OOM, "--chart", second);
    assertArrayEquals(Files.readAllBytes(first), Files.readAllBytes(second));
    assertTrue(Files.size(first) > 3_000);
  }

  @Test
  void chartsNeedAKnownExtension() {
    CommandRun run = CommandRun.of("replay", STREAMS, "--chart", "chart.jpg");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("end the name in .png, .svg or .pdf"), run.err());
  }

  @Test
  void allOutputsAppearTogetherOrNotAtAll() throws IOException {
    Path json = folder.resolve("out.json");
    Path events = folder.resolve("events");
    CommandRun run =
        CommandRun.of(
            "replay", STREAMS, "--json", json, "--events", events, "--chart", folder + "/no/c.svg");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().contains("--chart: cannot write"), run.err());
    assertEquals(List.of(), CommandRun.files(folder));
    done("replay", STREAMS, "--json", json, "--events", events, "--chart", folder + "/c.svg");
    assertEquals(List.of("c.svg", "events", "out.json"), CommandRun.files(folder));
  }

  @Test
  void theInputIsNeverOverwritten() throws IOException {
    Path file = TestSnapshot.ofOneTensor().writeTo(folder);
    byte[] before = Files.readAllBytes(file);
    CommandRun run = CommandRun.of("replay", file, "--json", file);
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("would overwrite the input"), run.err());
    assertArrayEquals(before, Files.readAllBytes(file));
  }

  @Test
  void olderReleasesSpeakTheirOwnWords() {
    CommandRun run = done("replay", GROWTH, "--capacity", "1GiB", "--torch-version", "2.0");
    assertTrue(run.out().contains("try setting max_split_size_mb"), run.out());
    assertFalse(run.out().contains("expandable_segments"), run.out());
  }

  private static CommandRun done(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    assertEquals("", run.err());
    return run;
  }

  private static String normalized(Path json, Path trace) throws IOException {
    return Files.readString(json)
        .replace(trace.toString(), "FILE")
        .replaceAll("\"wall_seconds\": [0-9.E-]+", "\"wall_seconds\": 0");
  }
}
