package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code validate --pytorch} with a Python that plays back what a real one recorded on an H200. */
class TorchValidationTest {
  @TempDir private Path folder;

  private static Path resource(String name) {
    try {
      return Path.of(TorchValidationTest.class.getResource("/torch/" + name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private String python(String script) throws IOException {
    Path file = Files.writeString(folder.resolve("python"), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    return file.toString();
  }

  /** A Python that answers every case with the recording of random-424. */
  private String recorded() throws IOException {
    return python(
        "echo '{\"device\":\"NVIDIA"
            + " H200\",\"total_bytes\":150109880320,\"free_bytes\":149433614336,\"cuda\":\"13.0\",\"torch\":\"2.11.0+cu130\"}'\n"
            + "sed 's/.*\"id\":\\([0-9]*\\),.*\"out\":\"\\([^\"]*\\)\".*/\\1 \\2/' \"$2\" | while"
            + " read id out; do\n"
            + "  cp '%s' \"$out.pickle\"; cp '%s' \"$out.json\"; echo \"{\\\"id\\\":$id}\"\n"
                .formatted(resource("random-424.pickle.xz"), resource("random-424.json"))
            + "done\n");
  }

  private static String trace() {
    return resource("random-424.jsonl.xz").toString();
  }

  @Test
  void aTraceThatPyTorchServedAsPredictedIsExact() throws IOException {
    Path report = folder.resolve("report");
    Path kept = folder.resolve("kept");
    CommandRun run =
        CommandRun.of(
            "validate",
            "--pytorch",
            trace(),
            "--python",
            recorded(),
            "--conf",
            "",
            "--report",
            report,
            "--keep",
            kept);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err() + run.out());
    assertTrue(run.out().contains("random-424.jsonl.xz: 435 events, all exact"), run.out());
    assertTrue(
        Files.readString(report.resolve("validate.json")).contains("\"events_predicted\": 435"));
    assertEquals(
        List.of("random-424.jsonl.xz..json", "random-424.jsonl.xz..pickle"),
        CommandRun.files(kept));
  }

  @Test
  void aTraceThatItServedOtherwiseIsShownAndTheExitCodeSaysSo() throws IOException {
    Path other =
        Files.writeString(
            folder.resolve("other.jsonl"),
            """
            {"allocsim":"trace","version":1}
            {"op":"alloc","id":1,"bytes":5000000}
            """);
    CommandRun run =
        CommandRun.of("validate", "--pytorch", other, "--python", recorded(), "--conf", "");
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, run.exitCode(), run.err());
    assertTrue(run.out().contains("not predicted: row 0: predicted segment_alloc"), run.out());
  }

  @Test
  void aRecordingOfOtherSettingsIsNotCompared() throws IOException {
    CommandRun run =
        CommandRun.of(
            "validate",
            "--pytorch",
            trace(),
            "--python",
            recorded(),
            "--conf",
            "max_split_size_mb:64");
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.out().contains("not run: PyTorch ran with the settings"), run.out());
  }

  @Test
  void syntheticProgramsAreRunUnderFiveSettings() throws IOException {
    String python =
        python(
            "echo '{\"device\":\"G\",\"total_bytes\":1,\"free_bytes\":1,\"cuda\":\"13.0\","
                + "\"torch\":\"2.11.0\"}'\n"
                + "echo '{\"id\":0,\"error\":\"out\"}'; echo '{\"not_begun\":1}'\n");
    CommandRun run =
        CommandRun.of("validate", "--pytorch", "--random", 2, "--seed", 3, "--python", python);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertEquals(5, run.out().lines().filter(line -> line.startsWith("  - random-3")).count());
  }

  @Test
  void withoutPyTorchOneSentenceSaysSo() throws IOException {
    String python = python("echo '{\"error\":\"Python has no usable PyTorch\"}'; exit 1\n");
    CommandRun run = CommandRun.of("validate", "--pytorch", trace(), "--python", python);
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().startsWith("allocsim: Python has no usable PyTorch; run"), run.err());
  }

  @Test
  void optionsThatMakeNoSenseAreRefused() {
    refused("no trace given", "--pytorch");
    refused("'--random'", trace(), "--random", 3);
    refused("--jobs 0 must be at least 1", trace(), "--pytorch", "--jobs", 0);
    refused("--random -1 must be at least 0", trace(), "--pytorch", "--random", -1);
    refused("--keep-differing needs --keep", trace(), "--pytorch", "--keep-differing");
    refused("'--touch'", trace(), "--pytorch", "--touch");
    refused("PyTorch 2.14 rejects it", trace(), "--pytorch", "--conf", "nonsense:1");
  }

  private static void refused(String sentence, Object... arguments) {
    Object[] all = new Object[arguments.length + 1];
    all[0] = "validate";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    CommandRun run = CommandRun.of(all);
    assertEquals(ExitCodes.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().contains(sentence), run.err());
  }
}
