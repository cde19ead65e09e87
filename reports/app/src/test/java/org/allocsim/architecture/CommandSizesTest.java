package org.allocsim.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A command is options and a question: what it works out, and what its help says, lie elsewhere.
 */
final class CommandSizesTest {
  private static final int MAX_LINES = 150;
  private static final int MAX_MEDIAN_LINES = 60;

  private static long lines(Path command) {
    return SourceTree.read(command).lines().count();
  }

  @Test
  void commandsStaySmall() {
    List<Path> commands =
        SourceTree.mainFiles().stream()
            .filter(file -> SourceTree.read(file).contains("\n@Command("))
            .filter(file -> file.toString().contains("/cli/"))
            .filter(file -> !file.endsWith("Main.java"))
            .toList();
    assertTrue(commands.size() > 30, "hardly any command was found");
    assertEquals(
        List.of(), commands.stream().filter(each -> lines(each) > MAX_LINES).toList(), "too long");
    List<Long> sizes = commands.stream().map(CommandSizesTest::lines).sorted().toList();
    double median = (sizes.get((sizes.size() - 1) / 2) + sizes.get(sizes.size() / 2)) / 2.0;
    assertTrue(median <= MAX_MEDIAN_LINES, "the median command has " + median + " lines");
  }
}
