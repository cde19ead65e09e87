package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Commands that documents name are those of the installed program. */
class NamedCommandsTest {
  private static final Pattern NAMED = Pattern.compile("[`']allocsim ([a-z][a-z-]*)");
  private static final Path ROOT = Path.of("..");

  @Test
  void everyCommandOfTheDocumentsIsInstalled() throws IOException {
    Set<String> known = new HashSet<>(List.of("help"));
    CommandLines.names().forEach(name -> known.add(name.split(" ")[0]));
    Set<String> named = new TreeSet<>();
    for (String document :
        List.of(
            "README.md",
            "CHANGELOG.md",
            "reports/docs",
            "reports/samples/README.md",
            "simulator/docs",
            "validation",
            "workloads/python/README.md",
            "workloads/python/ESTIMATE.md",
            "workloads/python/ADVISE.md")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(document), 2)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".md")).toList()) {
          Matcher each = NAMED.matcher(Files.readString(file));
          while (each.find()) {
            named.add(each.group(1));
          }
        }
      }
    }
    assertTrue(named.size() > 10, named.toString());
    named.removeAll(known);
    assertEquals(Set.of(), named, "commands that only documents have");
  }
}
