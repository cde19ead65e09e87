package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.reports.answer.job.JobAnswer;
import org.allocsim.reports.answer.job.JobQuestion;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.workloads.io.EarlyEnd;

/**
 * A command that is given a job: it answers for one rank after the other, as it does for a file,
 * and keeps of each answer only what the fold needs, so that one recording at a time is held.
 */
final class JobRun {
  private static final String NOT_ASKED = "the process was told to end before it";

  private JobRun() {}

  /** A command's ordinary answer. */
  @FunctionalInterface
  interface Answering<A> {
    /** The answer to the recording of a name. */
    A answer(String name) throws IOException;
  }

  /**
   * Answers for a job and writes the answer.
   *
   * @param command answers to one recording
   * @param err hears of ranks whose recordings cannot be read; the others are answered all the same
   * @return the exit code
   * @throws Failure where the folder is no job, or no rank of it can be read
   */
  static <A, R, F> int run(
      String folder,
      OutputOptions options,
      JobQuestion<A, R, F> question,
      Answering<A> command,
      PrintWriter err)
      throws IOException {
    options.requireNoFigure(folder);
    Job job = Jobs.open(folder);
    try (DocumentOutputs outputs = options.open(job.files().toArray(Path[]::new))) {
      JobAnswer<R, F> answer = ask(job, question, command, err);
      outputs.write(answer.document(question));
      return answer.exitCode(question);
    }
  }

  private static <A, R, F> JobAnswer<R, F> ask(
      Job job, JobQuestion<A, R, F> question, Answering<A> command, PrintWriter err)
      throws IOException {
    List<Ranked<R>> found = new ArrayList<>();
    List<Ranked<String>> unreadable = new ArrayList<>();
    Failure last = null;
    EarlyEnd.begin();
    for (Rank rank : job.ranks()) {
      if (EarlyEnd.isAsked() && !found.isEmpty()) {
        unreadable.add(new Ranked<>(rank, NOT_ASKED));
        continue;
      }
      try {
        found.add(new Ranked<>(rank, question.keep(command.answer(rank.file().toString()))));
      } catch (Failure failure) {
        if (failure.exitCode() != ExitCodes.FAILED || job.ranks().size() == 1) {
          throw failure;
        }
        last = failure;
        FailureReport.print(failure, err, false);
        unreadable.add(
            new Ranked<>(rank, Objects.requireNonNullElse(failure.getMessage(), "unknown")));
      }
    }
    if (found.isEmpty()) {
      throw new Failure(
          job.folder() + ": the recording of no rank can be read; the first failure is above",
          Objects.requireNonNull(last));
    }
    return new JobAnswer<>(job, found, unreadable, question.fold(found));
  }
}
