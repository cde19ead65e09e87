package org.allocsim.workloads.format;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SimilarPathTest {
  @TempDir private Path folder;

  @BeforeEach
  void someFiles() throws IOException {
    for (String name :
        List.of(
            "snapshot.pickle",
            "gpt.pickle.xz",
            "train.log",
            "train.pickle.xz",
            "train.py",
            "a.pickle",
            "runs/rank0.pickle")) {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      Files.createFile(file);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "snapsot.pickle, snapshot.pickle",
    "Snapshot.pickle, snapshot.pickle",
    "snapshot.pickel, snapshot.pickle",
    "gpt.pickle, gpt.pickle.xz",
    "trian.py, train.py",
    "train.lo, train.log",
    "rusn, runs",
    "rusn/rank0.pickle, runs/rank0.pickle",
    "runs/rnak0.pickle, runs/rank0.pickle",
    "rusn/rnak0.pickle, runs/rank0.pickle"
  })
  void oneLetterOfThreeMayBeWrong(String typed, String meant) {
    assertEquals(List.of(folder.resolve(meant)), similar(typed));
  }

  @Test
  void withoutAnExtensionAllFilesOfThatNameAreMeant() {
    List<Path> all =
        Stream.of("train.log", "train.pickle.xz", "train.py").map(folder::resolve).toList();
    assertEquals(all, similar("train"));
    assertEquals(all, similar("train.json"));
    assertEquals(
        "did you mean '%s', '%s' or '%s'?".formatted(all.toArray()),
        SimilarPath.remedy(folder.resolve("train")));
  }

  @ParameterizedTest
  @CsvSource({"b.pickle", "other.pickle", "nowhere/snapshot.pickle", "train.py/snapshot.pickle"})
  void otherNamesAreNotSimilar(String typed) {
    assertEquals(List.of(), similar(typed));
    assertEquals("check the path", SimilarPath.remedy(folder.resolve(typed)));
    assertEquals("", SimilarPath.hint(folder.resolve(typed)));
  }

  @Test
  void theSuggestionIsRelativeWhereThePathIs() {
    assertEquals("did you mean 'pom.xml'?", SimilarPath.remedy(Path.of("pon.xml")));
    assertEquals("did you mean 'src/main'?", SimilarPath.remedy(Path.of("scr/mian")));
  }

  private List<Path> similar(String typed) {
    return SimilarPath.of(folder.resolve(typed));
  }
}
