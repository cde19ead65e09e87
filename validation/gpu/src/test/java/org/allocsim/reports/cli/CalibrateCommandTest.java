package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalibrateCommandTest {
  @TempDir private Path folder;

  @Test
  void withoutADriverOneSentenceSaysSoAndNothingIsWritten() throws IOException {
    assumeFalse(Files.exists(Path.of("/dev/nvidia0")), "not run: this machine has a GPU");
    Path profile = folder.resolve("gpu.json");
    CommandRun run = CommandRun.of("calibrate", "-o", profile.toString());
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().startsWith("allocsim: no NVIDIA driver"), run.err());
    assertEquals(1, run.err().lines().count());
    assertTrue(Files.notExists(profile));
  }

  @Test
  void boundsThatMakeNoSenseAreRefused() throws IOException {
    String file = folder.resolve("gpu.json").toString();
    CommandRun none = CommandRun.of("calibrate", "-o", file, "--seconds", "0");
    assertEquals(ExitCodes.USAGE, none.exitCode());
    assertTrue(none.err().contains("--seconds 0 must be 1 to 3600"), none.err());
    CommandRun both = CommandRun.of("calibrate", "-o", file, "--fill", "--max-gpu-memory", "8GiB");
    assertEquals(ExitCodes.USAGE, both.exitCode());
    assertTrue(both.err().contains("omit one of them"), both.err());
  }

  @Test
  void aProfileFromAFileServesAsOneByName() throws IOException {
    CommandRun shown = CommandRun.of("list", "devices", "t4");
    assertEquals(ExitCodes.DONE, shown.exitCode());
    Path file = Files.writeString(folder.resolve("mine.json"), shown.out());
    String trace =
        Files.writeString(
                folder.resolve("trace.jsonl"),
                """
                {"allocsim":"trace","version":1}
                {"op":"alloc","id":1,"bytes":5000000}
                """)
            .toString();
    CommandRun byName = CommandRun.of("replay", trace, "--device", "t4");
    CommandRun byFile = CommandRun.of("replay", trace, "--device", file.toString());
    assertEquals("", byFile.err());
    String next = "'allocsim tune %s --device %s'";
    assertTrue(unwrapped(byName).contains(next.formatted(trace, "t4")), byName.out());
    assertTrue(unwrapped(byFile).contains(next.formatted(trace, file)), byFile.out());
    assertEquals(afterAnswer(byName), afterAnswer(byFile));
    assertEquals(shown.out(), CommandRun.of("list", "devices", file.toString()).out());
  }

  private static String unwrapped(CommandRun run) {
    return run.out().replaceAll("\\s+", " ");
  }

  /** What is printed after the answer, which names the next command. */
  private static String afterAnswer(CommandRun run) {
    return run.out().substring(run.out().indexOf("\n\n"));
  }

  @Test
  void aWrongProfileIsRefusedInOneSentenceThatNamesTheField() throws IOException {
    String text = CommandRun.of("list", "devices", "t4").out();
    Path file =
        Files.writeString(folder.resolve("mine.json"), text.replace("\"page_bytes\"", "\"page\""));
    CommandRun run = CommandRun.of("list", "devices", file.toString());
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(
        run.err().contains(file + ": field 'page_bytes' is missing; add it"), () -> run.err());
    CommandRun missing = CommandRun.of("list", "devices", folder.resolve("no.json").toString());
    assertEquals(ExitCodes.USAGE, missing.exitCode());
    assertTrue(missing.err().contains("no such file"), missing.err());
    CommandRun unknown = CommandRun.of("list", "devices", "h300");
    assertTrue(unknown.err().contains("unknown device 'h300'"), unknown.err());
  }
}
