package org.allocsim.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Service files name interfaces and implementations that exist: Java passes over a file whose
 * interface was moved, and its implementations are missing without a word.
 */
final class ServiceFilesTest {
  private static final String FOLDER = "src/main/resources/META-INF/services";

  /** Also that of Spark, which an ordinary build leaves out. */
  private static final List<String> MODULES =
      List.of(
          "simulator",
          "workloads",
          "validation",
          "validation/benchmarks",
          "reports",
          "reports/fleet",
          "reports/idle",
          "reports/serving",
          "reports/suite",
          "validation/gpu",
          "reports/parquet",
          "reports/spark");

  private static final Set<String> CLASSES =
      SourceTree.mainFiles().stream()
          .map(ServiceFilesTest::className)
          .collect(Collectors.toUnmodifiableSet());

  @Test
  void everyInterfaceAndImplementationExists() throws IOException {
    Set<String> missing = new TreeSet<>();
    int files = 0;
    for (String module : MODULES) {
      Path folder = SourceTree.ROOT.resolve(module).resolve(FOLDER);
      if (Files.isDirectory(folder)) {
        try (Stream<Path> each = Files.list(folder)) {
          for (Path file : each.toList()) {
            files++;
            missing.addAll(missing(file.getFileName().toString(), SourceTree.read(file)));
          }
        }
      }
    }
    assertTrue(files > 5, "hardly any service file was found");
    assertEquals(Set.of(), missing);
  }

  @Test
  void whatDoesNotExistIsFound() {
    String there = "org.allocsim.simulator.run.Run";
    assertEquals(Set.of(), missing(there, "# classes\n" + there + " # one\n\n"));
    assertEquals(Set.of("org.allocsim.No"), missing("org.allocsim.No", there + "\n"));
    assertEquals(Set.of("org.allocsim.No"), missing(there, "org.allocsim.No\n"));
  }

  private static Set<String> missing(String service, String text) {
    Set<String> names = new TreeSet<>();
    names.add(service);
    text.lines()
        .map(line -> line.replaceAll("#.*", "").strip())
        .filter(line -> !line.isEmpty())
        .forEach(names::add);
    // A nested class stands in the file of the class around it.
    names.removeIf(name -> CLASSES.contains(name.replaceAll("\\$.*", "")));
    return names;
  }

  private static String className(Path file) {
    String path = file.toString().replace('\\', '/');
    return path.substring(path.indexOf("/src/main/java/") + "/src/main/java/".length())
        .replace(".java", "")
        .replace('/', '.');
  }
}
