package org.allocsim.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every package says in its {@code package-info.java} what belongs in it. */
final class PackageCommentsTest {
  /** A comment right before the declaration, which may have an annotation. */
  private static final Pattern COMMENT =
      Pattern.compile("(?s)/\\*\\*(.*?)\\*/\\s*(?:@NullMarked\\s+)?package ");

  /** A sentence, where markup and stars are gone. */
  private static final Pattern SENTENCE = Pattern.compile("\\w+ \\w+[^.]*\\.");

  /**
   * Code in which NullAway does not look for null: it stands in for classes of the JDK and others,
   * whose methods take and give null as those do.
   */
  private static final Path NOT_MARKED =
      Path.of("reports/web/src/main/java/org/allocsim/web/standin");

  @Test
  void everyPackageSaysWhatBelongsInIt() {
    Set<Path> folders = new TreeSet<>();
    for (Path file : SourceTree.mainFiles()) {
      folders.add(file.getParent());
    }
    assertTrue(folders.size() > 50, "hardly any package was found");
    List<Path> undescribed = folders.stream().filter(folder -> !isDescribed(folder)).toList();
    assertEquals(
        List.of(), undescribed, "packages without a package-info.java that describes them");
  }

  @Test
  void javacKnowsInEveryPackageWhatMayBeNull() {
    Set<Path> unmarked = new TreeSet<>();
    for (Path file : SourceTree.mainFiles()) {
      if (file.endsWith("package-info.java")
          && !SourceTree.read(file).contains("\n@NullMarked\n")) {
        unmarked.add(SourceTree.ROOT.relativize(file.getParent()));
      }
    }
    unmarked.removeIf(folder -> folder.startsWith(NOT_MARKED));
    assertEquals(Set.of(), unmarked, "packages whose package-info.java lacks @NullMarked");
  }

  @Test
  void aDeclarationWithoutACommentIsNoDescription() {
    assertFalse(isDescription("package org.allocsim.simulator.trace;\n"));
    assertFalse(isDescription("/** */\npackage org.allocsim.simulator.trace;\n"));
    assertTrue(isDescription("/** Holds traces. */\npackage org.allocsim.a;\n"));
    assertTrue(isDescription("/** Holds traces. */\n@NullMarked\npackage org.allocsim.a;\n"));
  }

  private static boolean isDescribed(Path folder) {
    Path file = folder.resolve("package-info.java");
    return Files.exists(file) && isDescription(SourceTree.read(file));
  }

  private static boolean isDescription(String source) {
    Matcher comment = COMMENT.matcher(source);
    return comment.find() && SENTENCE.matcher(comment.group(1)).find();
  }
}
