package org.allocsim.reports.question;

import java.io.PrintWriter;
import java.nio.file.Path;
import org.allocsim.reports.output.DocumentOutputs;
import org.jspecify.annotations.Nullable;

/** Where answers are written. */
public interface AnswerOutputs {
  /**
   * Opens the files, before the long work begins.
   *
   * @param inputs files that are read and must not be overwritten; null entries are ignored
   * @throws org.allocsim.reports.output.Failure if one cannot be written
   */
  DocumentOutputs open(@Nullable Path... inputs);

  /** Gets what keeps a question from being answered in full. */
  PrintWriter err();

  /**
   * Refuses a figure of a job, which is answered without charts.
   *
   * @param job name of its folder
   */
  default void requireNoFigure(String job) {}
}
