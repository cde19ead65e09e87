package org.allocsim.reports.question;

import java.nio.file.Path;
import java.util.function.Supplier;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.input.Traces;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/** A trace that a question is asked about, under conditions. It is read when it is needed. */
public final class AskedTrace {
  private final String name;
  private final Supplier<TraceSource> reading;
  private final Conditions conditions;

  /**
   * A trace.
   *
   * @param name as it was given
   * @param reading reads it again on each call
   * @param conditions conditions of the question
   */
  public AskedTrace(String name, Supplier<TraceSource> reading, Conditions conditions) {
    this.name = name;
    this.reading = reading;
    this.conditions = conditions;
  }

  /** A trace that was read. */
  public static AskedTrace of(TraceSource source, Conditions conditions) {
    return new AskedTrace(source.name(), () -> source, conditions);
  }

  /**
   * A file, or a program that is generated.
   *
   * @param format id of its format, or null for that of its content
   */
  public static AskedTrace ofName(String name, @Nullable String format, Conditions conditions) {
    return new AskedTrace(name, () -> Traces.open(name, format), conditions);
  }

  /** The name as it was given. */
  public String name() {
    return name;
  }

  /** The conditions of the question. */
  public Conditions conditions() {
    return conditions;
  }

  /** The same under other conditions. */
  public AskedTrace under(Conditions others) {
    return new AskedTrace(name, reading, others);
  }

  /**
   * The file that is read.
   *
   * @throws org.allocsim.reports.output.Failure where there is none
   */
  public @Nullable Path file() {
    return Traces.file(name);
  }

  /**
   * Reads it.
   *
   * @throws org.allocsim.reports.output.Failure if it cannot be read
   */
  public TraceSource source() {
    return reading.get();
  }

  /**
   * Reads it as a program.
   *
   * @throws org.allocsim.reports.output.Failure if it cannot be read, or the conditions make no
   *     sense for it
   */
  public Program program() {
    return Traces.program(source(), conditions);
  }
}
