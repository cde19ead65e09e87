package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  @Test
  void anOptionAloneSaysWhatIsComparedToo() {
    assertArrayEquals(words("validate gpu a"), ValidateWords.withSubject(words("validate a")));
    assertArrayEquals(
        words("validate pytorch a --random 3"),
        ValidateWords.withSubject(words("validate a --pytorch --random 3")));
    assertArrayEquals(
        words("validate together a b"),
        ValidateWords.withSubject(words("validate --together a b")));
    assertArrayEquals(
        words("validate cache a --cache=paged"),
        ValidateWords.withSubject(words("validate a --cache=paged")));
    assertArrayEquals(
        words("--plugins jars validate gpu a"),
        ValidateWords.withSubject(words("--plugins jars validate a")));
    for (String same :
        List.of("validate", "validate --help", "validate gpu a", "validate cache a", "peak a")) {
      assertArrayEquals(words(same), ValidateWords.withSubject(words(same)));
    }
  }

  private static String[] words(String line) {
    return line.split(" ");
  }

  @Test
  void whatIsMissingIsNamed() {
    CommandRun run = CommandRun.of("validate");
    assertEquals(ExitCodes.USAGE, run.exitCode());
    assertTrue(run.err().contains("gpu, pytorch, together or cache"), run.err());
    assertTrue(CommandRun.of("validate", "--help").out().contains("allocsim validate"), run.err());
    CommandRun help = CommandRun.of("help", "validate", "together");
    assertTrue(help.out().startsWith("Usage: allocsim validate together"), help.out());
  }
}
