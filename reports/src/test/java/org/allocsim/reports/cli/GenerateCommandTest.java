package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramProvider;
import org.allocsim.workloads.program.Programs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerateCommandTest {
  @TempDir private Path folder;

  private Path generated(String name) throws IOException {
    Path file = folder.resolve(name);
    CommandRun run =
        CommandRun.of("generate", "mlp", "--option", "iterations=2", "--seed", "5", "-o", file);
    assertEquals("", run.err());
    assertEquals(ExitCodes.DONE, run.exitCode());
    assertTrue(run.out().contains("of program mlp as jsonl"), run.out());
    return file;
  }

  @Test
  void theSameSeedWritesTheSameBytesAndTheFileCanBeReplayed() throws IOException {
    Path file = generated("a.jsonl.zst");
    assertEquals(-1, Files.mismatch(file, generated("b.jsonl.zst")));
    assertEquals(ExitCodes.DONE, CommandRun.of("replay", file).exitCode());
  }

  @Test
  void rowsHaveTheTimesOfTheDevice() throws IOException {
    List<String> rows = Files.readAllLines(generated("plain.jsonl"));
    Path file = folder.resolve("t4.jsonl");
    CommandRun.of(
        "generate", "mlp", "--option", "iterations=2", "--seed", "5", "--device", "t4", "-o", file);
    assertTrue(lastNanos(Files.readAllLines(file)) > lastNanos(rows));
  }

  @Test
  void usesOfOtherStreamsEndWhereTheWorkDoes() throws IOException {
    Path file = folder.resolve("streams.jsonl");
    CommandRun run = CommandRun.of("generate", "prefetch", "--option", "iterations=3", "-o", file);
    assertEquals("", run.err());
    assertTrue(Files.readString(file).contains("use_complete"));
  }

  private static long lastNanos(List<String> rows) {
    // A row without a time has that of the row before.
    String last =
        rows.reversed().stream().filter(row -> row.contains("time_ns")).findFirst().orElseThrow();
    return Long.parseLong(last.replaceAll(".*\"time_ns\":(\\d+).*", "$1"));
  }

  @Test
  void aWrongOptionIsWrongUsage() throws IOException {
    CommandRun run =
        CommandRun.of("generate", "mlp", "--option", "batch=0", "-o", folder.resolve("c.jsonl"));
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("option batch of program mlp must be"), run.err());
  }

  @Test
  void programsAreListedWithTheirOptions() throws IOException {
    String list = CommandRun.of("list", "programs").out();
    for (ProgramProvider program : Programs.all()) {
      assertTrue(list.contains(program.summary()), list);
      String shown = CommandRun.of("list", "programs", program.id()).out();
      for (ProgramOption option : program.options()) {
        assertTrue(shown.contains(option.name()), shown);
      }
    }
  }
}
