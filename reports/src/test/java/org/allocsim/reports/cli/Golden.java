package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares output with a file under {@code src/test/resources/golden}. {@code
 * -Dgolden.regenerate=true} writes the files anew; a run that does so never passes.
 */
public final class Golden {
  private static final Path SOURCES = Path.of("src/test/resources/golden");

  private Golden() {}

  /** Fails unless {@code actual} is what the file holds. */
  public static void assertGolden(String name, String actual) throws IOException {
    if (Boolean.getBoolean("golden.regenerate")) {
      Files.createDirectories(SOURCES);
      Files.writeString(SOURCES.resolve(name), actual);
      fail("wrote " + SOURCES.resolve(name) + "; read it, then run without golden.regenerate");
    }
    try (var golden = Golden.class.getResourceAsStream("/golden/" + name)) {
      if (golden == null) {
        fail("there is no golden file " + name + "; make it with -Dgolden.regenerate=true");
      }
      assertEquals(
          new String(golden.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8), actual);
    }
  }
}
