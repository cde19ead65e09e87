package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReleasesPageTest {
  /** {@code -Dgolden.regenerate=true} writes the page. */
  @Test
  void thePageSaysWhatTheFilesSay() throws IOException {
    String page = ReleasesPage.of(ReleasesPage.FOLDER);
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.writeString(ReleasesPage.PAGE, page);
    }
    assertEquals(Files.readString(ReleasesPage.PAGE), page);
  }

  @Test
  void kindsOfARunAreAddedUpAndDifferencesAreShown(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("run.json"),
        """
        {"torch": "2.14.1+cu130", "date": "2026-11-23", "seconds": 12.4, "sequences": [
          {"kind": "gc", "sequences": 3, "exact": 2, "broken_off": 1, "events": 1200,
           "failed_requests": 4, "statistics": 300, "differences": []},
          {"kind": "mix", "sequences": 2, "exact": 1, "broken_off": 0, "events": 34000,
           "failed_requests": 0, "statistics": 200, "differences": ["mix, seed 7: other"]}]}
        """);
    Files.writeString(
        folder.resolve("recorded-2.9.json"),
        """
        {"torch": "2.9.1", "recording": "r", "sequences": 5, "exact": 5, "broken_off": 0,
         "events": 70, "statistics": 8, "messages": 9}
        """);
    Files.writeString(
        folder.resolve("gpu.json"),
        """
        {"torch": "2.11.0+cu130", "how": "GPU", "sequences": [
          {"kind": "gc", "sequences": 1, "exact": 1, "broken_off": 0, "events": 10,
           "failed_requests": 2, "statistics": 3}]}
        """);
    String page = ReleasesPage.of(folder);
    assertTrue(page.contains("| 2.11.0+cu130 | GPU | 1 | 1 | 0 | 10 | 3 | 2 |\n"), page);
    assertTrue(page.contains("| 2.9.1 | recorded | 5 | 5 | 0 | 70 | 8 | 9 |\n"), page);
    assertTrue(
        page.contains("| 2.14.1+cu130 | mock driver | 5 | 3 | 1 | 35 200 | 500 | 4 |\n"), page);
    assertTrue(page.contains("| gc | 3 | 2 | 1 | 1 200 | 300 | 4 |\n"), page);
    assertTrue(page.contains("\n- mix, seed 7: other\n"), page);
  }
}
