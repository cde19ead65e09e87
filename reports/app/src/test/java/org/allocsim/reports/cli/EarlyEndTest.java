package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Long commands that a signal tells to end keep and print what they have. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class EarlyEndTest {
  private static final int BY_TERM = 128 + 15;
  private static final int BY_INT = 128 + 2;
  private static final int LOOK_MILLIS = 20;
  private static final int REPEATS = 50;
  private static final int LONG_ANSWERS = 3000;
  private static final String TOLD =
      "allocsim: stopped by a signal; results finished so far are kept.";

  private static final String PARTIAL =
      "Partial: stopped early by a signal; unfinished parts are missing.";

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
        assertTrue(said.contains("; repeat the command to finish the rest\n"), said);
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
      assertEquals(PARTIAL, said.getFirst());
      assertTrue(said.get(2).endsWith("all pass"), said.get(2));
      assertTrue(said.size() <= whole.size() + 3, () -> said.size() + " lines");
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

  /** Files in the words of a {@link Search}. */
  private static final class Named {
    static final String TRACE = "TRACE";
    static final String REPORT = "REPORT";
  }

  /** Commands that try many things on one trace, and where their answers have them. */
  enum Search {
    TUNE("/settings", "tune", Named.TRACE, "--grid", "fine"),
    COMPARE(
        "/traces/0/results",
        "compare",
        Named.TRACE,
        "--policies",
        "all",
        "--confs",
        ";expandable_segments:True"),
    MIN_CAPACITY("/settings", "min-capacity", Named.TRACE, "--policies", "all"),
    FIT(
        "/settings",
        "fit",
        Named.TRACE,
        Named.TRACE,
        "--sizes",
        "8,16",
        "--batch",
        "64",
        "--confs",
        ";max_split_size_mb:32;max_split_size_mb:64;max_split_size_mb:128;max_split_size_mb:256;"
            + "max_split_size_mb:512;max_split_size_mb:1024;expandable_segments:True"),
    SHARE(
        "/processes",
        "colocate",
        Named.TRACE + ",name=a",
        Named.TRACE + ",name=b",
        Named.TRACE + ",name=c",
        "--limits",
        "--smallest"),
    VIEW(
        "/traces",
        "view",
        Named.TRACE,
        Named.TRACE,
        Named.TRACE,
        Named.TRACE,
        Named.TRACE,
        Named.TRACE,
        "--report",
        Named.REPORT),
    VALIDATE(
        "/cases",
        "validate",
        Named.TRACE,
        Named.TRACE,
        Named.TRACE,
        Named.TRACE,
        "--policies",
        "direct,cuda-async,pytorch",
        "--near-limits");

    private final String entries;
    private final List<String> words;

    Search(String entries, String... words) {
      this.entries = entries;
      this.words = List.of(words);
    }
  }

  /** What a shell does before a process so that it finds the driver of a GPU that is not there. */
  private String withDriver() throws Exception {
    Path source = folder.resolve("driver.c");
    try (InputStream resource = EarlyEndTest.class.getResourceAsStream("driver.c")) {
      Files.write(source, resource.readAllBytes());
    }
    Path library = folder.resolve("libcuda.so.1");
    try {
      Process compiler =
          new ProcessBuilder(
                  "cc", "-O2", "-shared", "-fPIC", source.toString(), "-o", library.toString())
              .inheritIO()
              .start();
      assertEquals(0, compiler.waitFor());
    } catch (IOException e) {
      abort("not run: there is no C compiler to make a driver with: " + e.getMessage());
    }
    return "export LD_LIBRARY_PATH='" + folder + "'";
  }

  /** Told to end again and again, each time later, until it has something to print. */
  @ParameterizedTest
  @EnumSource(Search.class)
  void searchesPrintWhatTheyHaveTried(Search search) throws Exception {
    Path trace = folder.resolve("long.jsonl");
    assertEquals(
        0,
        CommandRun.of(
                "transform",
                CommandRun.recording("cat_growth.pickle.xz"),
                "--repeat",
                REPEATS,
                "-o",
                trace)
            .exitCode());
    Path to = folder.resolve("to");
    Path json = to.resolve("answer.json");
    Path log = folder.resolve("log");
    Path report = folder.resolve("report");
    List<Object> words = new ArrayList<>(List.of(search.words.getFirst(), "--json", json));
    for (String word : search.words.subList(1, search.words.size())) {
      words.add(
          word.replace(Named.TRACE, trace.toString()).replace(Named.REPORT, report.toString()));
    }
    String shell = search == Search.VALIDATE ? withDriver() : ":";
    for (long millis = 1_000; !Files.exists(json); millis += millis / 2) {
      String signal = millis % 2 == 0 ? "TERM" : "INT";
      Files.createDirectories(to);
      Process child = Child.start(shell, List.of(), log, words.toArray());
      assertFalse(child.waitFor(millis, TimeUnit.MILLISECONDS), () -> "it was over too soon");
      int exitCode = end(child, signal);
      String said = Files.readString(log);
      assertEquals(signal.equals("TERM") ? BY_TERM : BY_INT, exitCode, said);
      try (Stream<Path> left = Files.list(to)) {
        assertEquals(Files.exists(json) ? List.of(json) : List.of(), left.toList());
      }
      assertEquals(
          search == Search.VIEW && Files.exists(json), hasFiles(report), () -> "in " + report);
    }
    List<String> said = Files.readAllLines(log);
    assertTrue(said.contains(PARTIAL), said.toString());
    assertEquals(TOLD, said.getLast());
    JsonNode answer = new ObjectMapper().readTree(json);
    assertTrue(answer.path("partial").asBoolean());
    assertFalse(answer.at(search.entries).isEmpty());
  }

  /** Answers so long, and memory so short, that serving them takes minutes. */
  private Path longAnswers() throws IOException {
    StringBuilder rows = new StringBuilder("Timestamp,Request tokens,Response tokens\n");
    for (int i = 0; i < LONG_ANSWERS; i++) {
      rows.append(i).append(",5,120000\n");
    }
    return Files.writeString(folder.resolve("long.csv"), rows);
  }

  @Test
  void serveSaysWhatWasServedUntilThen() throws Exception {
    Path traffic = longAnswers();
    Path json = folder.resolve("serve.json");
    Path log = folder.resolve("log");
    for (String signal : List.of("TERM", "INT")) {
      Files.deleteIfExists(json);
      for (long millis = 2_000; !Files.exists(json); millis += millis / 2) {
        Process child =
            Child.start(
                ":",
                List.of(),
                log,
                "serve",
                traffic,
                "--model",
                "llama-3.1-8b",
                "--cache",
                "paged,kvcached",
                "--json",
                json);
        assertFalse(child.waitFor(millis, TimeUnit.MILLISECONDS), () -> "it was over too soon");
        assertEquals(signal.equals("TERM") ? BY_TERM : BY_INT, end(child, signal));
      }
      List<String> said = Files.readAllLines(log);
      assertTrue(said.contains(PARTIAL), said.toString());
      assertEquals(TOLD, said.getLast());
      JsonNode answer = new ObjectMapper().readTree(json);
      assertTrue(answer.path("partial").asBoolean());
      JsonNode paged = answer.at("/caches/0");
      assertTrue(paged.path("served").asInt() < LONG_ANSWERS, paged.toString());
    }
  }

  private static boolean hasTemporary(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.anyMatch(file -> file.getFileName().toString().startsWith(".allocsim-"));
    }
  }
}
