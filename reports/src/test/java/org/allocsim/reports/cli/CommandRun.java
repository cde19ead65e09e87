package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.allocsim.reports.text.TerminalWriter;

/** Runs the command line in this process and keeps what it printed. */
public record CommandRun(int exitCode, String out, String err) {
  /** Runs it. */
  public static CommandRun of(Object... arguments) {
    return of(false, arguments);
  }

  static CommandRun of(boolean debug, Object... arguments) {
    return of(debug, Integer.MAX_VALUE, arguments);
  }

  /** Runs it as on a terminal of so many columns. */
  static CommandRun within(int columns, Object... arguments) {
    return of(false, columns, arguments);
  }

  private static CommandRun of(boolean debug, int columns, Object... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Main.run(
            columns == Integer.MAX_VALUE ? new PrintWriter(out) : new TerminalWriter(out, columns),
            new PrintWriter(err),
            debug,
            Arrays.stream(arguments).map(String::valueOf).toArray(String[]::new));
    return new CommandRun(exitCode, lines(out), lines(err));
  }

  private static String lines(StringWriter writer) {
    return writer.toString().replace(System.lineSeparator(), "\n");
  }

  /** A recording that ships with these tests, for modules below this one too. */
  static Path recording(String name) {
    Path file = Path.of("src/test/resources/recordings", name);
    return Files.exists(file) ? file : Path.of("..").resolve(file);
  }

  /** Names of the files in a folder, in order. */
  static List<String> files(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
