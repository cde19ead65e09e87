package org.allocsim.analysis.fleet.sweep;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.allocsim.workloads.format.TraceFormats;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.source.TraceSource;

/**
 * The files that the inputs of a sweep name. An input is a file; a folder, which stands for the
 * files in it and below whose names end as those of traces do; a pattern with {@code *}, {@code ?},
 * {@code [abc]}, {@code {a,b}} and {@code **} for any folders; a program, {@code
 * program:ID(name=value;...)}; or {@code @} and a text file with an input on each line, where empty
 * lines and those that begin with {@code #} are passed over.
 */
public final class InputFiles {
  private static final int MAX_LISTS = 16;

  private final FleetStorage storage;
  private final TreeMap<String, FleetFile> files = new TreeMap<>();
  private final Set<String> endings;
  private final Set<String> passedOver = new HashSet<>();
  private int lists;

  private InputFiles(FleetStorage storage) {
    this.storage = storage;
    endings =
        TraceFormats.all().stream()
            .flatMap(format -> format.extensions().stream())
            .map(ending -> "." + ending)
            .collect(Collectors.toSet());
  }

  /**
   * Finds the files.
   *
   * @throws SweepException where an input names none
   */
  public static InputFiles find(List<String> inputs, FleetStorage storage) {
    InputFiles found = new InputFiles(storage);
    inputs.forEach(found::add);
    return found;
  }

  /** The files in the order of their names, each once. */
  public Collection<FleetFile> files() {
    return files.values();
  }

  /** Files in the folders that were passed over because of their names. */
  public int passedOver() {
    return passedOver.size();
  }

  private void add(String input) {
    try {
      if (input.startsWith("@")) {
        addList(input.substring(1));
        return;
      }
      if (TraceSource.isProgram(input)) {
        files.put(input, new FleetFile(input, 0, 0));
        return;
      }
      Optional<FleetFile> file = storage.file(input);
      if (file.isPresent()) {
        files.put(input, file.get());
      } else if (storage.isFolder(input)) {
        addFolder(input);
      } else if (isPattern(input)) {
        addMatches(input);
      } else {
        throw new SweepException(
            input + ": no such file or folder; " + storage.remedy(input), null);
      }
    } catch (IOException e) {
      throw new SweepException(
          input
              + ": cannot be accessed ("
              + e.getMessage()
              + "); check the path and its permissions",
          e);
    }
  }

  private void addList(String name) throws IOException {
    if (++lists > MAX_LISTS) {
      throw new SweepException(
          "@" + name + ": more than " + MAX_LISTS + " lists; a list cannot include itself", null);
    }
    if (storage.file(name).isEmpty()) {
      throw new SweepException("@" + name + ": no such list; " + storage.remedy(name), null);
    }
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(storage.read(name), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String input = line.strip();
        if (!input.isEmpty() && !input.startsWith("#")) {
          add(input);
        }
      }
    }
  }

  private void addFolder(String folder) throws IOException {
    boolean isEmpty = true;
    for (FleetFile file : storage.walk(folder)) {
      if (hasTraceName(file.name())) {
        files.put(file.name(), file);
        isEmpty = false;
      } else {
        passedOver.add(file.name());
      }
    }
    if (isEmpty) {
      throw new SweepException(
          folder
              + ": no file in this folder has a trace extension ("
              + endings.stream().sorted().collect(Collectors.joining(", "))
              + ", optionally compressed); name files or a pattern",
          null);
    }
  }

  private boolean hasTraceName(String name) {
    String file = name.substring(name.lastIndexOf('/') + 1);
    String plain = Compression.plainName(file).toLowerCase(Locale.ROOT);
    return !file.startsWith(".") && endings.stream().anyMatch(plain::endsWith);
  }

  private static boolean isPattern(String input) {
    return input.chars().anyMatch(c -> c == '*' || c == '?' || c == '[' || c == '{');
  }

  private void addMatches(String pattern) throws IOException {
    int special = 0;
    while ("*?[{".indexOf(pattern.charAt(special)) < 0) {
      special++;
    }
    int slash = pattern.lastIndexOf('/', special);
    String folder = slash < 0 ? "." : slash == 0 ? "/" : pattern.substring(0, slash);
    PathMatcher matcher;
    try {
      matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern.substring(slash + 1));
    } catch (PatternSyntaxException e) {
      throw SweepException.usage(pattern + ": not a file name pattern; " + e.getDescription());
    }
    boolean isMatched = false;
    if (storage.isFolder(folder)) {
      String prefix = folder.endsWith("/") ? folder : folder + "/";
      for (FleetFile file : storage.walk(folder)) {
        String below = file.name().substring(prefix.length());
        if (matcher.matches(Path.of(below))) {
          // Without a folder in the pattern there is none in the names.
          FleetFile match =
              slash < 0 ? new FleetFile(below, file.bytes(), file.modifiedMillis()) : file;
          files.put(match.name(), match);
          isMatched = true;
        }
      }
    }
    if (!isMatched) {
      throw new SweepException(pattern + ": no file matches; check the pattern", null);
    }
  }

  /** As a list that can be sorted and sent. */
  public List<FleetFile> list() {
    return new ArrayList<>(files.values());
  }
}
