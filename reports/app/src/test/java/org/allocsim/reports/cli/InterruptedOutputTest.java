package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.ObjectMapper;

/**
 * Commands that end too early, by a signal or a full disk: outputs are absent or whole, and nothing
 * else is left. {@code -Dallocsim.kills=N} kills each command N times, with the signals in turns.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
class InterruptedOutputTest {
  private static final int KILLS = Integer.getInteger("allocsim.kills", 0);
  private static final List<String> SIGNALS = List.of("TERM", "INT", "KILL");
  private static final long SEED = 24;
  private static final Path RECORDING =
      CommandRun.recording("cat_growth.pickle.xz").toAbsolutePath();

  /** Has no leak, so that its exit code is 0. */
  private static final Path STEADY =
      CommandRun.recording("prefetch_streams.pickle.xz").toAbsolutePath();

  @TempDir private Path folder;

  private static Object[] replay(Path to) {
    return new Object[] {
      "replay",
      RECORDING,
      "--json",
      to.resolve("a.json"),
      "--events",
      to.resolve("b.jsonl"),
      "--charts",
      to.resolve("charts/of/replay"),
      "--report",
      to.resolve("report")
    };
  }

  private static Map<String, String> contents(Path folder) throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .filter(file -> !file.equals(folder))
          .forEach(file -> {
            try {
              contents.put(
                  folder.relativize(file).toString(),
                  Files.isDirectory(file)
                      ? "folder"
                      : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    }
    return contents;
  }

  /**
   * Answers and bars of throughput have the seconds that a run took; all else is the same. Of an
   * answer that was ended early and says so, tables and charts have the rows that were done.
   */
  private static void assertWhole(String name, String whole, String content, boolean isPartial) {
    if (name.endsWith(".json")) {
      assertTrue(new ObjectMapper().readTree(content).has("schema"), name);
    } else if (name.endsWith(".html")) {
      assertTrue(content.strip().endsWith("</html>"), name);
    } else if (name.endsWith(".csv") && isPartial) {
      assertEquals(whole.lines().findFirst(), content.lines().findFirst(), name);
      assertTrue(content.endsWith("\n"), name);
      assertTrue(content.lines().count() <= whole.lines().count(), name);
    } else if (name.endsWith(".csv")) {
      assertEquals(whole.lines().count(), content.lines().count(), name);
    } else if (name.contains("throughput") || isPartial && name.matches(".*[.](png|svg)")) {
      assertEquals(whole.substring(whole.length() - 8), content.substring(content.length() - 8));
    } else {
      assertEquals(whole, content, name);
    }
  }

  private static boolean isTemporary(String name) {
    return Path.of(name).getFileName().toString().startsWith(".allocsim-");
  }

  /** Commands that write, all into one folder; those of the GPU have tests of their own. */
  enum Writing {
    REPLAY(InterruptedOutputTest::replay),
    CONVERT(to -> words("convert", RECORDING, "-o", to.resolve("trace.jsonl.zst"))),
    GENERATE(to -> words("generate", "mlp", "-o", to.resolve("mlp.jsonl"))),
    TRANSFORM(
        to -> words("transform", RECORDING, "--repeat", 9, "-o", to.resolve("long.jsonl.xz"))),
    COMPARE(
        to -> words("compare", RECORDING, "--policies", "pytorch,direct", "--report", report(to))),
    TUNE(to -> words("tune", RECORDING, "--report", report(to))),
    DIAGNOSE(to -> words("diagnose", RECORDING, "--report", report(to))),
    VIEW(to -> words("view", RECORDING, "--report", report(to))),
    SUITE(to -> words("suite", "--export", to.resolve("suite"))),
    MIN_CAPACITY(to -> words("min-capacity", RECORDING, "--report", report(to))),
    PERTURB(
        to -> words("perturb", RECORDING, "--swap-adjacent", "--runs", 20, "--report", report(to))),
    PEAK(to -> words("peak", RECORDING, "--report", report(to))),
    BLOCKERS(to -> words("blockers", RECORDING, "--report", report(to))),
    LEAKS(to -> words("leaks", STEADY, "--chart", to.resolve("leaks.svg"))),
    DIFF(to -> words("diff", RECORDING, RECORDING, "--report", report(to))),
    ACCOUNT(to -> words("account", RECORDING, "--report", report(to))),
    INSPECT(to -> words("inspect", RECORDING, "--json", to.resolve("inspect.json"))),
    VERIFY(to -> words("verify", RECORDING, "--json", to.resolve("verify.json"))),
    CHECK(to ->
        words("check", RECORDING, "--max-reserved", "1TiB", "--json", to.resolve("check.json")));

    private final Function<Path, Object[]> command;

    Writing(Function<Path, Object[]> command) {
      this.command = command;
    }

    private static Object[] words(Object... words) {
      return words;
    }

    private static Path report(Path to) {
      return to.resolve("report");
    }
  }

  /** Kills a command at random moments, each time followed by one that is let alone. */
  private final class Killer {
    private final Function<Path, Object[]> command;
    private final Path log = folder.resolve("log");
    private final Random random = new Random(SEED);
    private final Map<String, String> whole;
    private final long wholeMillis;
    private int kills;

    Killer(Function<Path, Object[]> command) throws Exception {
      this.command = command;
      Path to = Files.createTempDirectory(folder, "whole");
      long startNanos = System.nanoTime();
      assertEquals(
          ExitCodes.DONE,
          Child.start(":", List.of(), log, command.apply(to)).waitFor(),
          () -> read(log));
      wholeMillis = (System.nanoTime() - startNanos) / 1_000_000;
      whole = contents(to);
    }

    void kill(String signal) throws Exception {
      Path to = Files.createTempDirectory(folder, "killed" + kills++);
      String what = command.apply(to)[0] + " by " + signal;
      Process child = Child.start(":", List.of(), log, command.apply(to));
      boolean ended =
          child.waitFor(wholeMillis / 4 + random.nextLong(wholeMillis), TimeUnit.MILLISECONDS);
      if (!ended) {
        new ProcessBuilder("kill", "-" + signal, Long.toString(child.pid())).start().waitFor();
      }
      assertTrue(child.waitFor(1, TimeUnit.MINUTES), what);
      Map<String, String> left = contents(to);
      boolean isPartial =
          left.values().stream().anyMatch(each -> each.contains("\"partial\": true"));
      left.forEach((name, content) -> {
        if (!isTemporary(name)) {
          assertWhole(name, whole.get(name), content, isPartial);
        } else {
          assertEquals("KILL", signal, what + ": " + name);
        }
      });
      if (!signal.equals("KILL") && left.keySet().stream().noneMatch(n -> n.contains("."))) {
        assertEquals(Map.of(), left, what);
      }
      CommandRun again = CommandRun.of(command.apply(to));
      assertEquals(ExitCodes.DONE, again.exitCode(), again.err());
      assertFalse(contents(to).keySet().stream().anyMatch(InterruptedOutputTest::isTemporary));
      assertEquals(whole.keySet(), contents(to).keySet(), what);
    }
  }

  /** One kill of each where no more are asked for, and one with each signal of the first. */
  @ParameterizedTest
  @EnumSource(Writing.class)
  void outputsOfAKilledCommandAreAbsentOrWhole(Writing writing) throws Exception {
    boolean isFirst = writing.ordinal() == 0;
    int kills = KILLS > 0 ? KILLS : isFirst ? SIGNALS.size() : 1;
    Killer killer = new Killer(writing.command);
    for (int i = 0; i < kills; i++) {
      killer.kill(SIGNALS.get((writing.ordinal() + i) % SIGNALS.size()));
    }
    if (KILLS > 0) {
      System.out.println(writing + ": killed " + kills + " times");
    }
  }

  @Test
  void aFullDiskIsASentenceAndLeavesNothing() throws Exception {
    Path to = Files.createDirectory(folder.resolve("to"));
    Path swept = folder.resolve("swept");
    Object trace = CommandRun.recording("cat_growth.pickle.xz").toAbsolutePath();
    assertEquals(0, CommandRun.of("sweep", trace, "-o", swept).exitCode());
    for (Object[] arguments :
        List.of(
            replay(to),
            new Object[] {"convert", trace, "-o", to.resolve("trace.jsonl")},
            new Object[] {"generate", "mlp", "-o", to.resolve("mlp.jsonl")},
            new Object[] {"transform", trace, "--repeat", 9, "-o", to.resolve("long.jsonl")},
            new Object[] {"fleet-report", swept, "-o", to.resolve("fleet")},
            new Object[] {"suite", "--export", to.resolve("suite")})) {
      Path log = folder.resolve("log");
      // No file may have more than 2 KiB.
      Process child = Child.start("ulimit -f 4", List.of(), log, arguments);
      assertEquals(ExitCodes.FAILED, child.waitFor(), () -> arguments[0] + read(log));
      // The system's library of fonts complains of its own cache, by itself.
      List<String> said =
          read(log).lines().filter(each -> !each.startsWith("write cache: ")).toList();
      assertEquals(1, said.size(), () -> arguments[0] + read(log));
      assertTrue(said.getFirst().startsWith("allocsim: "), () -> arguments[0] + read(log));
      assertEquals(Map.of(), contents(to), arguments[0].toString());
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void numbersAreWrittenAlikeInTurkish() throws Exception {
    Path turkish = folder.resolve("turkish");
    Path english = folder.resolve("english");
    Object trace = CommandRun.recording("cat_growth.pickle.xz").toAbsolutePath();
    Object[] command = {"inspect", trace};
    assertEquals(
        0,
        Child.start(":", List.of("-Duser.language=tr", "-Duser.country=TR"), turkish, command)
            .waitFor());
    assertEquals(0, Child.start(":", List.of(), english, command).waitFor());
    String timed = " events in [0-9.]+ s";
    assertEquals(read(english).replaceAll(timed, ""), read(turkish).replaceAll(timed, ""));
  }
}
