package org.allocsim.reports.output;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Whether a person is at the other end of the standard streams. */
public final class Terminals {
  private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");

  private static final int USUAL_COLUMNS = 100;
  private static final int MIN_COLUMNS = 40;
  private static final int MAX_COLUMNS = 1000;

  private Terminals() {}

  /**
   * Characters of a line: what the environment's {@code COLUMNS} says, else 100 on a terminal, and
   * as many as it takes where the output goes to a file or a program.
   */
  public static int columns() {
    String given = System.getenv("COLUMNS");
    return given == null && !isInputTerminal() ? Integer.MAX_VALUE : columns(given);
  }

  public static int columns(String given) {
    try {
      return given == null
          ? USUAL_COLUMNS
          : Math.clamp(Integer.parseInt(given.strip()), MIN_COLUMNS, MAX_COLUMNS);
    } catch (NumberFormatException _) {
      return USUAL_COLUMNS;
    }
  }

  /** Whether standard input and output are a terminal. */
  @SuppressWarnings("SystemConsoleNull") // JDK 25 again returns null without a terminal.
  public static boolean isInputTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }

  /** Whether standard error is a terminal that can replace what it shows. */
  static boolean isErrorTerminal() {
    if (!isInputTerminal() || isDumb(System.getenv("TERM"))) {
      return false;
    }
    try {
      // The console speaks for standard input and output; Linux reports on standard error too.
      return !Files.isSymbolicLink(STANDARD_ERROR)
          || isTerminalName(Files.readSymbolicLink(STANDARD_ERROR).toString());
    } catch (IOException _) {
      return true;
    }
  }

  /** Whether a terminal only prints line after line: what is to be replaced would pile up. */
  static boolean isDumb(@Nullable String term) {
    return "dumb".equals(term);
  }

  private static boolean isTerminalName(String name) {
    return name.startsWith("/dev/pts/")
        || name.startsWith("/dev/tty")
        || name.equals("/dev/console");
  }
}
