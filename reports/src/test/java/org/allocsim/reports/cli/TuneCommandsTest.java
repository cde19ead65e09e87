package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TuneCommandsTest {
  private static final Path GROWTH = CommandRun.recording("cat_growth.pickle.xz");
  private static final Path DEVICE_OOM = CommandRun.recording("device_oom.pickle.xz");

  @TempDir private Path folder;

  private static CommandRun expect(int exitCode, Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(exitCode, run.exitCode(), run.err() + run.out());
    return run;
  }

  private static String text(CommandRun run, Path trace) {
    return run.out().replace(trace.toString(), "FILE");
  }

  @Test
  void tuneRanksAndRecommends() throws IOException {
    Golden.assertGolden(
        "tune-cat-growth.txt", text(expect(0, "tune", GROWTH, "--capacity", "24GiB"), GROWTH));
  }

  @Test
  void tuneWritesJson() throws IOException {
    Path json = folder.resolve("tuning.json");
    expect(0, "tune", GROWTH, "--memory-limit", "24GiB", "--top", "0", "--json", json);
    String text =
        Files.readString(json)
            .replace(GROWTH.toString(), "FILE")
            .replaceAll("\"wall_seconds\": [0-9.E-]+", "\"wall_seconds\": 0");
    Golden.assertGolden("tune-cat-growth.json", text);
  }

  @Test
  void tuneTriesMoreSettingsOnAFineGrid() {
    String usual = expect(0, "tune", GROWTH, "--capacity", "24GiB", "--top", "0").out();
    String fine =
        expect(0, "tune", GROWTH, "--capacity", "24GiB", "--top", "0", "--grid", "fine").out();
    assertTrue(fine.lines().count() >= usual.lines().count() + 100, fine);
    assertTrue(
        expect(2, "tune", GROWTH, "--grid", "rough")
            .err()
            .contains("'rough' is not one of coarsest, coarse, usual, fine"));
  }

  @Test
  void tuneSaysWhenNothingHelps() {
    CommandRun run = expect(3, "tune", GROWTH, "--capacity", "900MiB");
    assertTrue(run.out().startsWith("No setting helps: the program needs "), run.out());
  }

  @Test
  void tuneLeavesOutWhatThePlatformLacks() {
    CommandRun run = expect(0, "tune", GROWTH, "--os", "windows", "--torch-version", "2.10");
    assertTrue(run.out().contains("expandable_segments is not supported on Windows"), run.out());
    assertTrue(!run.out().contains("\n   1  expandable"), run.out());
  }

  @Test
  void minCapacityShowsSettingsAndGpus() throws IOException {
    Golden.assertGolden(
        "min-capacity-cat-growth.txt", text(expect(0, "min-capacity", GROWTH), GROWTH));
  }

  @Test
  void minCapacityIsWhatReplayConfirms() {
    CommandRun run = expect(0, "min-capacity", GROWTH, "--confs", ";expandable_segments:True");
    long mebibytes =
        run.out()
            .lines()
            .filter(line -> line.startsWith("(default) "))
            .map(line -> line.replaceAll("^\\(default\\) +\\S+ GiB \\(([0-9 ]+) MiB\\).*", "$1"))
            .mapToLong(number -> Long.parseLong(number.replace(" ", "")))
            .findFirst()
            .orElseThrow();
    String passing = mebibytes + "MiB";
    String failing = (mebibytes - 2) + "MiB";
    assertTrue(
        !expect(0, "replay", GROWTH, "--capacity", passing).out().contains(" failed, asking for"));
    assertTrue(
        expect(0, "replay", GROWTH, "--capacity", failing).out().contains(" failed, asking for"));
  }

  @Test
  void minCapacityWritesJson() {
    CommandRun run = expect(0, "min-capacity", GROWTH, "--confs", "", "--json", "-");
    assertTrue(run.out().startsWith("{\n"), run.out());
    assertTrue(run.out().contains("\"capacity_bytes\""), run.out());
    assertTrue(run.out().contains("\"gpus_that_fit\""), run.out());
  }

  @Test
  void replayStopsAtTheFirstFailureOnRequest() {
    CommandRun all = expect(0, "replay", DEVICE_OOM, "--addresses", "modelled");
    CommandRun first =
        expect(0, "replay", DEVICE_OOM, "--addresses", "modelled", "--after-oom", "stop");
    assertTrue(count(all.out(), " failed, asking for") > 1, all.out());
    assertEquals(1, count(first.out(), " failed, asking for"), first.out());
    assertTrue(first.out().contains("the replay stopped at the first failed request"));
    CommandRun recorded = expect(0, "replay", DEVICE_OOM, "--after-oom", "stop");
    assertTrue(recorded.out().contains("addresses recorded"), recorded.out());
    assertEquals(1, count(recorded.out(), " failed, asking for"), recorded.out());
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "expandable_segments:True,max_split_size_mb:128 --torch 2.12 | 3 | without bound",
        "expandable_segments:True,max_split_size_mb:128 --torch 2.9.1 | 0 | warning, dangerous",
        "--env PYTORCH_ALLOC_CONF=expandable_segments:True --torch 2.9.1 | 3 | ignored",
        "expandable_segments:True --os windows | 3 | not supported",
        "garbage_collection_threshold:0.8 | 0 | no effect without a memory fraction",
        "garbage_collection_threshold:0.8 --memory-fraction 0.9 | 0 | nothing found",
        "backend:cudaMallocAsync,max_split_size_mb:64 | 0 | max_split_size_mb is ignored",
        "expandable_segments:True | 0 | nothing found",
        "max_split_size_mb:10 --json - | 3 | \"kind\": \"illegal\"",
      })
  void settingsAreLinted(String line, int exitCode, String expected) {
    CommandRun run = expect(exitCode, (Object[]) ("lint-conf " + line).split(" "));
    assertTrue(run.out().replaceAll("\\s+", " ").contains(expected), run.out());
  }
}
