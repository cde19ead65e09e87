package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.allocsim.analysis.fleet.sweep.RowCsv;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Long commands that a signal tells to end keep and print what they have. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class EarlyEndTest {
  private static final int BY_TERM = 128 + 15;
  private static final int BY_INT = 128 + 2;
  private static final int LOOK_MILLIS = 20;
  private static final String TOLD =
      "allocsim: told to end by a signal; what was finished until then is kept.";

  @TempDir private Path folder;

  private static int end(Process child, String signal) throws Exception {
    new ProcessBuilder("kill", "-" + signal, Long.toString(child.pid())).start().waitFor();
    assertTrue(child.waitFor(1, TimeUnit.MINUTES), signal);
    return child.exitValue();
  }

  private static boolean hasFiles(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.anyMatch(Files::isRegularFile);
    }
  }

  private static List<SweepRow> rows(Path swept) throws IOException {
    List<SweepRow> rows = new ArrayList<>();
    try (InputStream in = Files.newInputStream(swept.resolve("rows.csv"))) {
      RowCsv.read(in, rows::add);
    }
    return rows;
  }

  @Test
  void sweepsSayWhatIsThereAndGoOn() throws Exception {
    Path traces = Files.createDirectory(folder.resolve("traces"));
    Path recording = CommandRun.recording("cat_growth.pickle.xz");
    for (int i = 0; i < 40; i++) {
      Files.copy(recording, traces.resolve(i + ".pickle.xz"));
    }
    Path whole = folder.resolve("whole");
    Path log = folder.resolve("log");
    assertEquals(0, CommandRun.of("sweep", traces, "--confs", "tune", "-o", whole).exitCode());
    for (String signal : List.of("TERM", "INT")) {
      Path swept = folder.resolve("swept-" + signal);
      Process child =
          Child.start(":", List.of(), log, "sweep", traces, "--confs", "tune", "-o", swept);
      while (child.isAlive() && !hasFiles(swept.resolve("parts"))) {
        child.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      }
      int exitCode = end(child, signal);
      String said = Files.readString(log);
      if (exitCode != ExitCodes.DONE) {
        assertEquals(signal.equals("TERM") ? BY_TERM : BY_INT, exitCode, said);
        assertTrue(said.contains("; the same command makes the others\n"), said);
        assertTrue(said.endsWith(TOLD + "\n"), said);
        assertFalse(Files.exists(swept.resolve("rows.csv")), signal);
      }
      assertEquals(0, CommandRun.of("sweep", traces, "--confs", "tune", "-o", swept).exitCode());
      List<SweepRow> resumed = rows(swept);
      List<SweepRow> uninterrupted = rows(whole);
      assertEquals(uninterrupted.size(), resumed.size());
      for (int i = 0; i < resumed.size(); i++) {
        assertTrue(uninterrupted.get(i).isSameRun(resumed.get(i)), resumed.get(i).toString());
      }
    }
  }

  @Test
  void theSuitePrintsItsFinishedScenarios() throws Exception {
    Path log = folder.resolve("log");
    long startNanos = System.nanoTime();
    assertEquals(0, Child.start(":", List.of(), log, "suite").waitFor());
    long wholeMillis = (System.nanoTime() - startNanos) / 1_000_000;
    List<String> whole = Files.readAllLines(log);
    for (int part = 2; part <= 4; part++) {
      Process child = Child.start(":", List.of(), log, "suite");
      if (child.waitFor(wholeMillis * part / 5, TimeUnit.MILLISECONDS)) {
        continue;
      }
      int exitCode = end(child, "TERM");
      List<String> said = Files.readAllLines(log);
      if (exitCode == ExitCodes.DONE || !said.contains(TOLD)) {
        // It had ended by then, or not begun.
        continue;
      }
      assertEquals(BY_TERM, exitCode);
      assertTrue(said.getFirst().endsWith("all pass"), said.getFirst());
      assertTrue(said.size() <= whole.size() + 1, () -> said.size() + " lines");
    }
  }

  @Test
  void perturbationsKeepTheCopiesThatWereMade() throws Exception {
    Path log = folder.resolve("log");
    for (String signal : List.of("TERM", "INT")) {
      Path json = folder.resolve(signal + ".json");
      Process child =
          Child.start(
              ":",
              List.of(),
              log,
              "perturb",
              CommandRun.recording("cat_growth.pickle.xz"),
              "--swap-adjacent",
              "--runs",
              100_000,
              "--json",
              json);
      // Long enough to have begun, far too short for all copies.
      while (child.isAlive() && !hasTemporary(folder)) {
        child.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS);
      }
      child.waitFor(1, TimeUnit.SECONDS);
      int exitCode = end(child, signal);
      String said = Files.readString(log);
      if (said.contains(TOLD)) {
        assertEquals(signal.equals("TERM") ? BY_TERM : BY_INT, exitCode, said);
        JsonNode answer = new ObjectMapper().readTree(json);
        assertTrue(answer.path("partial").asBoolean(), said);
        assertTrue(answer.path("runs").asInt() < 100_000, said);
      }
    }
  }

  private static boolean hasTemporary(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith(".allocsim-"));
    }
  }
}
