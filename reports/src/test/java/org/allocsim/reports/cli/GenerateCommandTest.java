package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void aWrongOptionIsWrongUsage() throws IOException {
    CommandRun run =
        CommandRun.of("generate", "mlp", "--option", "batch=0", "-o", folder.resolve("c.jsonl"));
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("option batch of program mlp takes"), run.err());
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
