package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.allocsim.reports.output.ExitCodes;
import org.junit.jupiter.api.Test;

/** What the documentation says of the sample that ships with the project. */
class SampleTest {
  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");

  @Test
  void theSimulationIsExactOnIt() {
    CommandRun run = CommandRun.of("verify", SAMPLE, "--memory-fraction", "0.05");
    assertEquals(ExitCodes.DONE, run.exitCode(), run.out() + run.err());
    assertTrue(run.out().contains("exact (30 829 of 30 829 events"), run.out());
  }

  @Test
  void itRunsOutOfMemoryTwentyTimesAndTwiceWithExpandableSegments() {
    assertTrue(replay("").contains("CUDA OOMs: 20 "));
    assertTrue(replay("expandable_segments:True").contains("CUDA OOMs: 2 "));
  }

  private static String replay(String conf) {
    CommandRun run = CommandRun.of("replay", SAMPLE, "--memory-fraction", "0.05", "--conf", conf);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return run.out();
  }
}
