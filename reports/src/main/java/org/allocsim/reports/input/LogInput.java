package org.allocsim.reports.input;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.Terminals;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.TraceFormats;
import org.jspecify.annotations.Nullable;

/**
 * A log, or a message that somebody pastes.
 *
 * @param name the file as the user gave it, or {@link #STANDARD_INPUT}
 * @param file the file; null for standard input
 */
public record LogInput(String name, @Nullable Path file) {
  /** Stands for standard input. */
  public static final String STANDARD_INPUT = "-";

  /** What answers call it. */
  public static final String STANDARD_INPUT_LABEL = "standard input";

  /**
   * The log of a name.
   *
   * @throws Failure where there is no such file
   */
  public static LogInput of(String name) {
    return new LogInput(name, name.equals(STANDARD_INPUT) ? null : Inputs.require(name));
  }

  /** What answers call it. */
  public String label() {
    return file == null ? STANDARD_INPUT_LABEL : name;
  }

  /**
   * Refuses a file without a message that is something known, which people give in place of a
   * recording.
   *
   * @throws Failure that says what it is
   */
  public void refuseForeign() {
    if (file != null) {
      try {
        TraceFormats.refuseForeign(file);
      } catch (TraceFormatException e) {
        throw new Failure(e.getMessage(), e);
      }
    }
  }

  /** Refuses a recording, in which nothing was found because it is no log. */
  private static OomLog.Contents requireLog(OomLog.Contents contents, Path file) {
    boolean isEmpty =
        contents.found().isEmpty()
            && contents.dumps().isEmpty()
            && contents.report().isEmpty()
            && contents.bare().count() == 0;
    if (isEmpty && contents.lines() > 0 && isRecording(file)) {
      throw new Failure(
          "%s: it is a recording, not a log; run 'allocsim diagnose %s'".formatted(file, file));
    }
    return contents;
  }

  /** Whether a file that was read as text is a trace. */
  private static boolean isRecording(Path file) {
    try {
      return TraceFormats.isTrace(file);
    } catch (TraceFormatException _) {
      return false;
    }
  }

  /**
   * Reads it to its end.
   *
   * @param err tells people at a terminal what to do
   */
  public OomLog.Contents read(PrintWriter err) throws IOException {
    if (file != null) {
      try (InputStream in = Files.newInputStream(file)) {
        return requireLog(OomLog.read(in), file);
      }
    }
    if (Terminals.isInputTerminal()) {
      err.println("allocsim: paste the message, then press Ctrl-D (Ctrl-Z on Windows)");
      err.flush();
    }
    return OomLog.read(System.in);
  }
}
