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

class ValidateCommandTest {
  @TempDir private Path folder;

  private String trace() throws IOException {
    return Files.writeString(
            folder.resolve("trace.jsonl"),
            """
            {"allocsim":"trace","version":1}
            {"op":"alloc","id":1,"bytes":5000000}
            """)
        .toString();
  }

  @Test
  void withoutADriverOneSentenceSaysSoAndNothingIsWritten() throws IOException {
    assumeFalse(Files.exists(Path.of("/dev/nvidia0")), "not run: this machine has a GPU");
    Path json = folder.resolve("result.json");
    CommandRun run = CommandRun.of("validate", trace(), "--json", json.toString());
    assertEquals(ExitCodes.FAILED, run.exitCode());
    assertTrue(run.err().startsWith("allocsim: no NVIDIA driver"), run.err());
    assertEquals(1, run.err().lines().count());
    assertTrue(Files.notExists(json));
  }

  @Test
  void anUnknownPolicyIsRefusedBeforeTheGpuIsTouched() throws IOException {
    CommandRun run = CommandRun.of("validate", trace(), "--policy", "nothing");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("'nothing' is not a policy"), run.err());
  }
}
