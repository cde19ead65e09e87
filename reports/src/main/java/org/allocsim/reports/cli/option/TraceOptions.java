package org.allocsim.reports.cli.option;

import java.util.regex.Pattern;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.AnswerOutputs;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Asking;
import org.allocsim.simulator.typed.TypedNumber;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options that say how traces are read, and the requests of which recorded device count. */
public final class TraceOptions {
  /** What commands take, in their help. */
  public static final String TRACE =
      "A trace of any format ('allocsim list formats'), or a program: program:ID(name=value;...)"
          + " ('allocsim list programs').";

  /** What commands take that answer for jobs, too. */
  public static final String TRACE_OR_JOB =
      TRACE + " Or a folder with one recording per rank of a job.";

  @Option(
      names = "--device-index",
      paramLabel = "N",
      description =
          "Index of the recorded GPU, counted from 0 (default: the one where a request failed"
              + " first, otherwise the one that reserved the most).",
      converter = IndexConverter.class)
  private Integer deviceIndex;

  @Option(
      names = "--format",
      paramLabel = "ID",
      description = "Format of the trace (default: recognised by content).")
  private String format;

  /** The device that was chosen, or null for the first that did anything. */
  public Integer deviceIndex() {
    return deviceIndex;
  }

  /**
   * The format that was chosen, or null for that of the content.
   *
   * @throws Failure where there is no such format
   */
  public @Nullable String format() {
    return format == null ? null : Traces.format(format).id();
  }

  /** Asks about traces that are read so, and the device that was chosen. */
  public Asking asking(AnswerOutputs to, Conditions conditions) {
    return new Asking(to, format, conditions.ofDevice(deviceIndex));
  }

  /** A trace that is read so. */
  public AskedTrace asked(String name, Conditions conditions) {
    return AskedTrace.ofName(name, format, conditions.ofDevice(deviceIndex));
  }

  /**
   * Reads a file, or generates what {@code program:ID} asks.
   *
   * @throws Failure where it cannot be read
   */
  public TraceSource open(String name) {
    return Traces.open(name, format);
  }

  /**
   * A program under conditions, on the device that was chosen.
   *
   * @throws Failure where it cannot be read, or the conditions make no sense for it
   */
  public Program open(String name, Conditions conditions) {
    return Traces.program(open(name), conditions.ofDevice(deviceIndex));
  }

  /** Reads a place that is counted from 0. */
  public static final class IndexConverter implements ITypeConverter<Integer> {
    private static final Pattern INDEX = Pattern.compile("[0-9]{1,9}");

    @Override
    public Integer convert(String text) {
      String plain = TypedNumber.plain(text);
      if (!INDEX.matcher(plain).matches()) {
        throw new TypeConversionException(
            "'" + text + "' is not an index; write a whole number from 0, such as 1");
      }
      return Integer.valueOf(plain);
    }
  }
}
