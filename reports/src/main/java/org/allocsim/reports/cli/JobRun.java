package org.allocsim.reports.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Predicate;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.task.HeapRoom;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.reports.answer.compare.ViewedTrace;
import org.allocsim.reports.answer.job.JobAnswer;
import org.allocsim.reports.answer.job.JobQuestion;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * A command that is given a job: it answers for each rank as it does for a file, and keeps of each
 * answer only what the fold needs. Ranks are answered side by side on several cores where their
 * recordings fit the Java heap together, else one after the other; the answer is the same.
 *
 * @param <A> the command's ordinary answer
 */
final class JobRun<A> {
  private static final String NOT_ASKED = "the process was asked to stop before it";

  private final OutputOptions options;
  private final Answering<A> answering;
  private @Nullable Function<A, List<TraceRecording>> page;
  private boolean isOnAllCores;
  private volatile boolean isAnyAnswered;

  /** A command's ordinary answer. */
  @FunctionalInterface
  interface Answering<A> {
    /** The answer to the recordings of these names; of one job there is one. */
    A answer(List<String> names) throws IOException;
  }

  /** A command's ordinary answer to one recording. */
  @FunctionalInterface
  interface AnsweringOne<A> {
    /** The answer to the recording of a name. */
    A answer(String name) throws IOException;
  }

  /**
   * What became of a rank.
   *
   * @param kept what is kept of its answer; null where there is none
   * @param page what a page shows of it
   * @param failure why there is no answer; null where there is one, or it was not asked for
   * @param recordedRank the rank that its recording names; null where it names none
   * @param isTooLarge whether it did not fit the heap beside others
   */
  private record Outcome<R>(
      @Nullable R kept,
      List<TraceRecording> page,
      @Nullable Failure failure,
      @Nullable Integer recordedRank,
      boolean isTooLarge) {}

  private JobRun(OutputOptions options, Answering<A> answering) {
    this.options = options;
    this.answering = answering;
  }

  /** A command that answers to one recording of each rank. */
  static <A> JobRun<A> of(OutputOptions options, AnsweringOne<A> command) {
    return new JobRun<>(options, names -> command.answer(names.getFirst()));
  }

  /** A command that answers to one recording of each rank and job. */
  static <A> JobRun<A> ofSeveral(OutputOptions options, Answering<A> command) {
    return new JobRun<>(options, command);
  }

  /** Shows these runs on the page, which shows each rank as it was recorded otherwise. */
  JobRun<A> showing(Function<A, List<TraceRecording>> runs) {
    page = runs;
    return this;
  }

  /** One answer keeps all cores busy, so ranks are not answered side by side. */
  JobRun<A> onAllCores() {
    isOnAllCores = true;
    return this;
  }

