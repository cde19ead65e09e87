package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.reports.answer.Answers;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.wing.Wings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The core without any wing: this module's tests have none on their class path. */
class CoreAloneTest {
  private static final Path SAMPLE = Path.of("samples/gpt_oom.pickle.xz");
  private static final String FRACTION = "--memory-fraction=0.05";

  private static String answer(Object... arguments) {
    CommandRun run = CommandRun.of(arguments);
    assertEquals(ExitCodes.DONE, run.exitCode(), run.err());
    return run.out();
  }

  @Test
  void itAnswersRight() throws IOException {
    assertEquals(List.of(), Wings.commands());
    Golden.assertGolden("peak-sample.txt", answer("peak", SAMPLE, FRACTION, "--top", 6));
    assertTrue(answer("replay", SAMPLE, FRACTION).contains("CUDA OOMs: 20 "));
    CommandRun diagnosed = CommandRun.of("diagnose", SAMPLE, FRACTION);
    assertEquals(ExitCodes.CHECK_DID_NOT_HOLD, diagnosed.exitCode(), diagnosed.err());
    assertTrue(
        diagnosed.out().startsWith("Out of memory: the program asked for 439.21 MiB. CAPPED: "),
        diagnosed.out());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sweep", "fleet-report", "idle", "serve", "suite", "validate", "calibrate"})
  void aCommandOfAWingIsNamedAsMissing(String command) {
    String sentence =
        ("allocsim: %1$s is not part of this installation; use './allocsim %1$s' in a checkout, or"
                + " bundle all commands with './allocsim bundle ARCHIVE.tgz'\n")
            .formatted(command);
    for (CommandRun run :
        List.of(
            CommandRun.of(command),
            CommandRun.of(command, "--help"),
            CommandRun.of("help", command))) {
      assertEquals(ExitCodes.USAGE, run.exitCode());
      assertEquals("", run.out());
      assertEquals(sentence, run.err());
    }
    assertFalse(answer("--help").contains("  " + command + " "));
    assertTrue(CommandRun.of("nonsense").err().contains("unknown command 'nonsense'"));
  }

  @Test
  void schemasAreThoseOfTheCore() {
    assertEquals(List.of(), Wings.kinds());
    assertTrue(Answers.find("allocsim-peak-3").isPresent());
    assertFalse(Answers.find("allocsim-suite-3").isPresent());
  }
}
