package org.allocsim.reports.output;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Pattern;
import org.allocsim.reports.html.PageException;
import org.allocsim.reports.text.VisibleText;
import org.allocsim.simulator.engine.InvariantViolation;
import org.allocsim.workloads.format.SimilarPath;
import org.allocsim.workloads.io.MemoryBudget;

/** Turns whatever ended a command into one sentence and an exit code. */
public final class FailureReport {
  /** Environment variable that makes failures print their stack trace. */
  public static final String DEBUG_VARIABLE = "ALLOCSIM_DEBUG";

  private static final String REPORT =
      ": this is a bug in allocsim; please report it with the output of a run with "
          + DEBUG_VARIABLE
          + "=1";

  /** What Java makes of bytes in a name that are not UTF-8. */
  private static final char REPLACED = '\uFFFD';

  private static final Pattern LINE_ENDS = Pattern.compile("\r\n|[\n-\r\u0085\u2028\u2029\t]");

  private FailureReport() {}

  /** Prints the sentence for a failure and returns the exit code. */
  public static int print(Throwable failure, PrintWriter err, boolean debug) {
    err.println("allocsim: " + oneLine(sentence(failure)));
    if (debug) {
      failure.printStackTrace(err);
    }
    err.flush();
    return switch (failure) {
      case Failure known -> known.exitCode();
      case InvariantViolation _ -> ExitCodes.CHECK_DID_NOT_HOLD;
      default -> ExitCodes.FAILED;
    };
  }

  private static String sentence(Throwable failure) {
    return switch (failure) {
      case Failure known -> known.getMessage();
      case PageException page -> page.getMessage();
      case UncheckedIOException io when io.getCause() != null -> describe(io.getCause());
      case IOException io -> describe(io);
      case OutOfMemoryError _ ->
          "the Java heap of "
              + (Runtime.getRuntime().maxMemory() >> 20)
              + " MiB is too small for this input: give it more with "
              + MemoryBudget.HEAP_VARIABLE
              + ", such as "
              + MemoryBudget.HEAP_VARIABLE
              + "="
              + ((Runtime.getRuntime().maxMemory() >> 29) + 1)
              + "g";
      case InvariantViolation violation ->
          "the allocator's state is inconsistent: " + violation.getMessage() + REPORT;
      default ->
          failure.getClass().getSimpleName()
              + (failure.getMessage() == null ? "" : " (" + failure.getMessage() + ")")
              + REPORT;
    };
  }

  /** What an input or output error means; messages of the JDK that are only a path get a cause. */
  public static String describe(IOException failure) {
    return switch (failure) {
      case NoSuchFileException missing -> noSuchFile(missing.getFile());
      case AccessDeniedException denied ->
          denied.getFile()
              + ": permission denied; check the permissions of the file and its folder";
      case NotDirectoryException wrong -> wrong.getFile() + ": not a folder; check the path";
      case FileSystemLoopException loop ->
          loop.getFile() + ": the links in this path form a loop; check the path";
      case FileSystemException other ->
          other.getFile()
              + ": "
              + (other.getReason() == null
                  ? "cannot be read or written"
                  : other.getReason().toLowerCase(Locale.ROOT));
      default ->
          failure.getMessage() == null
              ? failure.getClass().getSimpleName() + ": the input or output failed"
              : failure.getMessage();
    };
  }

  /**
   * The sentence for a missing file, with the path that may be meant. Java cannot open a file whose
   * name is not UTF-8.
   */
  public static String noSuchFile(String name) {
    return name
        + ": no such file; "
        + (name.indexOf(REPLACED) < 0
            ? similarTo(name)
            : "its name is not valid UTF-8, so it cannot be opened; rename it");
  }

  private static String similarTo(String name) {
    try {
      return SimilarPath.remedy(Path.of(name));
    } catch (InvalidPathException _) {
      return "check the path";
    }
  }

  /** Text of several lines as one; what else a terminal would obey becomes visible. */
  public static String oneLine(String text) {
    return VisibleText.of(LINE_ENDS.matcher(text).replaceAll(" "));
  }
}
