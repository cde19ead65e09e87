package org.allocsim.analysis;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.allocsim.analysis.oom.OomExplanation;
import org.allocsim.analysis.oom.OomLog;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.source.SourceUsageException;
import org.allocsim.workloads.source.TraceSource;

/** Where Java programs begin: opens what is to be analysed. */
public final class Analysis {
  private Analysis() {}

  /**
   * Opens a trace of any installed format, recognised by content, or a program that is generated.
   *
   * @param name a file, or {@code program:ID} with options in parentheses: {@code
   *     program:gpt(batch=4;iterations=2)}
   * @throws AnalysisException where the file cannot be read, or there is no such program or option
   */
  public static TracedProgram open(String name) throws AnalysisException {
    try {
      return new TracedProgram(TraceSource.open(name, null, Progress.NONE));
    } catch (TraceFormatException | SourceUsageException e) {
      throw new AnalysisException(e.getMessage(), e);
    }
  }

  /**
   * Opens a trace of any installed format, recognised by content.
   *
   * @throws AnalysisException where the file cannot be read
   */
  public static TracedProgram open(Path file) throws AnalysisException {
    return open(file.toString());
  }

  /**
   * A program whose requests are in memory already.
   *
   * @param name what messages call it
   */
  public static TracedProgram of(String name, AllocationTrace requests) {
    return new TracedProgram(TraceSource.of(name, requests).source());
  }

  /**
   * Explains the first out-of-memory message of PyTorch in a log, with the settings and the table
   * of {@code torch.cuda.memory_summary()} that the log holds. {@link OomLog} finds all messages,
   * and the dumps of TensorFlow and JAX.
   *
   * @param log text of the log, with whatever stands around the message
   * @throws AnalysisException where no message with numbers is in it
   */
  public static OomExplanation explain(String log) throws AnalysisException {
    OomLog.Contents contents;
    try {
      contents = OomLog.read(new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw new UncheckedIOException("memory was read", e);
    }
    if (contents.found().isEmpty()) {
      throw new AnalysisException(nothingFound(contents));
    }
    return contents.explain(contents.settings()).getFirst();
  }

  private static String nothingFound(OomLog.Contents contents) {
    String remedy = "; give the text starting at \"CUDA out of memory\"";
    if (contents.lines() == 0) {
      return "the log is empty" + remedy;
    }
    return contents.bare().count() > 0
        ? "the log, line "
            + contents.bare().firstLine()
            + ": memory ran out, but PyTorch's numbers are missing; give the whole message"
        : "the log has no out-of-memory message of PyTorch "
            + "(lines read: "
            + contents.lines()
            + ")"
            + remedy;
  }
}
