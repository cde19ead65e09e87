package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code lint-conf --snapshot}: was what the user set in force? */
class LintSnapshotTest {
  @TempDir Path folder;

  private Path snapshot(String conf, Map<String, Object> values) throws IOException {
    return snapshot(conf, values, false);
  }

  private Path snapshot(String conf, Map<String, Object> values, boolean expandableSegment)
      throws IOException {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("PYTORCH_CUDA_ALLOC_CONF", conf);
    settings.put("max_split_size", -1);
    settings.put("expandable_segments", false);
    settings.put("roundup_power2_divisions", divisions(0));
    settings.putAll(values);
    Map<String, Object> segment = new LinkedHashMap<>();
    segment.put("device", 0);
    segment.put("address", 64L << 20);
    segment.put("total_size", 2L << 20);
    segment.put("allocated_size", 0);
    segment.put("active_size", 0);
    segment.put("requested_size", 0);
    segment.put("stream", 0);
    segment.put("segment_type", "small");
    segment.put("is_expandable", expandableSegment);
    segment.put("frames", List.of());
    Map<String, Object> block = new LinkedHashMap<>();
    block.put("address", 64L << 20);
    block.put("size", 2L << 20);
    block.put("requested_size", 0);
    block.put("state", "inactive");
    block.put("frames", List.of());
    segment.put("blocks", List.of(block));
    Map<String, Object> file = new LinkedHashMap<>();
    file.put("segments", List.of(segment));
    file.put("device_traces", List.of());
    file.put("allocator_settings", settings);
    return Files.write(folder.resolve("snapshot.pickle"), PickleBytes.of(file));
  }

  private static Map<String, Object> divisions(long value) {
    Map<String, Object> divisions = new LinkedHashMap<>();
    for (int slot = 0; slot < 16; slot++) {
      divisions.put(Integer.toString(1 << slot), value);
    }
    return divisions;
  }

  private static String lint(int exitCode, Object... arguments) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = "lint-conf";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    CommandRun run = CommandRun.of(all);
    assertEquals(exitCode, run.exitCode(), run.out() + run.err());
    return (run.out() + run.err()).replaceAll("\\s+", " ");
  }

  @Test
  void whatIsInForceIsReported() throws IOException {
    Path file =
        snapshot(
            "max_split_size_mb:64,roundup_power2_divisions:4",
            Map.of("max_split_size", 64L << 20, "roundup_power2_divisions", divisions(4)));
    String text =
        lint(ExitCodes.DONE, "roundup_power2_divisions:4,max_split_size_mb:64", "--snapshot", file);
    assertTrue(text.contains(": in force as given"), text);
    assertTrue(text.contains("max_split_size_mb 64 64 in force"), text);
    assertTrue(text.contains("roundup_power2_divisions 4 4 in force"), text);
  }

  @Test
  void aStringThatNeverArrivedHasTheCausesOfThat() throws IOException {
    Path file = snapshot("", Map.of());
    String text =
        lint(ExitCodes.CHECK_DID_NOT_HOLD, "expandable_segments:True", "--snapshot", file);
    assertTrue(text.contains("expandable_segments True False missing"), text);
    assertTrue(text.contains("- the variable was set too late"), text);
    assertTrue(text.contains("- the process did not get the variable"), text);
  }

  @Test
  void aVariableThatTheReleaseDoesNotReadIsTheFirstCause() throws IOException {
    Path file = snapshot("", Map.of());
    String text =
        lint(
            ExitCodes.CHECK_DID_NOT_HOLD,
            "--env",
            "PYTORCH_ALLOC_CONF=expandable_segments:True",
            "--torch-version",
            "2.9.1",
            "--snapshot",
            file);
    assertTrue(
        text.contains("likeliest first: - PYTORCH_ALLOC_CONF is ignored: PyTorch 2.9 does not"),
        text);
  }

  @Test
  void otherValuesAndOptionsNobodyAskedForAreNamed() throws IOException {
    Path file =
        snapshot(
            "max_split_size_mb:128,garbage_collection_threshold:0.8",
            Map.of("max_split_size", 128L << 20, "garbage_collection_threshold", 0));
    String text =
        lint(
            ExitCodes.CHECK_DID_NOT_HOLD,
            "max_split_size_mb:64,expandable_segments:False",
            "--snapshot",
            file);
    assertTrue(text.contains("max_split_size_mb 64 128 different"), text);
    assertTrue(text.contains("something else sets \"max_split_size_mb:128"), text);
    assertTrue(
        text.contains("gives garbage_collection_threshold the value 0.8, but 0.0 was in force"),
        text);
    assertTrue(text.contains("_set_allocator_settings() was called later"), text);
  }

  @Test
  void whatNobodyAskedForIsNoError() throws IOException {
    Path file =
        snapshot("roundup_power2_divisions:8", Map.of("roundup_power2_divisions", divisions(8)));
    String text = lint(ExitCodes.DONE, "", "--snapshot", file);
    assertTrue(text.contains("roundup_power2_divisions 0 8 unasked"), text);
  }

  @Test
  void aSettingWithoutItsSegmentsIsAContradiction() throws IOException {
    Path file = snapshot("expandable_segments:True", Map.of("expandable_segments", true));
    String text = lint(ExitCodes.DONE, "--snapshot", file);
    assertTrue(text.contains("none of the 1 segments is expandable"), text);
    assertTrue(!text.contains("in force as given"), text);
    Path off = snapshot("", Map.of(), true);
    assertTrue(lint(ExitCodes.DONE, "--snapshot", off).contains("1 of the 1 segments are"));
  }

  @Test
  void theJsonHasOptionsAndCauses() throws IOException {
    Path file = snapshot("", Map.of());
    CommandRun run =
        CommandRun.of("lint-conf", "max_split_size_mb:64", "--snapshot", file, "--json", "-");
    String json = run.out().replaceAll("\\s+", " ");
    assertTrue(
        json.contains(
            "\"options\": [ { \"option\": \"max_split_size_mb\", \"given\": \"64\","
                + " \"in_force\": \"unlimited\", \"status\": \"missing\" } ]"),
        json);
    assertTrue(json.contains("\"agrees\": false"), json);
    assertTrue(json.contains("\"likely_causes\": [ \"the variable was set too late"), json);
  }

  @Test
  void aStringThatPyTorchRefusesIsNotCompared() throws IOException {
    Path file = snapshot("", Map.of());
    String text = lint(ExitCodes.CHECK_DID_NOT_HOLD, "max_split_size_mb:1", "--snapshot", file);
    assertTrue(text.contains("error, illegal"), text);
    assertTrue(!text.contains("records"), text);
  }

  @Test
  void aSnapshotWithoutSettingsHasNothingToCompare() throws IOException {
    Path file =
        Files.write(
            folder.resolve("old.pickle"),
            PickleBytes.of(
                Map.of("segments", List.of(), "device_traces", Collections.emptyList())));
    String text = lint(ExitCodes.FAILED, "max_split_size_mb:64", "--snapshot", file);
    assertTrue(text.contains("has no allocator settings to compare"), text);
    assertTrue(lint(ExitCodes.FAILED, "--snapshot", folder.resolve("no")).contains("no such file"));
    assertTrue(lint(ExitCodes.USAGE).contains("no value given"));
  }
}