  /**
   * Answers to a file, or to each rank of a job, and writes the answer.
   *
   * @param document the answer to a file
   * @param holds whether what the command checks holds
   * @param part the part of the answer that counts for a job
   * @param question what is said of a job
   * @return the exit code
   * @throws Failure where the folder is no job, or no rank of it can be read
   */
  <B> int run(
      String name,
      Function<A, Document<?>> document,
      Predicate<A> holds,
      Function<A, B> part,
      JobQuestion<B, ?, ?> question)
      throws IOException {
    if (Jobs.isFolder(name)) {
      return run(name, part, question);
    }
    try (DocumentOutputs outputs = options.open(Traces.file(name))) {
      A answer = answering.answer(List.of(name));
      outputs.write(document.apply(answer), () -> page == null ? List.of() : page.apply(answer));
      return holds.test(answer) ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  /** The same where all of the answer counts. */
  int run(
      String name,
      Function<A, Document<?>> document,
      Predicate<A> holds,
      JobQuestion<A, ?, ?> question)
      throws IOException {
    return run(name, document, holds, Function.identity(), question);
  }

  /** The same of a job. */
  <B> int run(String folder, Function<A, B> part, JobQuestion<B, ?, ?> question)
      throws IOException {
    options.requireNoFigure(folder);
    Job job = Jobs.open(folder);
    return run(List.of(job), Job.common(List.of(job)), part, question);
  }

  /** The same where all of the answer counts. */
  int run(String folder, JobQuestion<A, ?, ?> question) throws IOException {
    return run(folder, Function.identity(), question);
  }

  /**
   * The same of several jobs, rank by rank.
   *
   * @param files the recordings of each rank in the order of the jobs
   */
  <B, R, F> int run(
      List<Job> jobs,
      List<Ranked<List<Path>>> files,
      Function<A, B> part,
      JobQuestion<B, R, F> question)
      throws IOException {
    Path[] inputs = jobs.stream().flatMap(job -> job.files().stream()).toArray(Path[]::new);
    try (DocumentOutputs outputs = options.open(inputs)) {
      EarlyEnd.begin();
      List<Outcome<R>> outcomes =
          ask(files, answer -> question.keep(part.apply(answer)), outputs.hasPage());
      JobAnswer<R, F> answer = fold(jobs.getFirst(), files, outcomes, question);
      List<TraceRecording> shown = new ArrayList<>();
      outcomes.forEach(each -> shown.addAll(each.page()));
      outputs.write(answer.document(question), shown);
      return answer.exitCode(question);
    }
  }

  private <R> List<Outcome<R>> ask(
      List<Ranked<List<Path>>> files, Function<A, R> keep, boolean hasPage) throws IOException {
    int together = isOnAllCores ? 1 : HeapRoom.together(heapBytes(files));
    List<Outcome<R>> outcomes = new ArrayList<>();
    if (together > 1) {
      List<Callable<Outcome<R>>> tasks = new ArrayList<>();
      for (Ranked<List<Path>> each : files) {
        tasks.add(() -> {
          try {
            return ask(each, keep, hasPage, false);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } finally {
            // The answer is written by the thread that waits for this one.
            EarlyEnd.finish();
          }
        });
      }
      outcomes.addAll(ParallelTasks.run(tasks, together, (_, _) -> {}));
    }
    for (int place = 0; place < files.size(); place++) {
      if (place == outcomes.size()) {
        outcomes.add(ask(files.get(place), keep, hasPage, true));
      } else if (outcomes.get(place).isTooLarge()) {
        outcomes.set(place, ask(files.get(place), keep, hasPage, true));
      }
    }
    return outcomes;
  }

  private static List<Long> heapBytes(List<Ranked<List<Path>>> files) throws IOException {
    List<Long> bytes = new ArrayList<>();
    for (Ranked<List<Path>> each : files) {
      long sum = 0;
      for (Path file : each.found()) {
        sum += HeapRoom.bytesOf(file.toString(), Files.size(file));
      }
      bytes.add(sum);
    }
    return bytes;
  }

  private <R> Outcome<R> ask(
      Ranked<List<Path>> files, Function<A, R> keep, boolean hasPage, boolean isAlone)
      throws IOException {
    if (EarlyEnd.isAsked() && isAnyAnswered) {
      return new Outcome<>(null, List.of(), null, null, false);
    }
    Integer[] recorded = new Integer[1];
    try (Traces.Hearing _ =
        Traces.hearing(source -> {
          if (source.name().equals(files.rank().file().toString())) {
            source
                .snapshot()
                .flatMap(Snapshot::facts)
                .ifPresent(facts -> recorded[0] = facts.rank());
          }
        })) {
      A answer = answering.answer(files.found().stream().map(Path::toString).toList());
      List<TraceRecording> runs = hasPage ? runs(answer, files) : List.of();
      R kept = keep.apply(answer);
      isAnyAnswered = true;
      return new Outcome<>(kept, runs, null, recorded[0], false);
    } catch (Failure failure) {
      if (!isAlone && failure.getCause() != null && isHeapTooSmall(failure.getCause())) {
        return new Outcome<>(null, List.of(), null, null, true);
      }
      return new Outcome<>(null, List.of(), failure, recorded[0], false);
    } catch (OutOfMemoryError e) {
      if (isAlone) {
        throw e;
      }
      return new Outcome<>(null, List.of(), null, null, true);
    }
  }

  private List<TraceRecording> runs(A answer, Ranked<List<Path>> files) {
    List<TraceRecording> runs = new ArrayList<>();
    if (page != null) {
      runs.addAll(page.apply(answer));
    } else {
      String format = options.valueOf("--format", String.class);
      Integer device = options.valueOf("--device-index", Integer.class);
      files
          .found()
          .forEach(file -> runs.addAll(ViewedTrace.asRecorded(file.toString(), format, device)));
    }
    for (int run = 0; run < runs.size(); run++) {
      Path folder = files.found().get(run).getParent();
      String label = files.rank().label();
      runs.get(run).rename(files.found().size() == 1 ? label : label + " of " + folder);
      runs.get(run).pack();
    }
    return runs;
  }

  private static boolean isHeapTooSmall(Throwable failure) {
    return failure instanceof OutOfMemoryError
        || failure.getCause() != null && isHeapTooSmall(failure.getCause());
  }

  private <R, F> JobAnswer<R, F> fold(
      Job job,
      List<Ranked<List<Path>>> files,
      List<Outcome<R>> outcomes,
      JobQuestion<?, R, F> question) {
    List<Ranked<R>> found = new ArrayList<>();
    List<Ranked<String>> unreadable = new ArrayList<>();
    List<Ranked<Integer>> contradicting = new ArrayList<>();
    Failure last = null;
    for (int place = 0; place < outcomes.size(); place++) {
      Rank rank = files.get(place).rank();
      Outcome<R> outcome = outcomes.get(place);
      Failure failure = outcome.failure();
      if (failure != null) {
        if (failure.exitCode() != ExitCodes.FAILED || outcomes.size() == 1) {
          throw failure;
        }
        last = failure;
        FailureReport.print(failure, options.err(), false);
        unreadable.add(
            new Ranked<>(rank, Objects.requireNonNullElse(failure.getMessage(), "unknown")));
      } else if (outcome.kept() == null) {
        unreadable.add(new Ranked<>(rank, NOT_ASKED));
      } else {
        found.add(new Ranked<>(rank, outcome.kept()));
      }
      if (outcome.recordedRank() != null && rank.isContradictedBy(outcome.recordedRank())) {
        contradicting.add(new Ranked<>(rank, outcome.recordedRank()));
      }
    }
    if (found.isEmpty()) {
      throw new Failure(
          job.folder() + ": the recording of no rank can be read; the first failure is above",
          Objects.requireNonNull(last));
    }
    return new JobAnswer<>(job, found, unreadable, contradicting, question.fold(found));
  }
}
