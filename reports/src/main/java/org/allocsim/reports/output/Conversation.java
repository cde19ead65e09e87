package org.allocsim.reports.output;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.allocsim.reports.json.JsonValues;
import org.allocsim.reports.text.TerminalWriter;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Command lines of another program, one after the other in one process: to start Java takes longer
 * than most answers. Each line of the input is {@code {"arguments": [...]}}, each line of the
 * output {@code {"exit_code": 0, "out": "...", "err": "..."}}, both in UTF-8, until the input ends.
 */
public final class Conversation {
  /** The only argument of the program for one. */
  public static final String ARGUMENT = "--conversation";

  private static final JsonFactory FACTORY = new JsonFactory();

  private final Runner runner;

  /** Runs one command line. */
  @FunctionalInterface
  public interface Runner {
    /** Runs a command line with the given outputs and returns its exit code. */
    int run(PrintWriter out, PrintWriter err, String... arguments);
  }

  /** A conversation whose command lines are run so. */
  public Conversation(Runner runner) {
    this.runner = runner;
  }

  /**
   * Answers line by line.
   *
   * @return the exit code of the process
   * @throws IOException where a line is none of those above, or nobody reads the answers
   */
  public int hold(InputStream in, OutputStream out) throws IOException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      out.write(answer(arguments(line)));
      out.write('\n');
      out.flush();
    }
    return ExitCodes.DONE;
  }

  private static String[] arguments(String line) throws IOException {
    Map<String, Object> asked =
        JsonValues.readObject(new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)));
    if (asked.get("arguments") instanceof List<?> list
        && list.stream().allMatch(String.class::isInstance)) {
      return list.toArray(String[]::new);
    }
    throw new IOException(ARGUMENT + ": a line has no list of strings in \"arguments\"");
  }

  private byte[] answer(String[] arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        runner.run(new TerminalWriter(out, Terminals.columns()), new PrintWriter(err), arguments);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
      json.writeStartObject();
      json.writeNumberProperty("exit_code", exitCode);
      json.writeStringProperty("out", out.toString());
      json.writeStringProperty("err", err.toString());
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }
}
