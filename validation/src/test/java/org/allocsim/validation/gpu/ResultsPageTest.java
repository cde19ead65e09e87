package org.allocsim.validation.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ResultsPageTest {
  private static final Path MODULE =
      Files.isDirectory(Path.of("results")) ? Path.of("") : Path.of("../validation");

  /** {@code -Dgolden.regenerate=true} writes the page. */
  @Test
  void thePageSaysWhatTheResultsSay() throws IOException {
    String page = ResultsPage.of(MODULE.resolve("results"));
    Path file = MODULE.resolve("RESULTS.md");
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.writeString(file, page);
    }
    assertTrue(page.contains("| direct |"), page);
    assertEquals(Files.readString(file), page);
  }
}
