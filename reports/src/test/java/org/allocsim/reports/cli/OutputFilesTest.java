package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.OutputFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFilesTest {
  @TempDir private Path folder;
  private final StringWriter standardOutput = new StringWriter();

  @Test
  void nothingAppearsBeforeTheCommit() throws IOException {
    Path target = folder.resolve("out.json");
    try (OutputFiles outputs = outputs()) {
      write(outputs.open("--json", target.toString(), null), "all");
      assertFalse(Files.exists(target));
      outputs.commit();
      assertEquals("all", Files.readString(target));
    }
    assertEquals(List.of("out.json"), CommandRun.files(folder));
  }

  @Test
  void withoutACommitTheOldFileStaysAndNothingIsLeftBehind() throws IOException {
    Path target = Files.writeString(folder.resolve("out.json"), "old");
    try (OutputFiles outputs = outputs()) {
      write(outputs.open("--json", target.toString(), null), "new");
    }
    assertEquals("old", Files.readString(target));
    assertEquals(List.of("out.json"), CommandRun.files(folder));
  }

  @Test
  void aCommitReplacesTheOldFile() throws IOException {
    Path target = Files.writeString(folder.resolve("out.json"), "a longer old text");
    try (OutputFiles outputs = outputs()) {
      write(outputs.open("--json", target.toString(), null), "new");
      outputs.commit();
    }
    assertEquals("new", Files.readString(target));
  }

  @Test
  void aLinkStaysALinkAndItsTargetIsWritten() throws IOException {
    Path real = Files.writeString(folder.resolve("real.json"), "old");
    Path link = Files.createSymbolicLink(folder.resolve("link.json"), real);
    try (OutputFiles outputs = outputs()) {
      write(outputs.open("--json", link.toString(), null), "new");
      outputs.commit();
    }
    assertTrue(Files.isSymbolicLink(link));
    assertEquals("new", Files.readString(real));
  }

  @Test
  void aRestartDropsWhatWasWritten() throws IOException {
    Path target = folder.resolve("out.json");
    try (OutputFiles outputs = outputs()) {
      OutputFiles.Output output = outputs.open("--json", target.toString(), null);
      write(output, "first attempt");
      output.restart();
      write(output, "second");
      outputs.commit();
    }
    assertEquals("second", Files.readString(target));
  }

  @Test
  void aDashIsStandardOutput() {
    try (OutputFiles outputs = outputs()) {
      assertFalse(outputs.takesStandardOutput());
      write(outputs.open("--json", "-", null), "tränen");
      assertTrue(outputs.takesStandardOutput());
      assertEquals("", standardOutput.toString());
      outputs.commit();
    }
    assertEquals("tränen", standardOutput.toString());
  }

  @Test
  void aDeviceIsWrittenAndNotReplaced() {
    Path device = Path.of("/dev/null");
    assumeTrue(Files.exists(device), "there is no /dev/null here");
    try (OutputFiles outputs = outputs()) {
      write(outputs.open("--json", device.toString(), null), "gone");
      outputs.commit();
    }
    assertFalse(Files.isRegularFile(device));
  }

  @Test
  void twoOutputsDoNotShareAFile() {
    Path target = folder.resolve("out");
    try (OutputFiles outputs = outputs()) {
      outputs.open("--json", target.toString(), null);
      Failure failure =
          assertThrows(Failure.class, () -> outputs.open("--events", folder + "/./out", null));
      assertEquals(ExitCodes.USAGE, failure.exitCode());
      assertTrue(failure.getMessage().contains("--json and --events both write"));
    }
    assertEquals(List.of(), CommandRun.files(folder));
  }

  @Test
  void theInputIsNotOverwritten() throws IOException {
    Path input = Files.writeString(folder.resolve("trace"), "input");
    try (OutputFiles outputs = outputs()) {
      Failure failure =
          assertThrows(Failure.class, () -> outputs.open("--json", input.toString(), input));
      assertEquals(ExitCodes.USAGE, failure.exitCode());
    }
    assertEquals("input", Files.readString(input));
  }

  @Test
  void unwritableTargetsFailWhenTheyAreOpened() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    try (OutputFiles outputs = outputs()) {
      assertUnwritable(outputs, folder.toString(), "it is a folder");
      assertUnwritable(outputs, folder + "/missing/out", "its folder does not exist");
      Path charts = Files.createDirectory(folder.resolve("charts"));
      assertUnwritable(
          outputs,
          folder + "/chatrs/out",
          "its folder does not exist; did you mean '" + charts + "'?");
      assertUnwritable(outputs, file + "/out", "its folder does not exist");
      assertUnwritable(outputs, "\0", "not a file name");
      assertUnwritable(outputs, folder + "/" + "x".repeat(300), "name");
      Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nothing"));
      assertUnwritable(outputs, folder + "/dangling", "does not exist");
    }
    assertEquals(List.of("charts", "dangling", "file"), CommandRun.files(folder));
  }

  private static void assertUnwritable(OutputFiles outputs, String name, String reason) {
    Failure failure = assertThrows(Failure.class, () -> outputs.open("--json", name, null), name);
    assertEquals(ExitCodes.FAILED, failure.exitCode());
    assertTrue(failure.getMessage().startsWith("--json: cannot write"), failure.getMessage());
    assertTrue(failure.getMessage().contains(reason), failure.getMessage());
  }

  private OutputFiles outputs() {
    return new OutputFiles(new PrintWriter(standardOutput));
  }

  private static void write(OutputFiles.Output output, String text) {
    try {
      output.stream().write(text.getBytes(UTF_8));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
