package org.allocsim.workloads.format;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.simulator.typed.SimilarName;

/** The file or folder that a mistyped path may have meant. */
public final class SimilarPath {
  /** One wrong letter for each three of a name. */
  private static final int LETTERS_PER_MISTAKE = 3;

  /** Names are compared letter by letter; longer ones are rarely typed. */
  private static final int MAX_LETTERS = 128;

  /** A folder with more entries than this would take long to look through. */
  private static final int MAX_ENTRIES = 10_000;

  /** At most so many names are suggested. */
  private static final int MAX_SUGGESTIONS = 3;

  private SimilarPath() {}

  /**
   * The remedy at the end of a sentence about a path that does not exist: {@code did you mean
   * 'run.pickle'?}, or else to check the path.
   */
  public static String remedy(Path missing) {
    String hint = hint(missing);
    return hint.isEmpty() ? "check the path" : hint;
  }

  /** {@code did you mean 'run.pickle'?}, or nothing where no path is similar. */
  public static String hint(Path missing) {
    List<Path> found = of(missing);
    if (found.isEmpty() || found.size() > MAX_SUGGESTIONS) {
      return "";
    }
    StringBuilder text = new StringBuilder("did you mean ");
    for (int i = 0; i < found.size(); i++) {
      String separator = i == 0 ? "" : i == found.size() - 1 ? " or " : ", ";
      text.append(separator).append('\'').append(found.get(i)).append('\'');
    }
    return text.append('?').toString();
  }

  /**
   * The paths that one may have meant, as it was typed: absolute or not. Each of its folders may be
   * mistyped, too. Several where only the extension is missing or another one.
   */
  static List<Path> of(Path missing) {
    Path root = missing.getRoot();
    Path folder = root == null ? missing.getFileSystem().getPath("") : root;
    int last = missing.getNameCount() - 1;
    for (int i = 0; i < last; i++) {
      Path typed = folder.resolve(missing.getName(i));
      if (Files.exists(typed) && !Files.isDirectory(typed)) {
        return List.of();
      }
      if (!Files.isDirectory(typed)) {
        List<Path> folders = similar(folder, missing.getName(i), true);
        if (folders.size() != 1) {
          return List.of();
        }
        typed = folders.getFirst();
      }
      folder = typed;
    }
    if (last < 0) {
      return List.of();
    }
    Path typed = folder.resolve(missing.getName(last));
    return Files.exists(typed) ? List.of(typed) : similar(folder, missing.getName(last), false);
  }

  private static List<Path> similar(Path folder, Path name, boolean mustBeFolder) {
    Typed typed = Typed.of(name.toString());
    if (typed.length() > MAX_LETTERS) {
      return List.of();
    }
    List<Path> known = entries(folder);
    Optional<Path> closest =
        known.stream()
            .filter(each -> typed.isSimilar(Typed.of(each.toString())))
            .filter(each -> !mustBeFolder || Files.isDirectory(folder.resolve(each)))
            .min(
                Comparator.comparingInt((Path each) -> typed.mistakes(Typed.of(each.toString())))
                    .thenComparing(Path::toString));
    List<Path> found =
        closest.isPresent() || mustBeFolder
            ? closest.stream().toList()
            : known.stream().filter(each -> typed.hasSameStem(each.toString())).sorted().toList();
    return found.stream().map(folder::resolve).toList();
  }

  /** The names in a folder; none where it is too large or cannot be read. */
  private static List<Path> entries(Path folder) {
    List<Path> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (names.size() == MAX_ENTRIES) {
          return List.of();
        }
        Path name = entry.getFileName();
        if (name != null && name.toString().length() <= MAX_LETTERS) {
          names.add(name);
        }
      }
    } catch (IOException | DirectoryIteratorException _) {
      return List.of();
    }
    return names;
  }

  /** A file's name up to its first dot, and what follows; in small letters. */
  private record Typed(String stem, String extension) {
    static Typed of(String name) {
      String small = name.toLowerCase(Locale.ROOT);
      int dot = small.indexOf('.', 1);
      return dot < 0
          ? new Typed(small, "")
          : new Typed(small.substring(0, dot), small.substring(dot + 1));
    }

    int length() {
      return stem.length() + extension.length();
    }

    /** Stems are what files are told apart by, so that each may be mistyped by itself. */
    boolean isSimilar(Typed other) {
      return SimilarName.mistakes(stem, other.stem) <= stem.length() / LETTERS_PER_MISTAKE
          && hasSimilarExtension(other.extension);
    }

    private boolean hasSimilarExtension(String other) {
      if (extension.isEmpty() || other.isEmpty()) {
        return extension.equals(other);
      }
      return other.startsWith(extension)
          || extension.startsWith(other)
          || SimilarName.mistakes(extension, other)
              <= Math.max(1, extension.length() / LETTERS_PER_MISTAKE);
    }

    boolean hasSameStem(String name) {
      return stem.equals(of(name).stem);
    }

    int mistakes(Typed other) {
      return SimilarName.mistakes(stem, other.stem)
          + SimilarName.mistakes(extension, other.extension);
    }
  }
}
