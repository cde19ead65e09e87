package org.allocsim.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The Java sources of all modules, as files. */
final class SourceTree {
  /** Root of the project; tests run in the folder of their module. */
  static final Path ROOT = Path.of("..");

  private static final Set<String> NO_SOURCES = Set.of("target", ".git", ".mvn");

  private static final List<String> TEXT_ENDINGS = List.of(".txt", ".js", ".html", ".css");

  private SourceTree() {}

  /** Sources of what users install, in path order; samples in documents are not. */
  static List<Path> mainFiles() {
    return files("src/main/java/org/allocsim/");
  }

  /** Sources of tests, in path order. */
  static List<Path> testFiles() {
    return files("src/test/java/");
  }

  /**
   * Other texts that users read, in path order: documents, the Python package, help texts, and the
   * sources of pages.
   */
  static List<Path> textFiles() {
    return found(path -> {
      if (path.contains("/src/test/") || path.contains("/uplot/") || path.contains("/fzstd/")) {
        return false;
      }
      return path.endsWith(".md")
          || path.startsWith("../workloads/python/allocsim/") && path.endsWith(".py")
          || path.contains("/src/main/resources/")
              && TEXT_ENDINGS.stream().anyMatch(path::endsWith);
    });
  }

  /** Simple names of all top-level classes, those of tests included. */
  static Set<String> classNames() {
    return files("src/").stream()
        .map(file -> file.getFileName().toString().replace(".java", ""))
        .collect(Collectors.toSet());
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> files(String folder) {
    return found(path -> path.endsWith(".java") && path.contains("/" + folder));
  }

  private static List<Path> found(Predicate<String> isWanted) {
    List<Path> found = new ArrayList<>();
    try {
      Files.walkFileTree(
          ROOT,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
              return NO_SOURCES.contains(each.getFileName().toString())
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              String path = file.toString().replace('\\', '/');
              if (isWanted.test(path)) {
                found.add(file);
              }
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Collections.sort(found);
    return found;
  }
}
