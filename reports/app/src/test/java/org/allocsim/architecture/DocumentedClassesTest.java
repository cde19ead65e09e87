package org.allocsim.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What documents write in code font like the name of a class is the name of a class. */
final class DocumentedClassesTest {
  private static final Pattern CLASS_NAME =
      Pattern.compile("`([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)`");

  private static final Set<String> CLASSES = SourceTree.classNames();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reports/docs/architecture.md",
        "reports/docs/library.md",
        "simulator/docs/pytorch-caching-allocator.md",
        "simulator/docs/allocator-policies.md",
        "simulator/docs/cuda-driver-model.md"
      })
  void everyClassThatADocumentNamesExists(String document) {
    String text = SourceTree.read(SourceTree.ROOT.resolve(document));
    assertTrue(named(text).size() > 5, document + " names hardly any class");
    assertEquals(List.of(), missing(text), document + " names classes that do not exist");
  }

  @Test
  void aClassThatDoesNotExistIsFound() {
    assertEquals(
        List.of("NoSuchClass"),
        missing("A `NoSuchClass` beside `SourceTree`, `A`, `SA`, `G_1` and `cudaMalloc`."));
  }

  @Test
  void sourcesOfAllModulesAreSeen() {
    for (String path : List.of("simulator", "workloads", "validation", "reports")) {
      Path module = SourceTree.ROOT.resolve(path);
      assertTrue(SourceTree.mainFiles().stream().anyMatch(file -> file.startsWith(module)), path);
    }
  }

  private static List<String> missing(String text) {
    Set<String> missing = named(text);
    missing.removeAll(CLASSES);
    return List.copyOf(missing);
  }

  private static Set<String> named(String text) {
    Set<String> names = new TreeSet<>();
    Matcher name = CLASS_NAME.matcher(text);
    while (name.find()) {
      names.add(name.group(1));
    }
    return names;
  }
}
