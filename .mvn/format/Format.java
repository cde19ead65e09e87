import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks or applies google-java-format to every Java source below a folder, in the JDK that
 * compiles the project, so that the formatter reads the same language.
 *
 * <p>Started by the parent pom: {@code Format.java check|apply ROOT}.
 */
final class Format {
  private Format() {}

  public static void main(String[] args) throws IOException {
    boolean apply =
        switch (args[0]) {
          case "check" -> false;
          case "apply" -> true;
          default -> throw new IllegalArgumentException("-Dformat takes check or apply");
        };
    Path root = Path.of(args[1]);
    List<Path> changed = new ArrayList<>();
    for (Path source : sources(root)) {
      String before = Files.readString(source);
      String after;
      try {
        after = new Formatter().formatSourceAndFixImports(before);
      } catch (FormatterException e) {
        System.err.println(root.relativize(source) + ": " + e.getMessage());
        System.exit(1);
        return;
      }
      if (!after.equals(before)) {
        changed.add(root.relativize(source));
        if (apply) {
          Files.writeString(source, after);
        }
      }
    }
    if (!apply && !changed.isEmpty()) {
      changed.forEach(source -> System.err.println("not formatted: " + source));
      System.err.println("Run ./mvnw -q -N verify -Dformat=apply to format them.");
      System.exit(1);
    }
  }

  private static List<Path> sources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path module : modules(root)) {
      try (Stream<Path> files = Files.walk(module.resolve("src"))) {
        files.filter(file -> file.toString().endsWith(".java")).sorted().forEach(sources::add);
      }
    }
    sources.add(root.resolve(".mvn/format/Format.java"));
    return sources;
  }

  /** Folders with sources, which may lie in one another. */
  private static List<Path> modules(Path root) throws IOException {
    try (Stream<Path> folders = Files.walk(root, 2)) {
      return folders
          .filter(folder -> Files.isDirectory(folder.resolve("src")) && !folder.equals(root))
          .sorted()
          .toList();
    }
  }
}
