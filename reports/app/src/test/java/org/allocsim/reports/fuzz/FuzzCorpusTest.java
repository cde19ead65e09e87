package org.allocsim.reports.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every input that fuzzing kept is read or refused, without an internal error. */
class FuzzCorpusTest {
  private static final Path CORPUS = Path.of("app/src/test/resources/fuzz");

  @ParameterizedTest
  @EnumSource(FuzzTarget.class)
  void inputsAreReadOrRefused(FuzzTarget target) throws IOException {
    List<Path> inputs = inputs(target.id());
    assertTrue(!inputs.isEmpty(), "no inputs for " + target.id());
    for (Path input : inputs) {
      try {
        target.accept(Files.readAllBytes(input));
      } catch (Throwable e) {
        throw new AssertionError(input + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void everyFolderBelongsToATarget() throws IOException {
    try (Stream<Path> folders = Files.list(CORPUS)) {
      assertEquals(
          Arrays.stream(FuzzTarget.values()).map(FuzzTarget::id).sorted().toList(),
          folders.map(folder -> folder.getFileName().toString()).sorted().toList());
    }
  }

  private static List<Path> inputs(String id) throws IOException {
    try (Stream<Path> files = Files.list(CORPUS.resolve(id))) {
      return files.sorted().toList();
    }
  }
}
