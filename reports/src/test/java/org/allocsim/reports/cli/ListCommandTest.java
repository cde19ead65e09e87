package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ListCommandTest {
  @ParameterizedTest
  @ValueSource(strings = {"policies", "formats", "devices"})
  void listsAreTables(String what) throws IOException {
    CommandRun run = CommandRun.of("list", what);
    assertEquals(ExitCodes.DONE, run.exitCode());
    assertEquals("", run.err());
    Golden.assertGolden("list-" + what + ".txt", run.out());
  }
}
