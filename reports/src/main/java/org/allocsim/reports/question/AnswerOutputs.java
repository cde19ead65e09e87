package org.allocsim.reports.question;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
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

  /** The command that is answered, as users know it; empty if none is. */
  default String commandName() {
    return "";
  }

  /** The options given to that command, with their values, by their names. */
  default SequencedMap<String, List<String>> givenOptions() {
    return new LinkedHashMap<>();
  }

  /**
   * Refuses a figure of a job, which is answered without charts.
   *
   * @param job name of its folder
   */
  default void requireNoFigure(String job) {}
}
