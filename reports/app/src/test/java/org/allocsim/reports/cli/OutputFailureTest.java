package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.StandardOutput;
import org.allocsim.reports.text.TerminalWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Output that cannot be written is never lost without a word, whatever command writes it. */
class OutputFailureTest {
  private static final Path FULL = Path.of("/dev/full");

  /** Options that name a file to write. */
  private static final List<String> FILES =
      List.of("--json", "--csv", "--events", "--chart", "--output");

  @TempDir private Path folder;
  private Map<String, List<Object>> lines;

  @BeforeEach
  void aFullDevice() throws IOException {
    assumeTrue(Files.exists(FULL), "there is no /dev/full here");
    lines = CommandLines.on(CommandRun.recording("cat_growth.pickle.xz"), folder);
    CommandRun sweep = CommandRun.of(CommandLines.words("sweep", lines.get("sweep")));
    assertEquals(ExitCodes.DONE, sweep.exitCode(), sweep.err());
  }

  private static CommandRun onFullDevice(Object... arguments) {
    StringWriter err = new StringWriter();
    try (OutputStream full = new FileOutputStream(FULL.toFile())) {
      int exitCode =
          Main.run(
              new TerminalWriter(new StandardOutput(full), 100),
              new PrintWriter(err),
              false,
              Stream.of(arguments).map(String::valueOf).toArray(String[]::new));
      return new CommandRun(exitCode, "", err.toString());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void assertFails(CommandRun run, String what, String where) {
    assertEquals(ExitCodes.FAILED, run.exitCode(), what + ": " + run.err());
    assertEquals(1, run.err().lines().count(), what + ": " + run.err());
    assertTrue(run.err().startsWith("allocsim: "), what + ": " + run.err());
    assertTrue(run.err().contains(where), what + ": " + run.err());
    assertTrue(run.err().contains("No space left on device"), what + ": " + run.err());
  }

  @Test
  void everyCommandSaysThatStandardOutputIsFull() {
    List<Executable> checks = new ArrayList<>();
    lines.forEach((name, arguments) -> {
      checks.add(() ->
          assertFails(onFullDevice(CommandLines.words(name, arguments)), name, "standard output"));
      checks.add(() ->
          assertFails(
              onFullDevice(CommandLines.words(name, List.of("--help"))),
              name + " --help",
              "standard output"));
    });
    checks.add(() -> assertFails(onFullDevice("--version"), "--version", "standard output"));
    checks.add(() -> assertFails(onFullDevice("--help"), "--help", "standard output"));
    assertAll(checks);
  }

  @Test
  void everyFormatSaysThatStandardOutputIsFull() {
    List<Executable> checks = new ArrayList<>();
    lines.forEach((name, arguments) -> {
      Map<String, ?> options = CommandLines.command(name).getCommandSpec().optionsMap();
      List<List<Object>> formats = new ArrayList<>();
      for (String option : List.of("--json", "--csv", "--events")) {
        if (options.containsKey(option)) {
          formats.add(List.of(option, "-"));
        }
      }
      if (options.containsKey("--markdown")) {
        formats.add(List.of("--markdown"));
      }
      if (CommandLines.isHere(name) && !name.equals("suite")) {
        formats.forEach(format ->
            checks.add(() ->
                assertFails(
                    onFullDevice(CommandLines.words(name, arguments, format.toArray())),
                    name + format,
                    format.contains("-") ? "" : "standard output")));
      }
    });
    assertTrue(checks.size() > 50, "" + checks.size());
    assertAll(checks);
  }

  @Test
  void everyOptionThatNamesAFileSaysThatItIsFull() throws IOException {
    Map<String, List<Object>> told = new LinkedHashMap<>(lines);
    told.put("generate", List.of("mlp", "--to", "jsonl"));
    Path trace = CommandRun.recording("cat_growth.pickle.xz");
    told.put("convert", List.of(trace, "--to", "jsonl"));
    told.remove("sweep");
    told.remove("transform");
    told.remove("suite");
    Path chart = Files.createSymbolicLink(folder.resolve("full.svg"), FULL);
    List<Executable> checks = new ArrayList<>();
    told.forEach((name, arguments) -> {
      Map<String, ?> options = CommandLines.command(name).getCommandSpec().optionsMap();
      for (String option : FILES) {
        boolean isFolder = name.equals("fleet-report") && option.equals("--output");
        if (CommandLines.isHere(name) && options.containsKey(option) && !isFolder) {
          Path full = option.equals("--chart") ? chart : FULL;
          // One page takes the place of the folder.
          boolean isPage = name.equals("view") && option.equals("--output");
          List<Object> asked = isPage ? List.of(trace) : arguments;
          checks.add(() ->
              assertFails(
                  CommandRun.of(CommandLines.words(name, asked, option, full)),
                  name + " " + option,
                  option + ": "));
        }
      }
    });
    Path transformed = Files.createSymbolicLink(folder.resolve("full.jsonl"), FULL);
    checks.add(() ->
        assertFails(
            CommandRun.of("transform", trace, "--repeat", 2, "-o", transformed),
            "transform",
            "--output: "));
    assertTrue(checks.size() > 25, "" + checks.size());
    assertAll(checks);
  }

  @Test
  void aClosedPipeEndsSilently() {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    StringWriter err = new StringWriter();
    PrintWriter out = new PrintWriter(new StandardOutput(closed));
    assertEquals(ExitCodes.DONE, Main.run(out, new PrintWriter(err), false, "list", "policies"));
    assertEquals("", err.toString());
    assertTrue(out.checkError());
  }
}
