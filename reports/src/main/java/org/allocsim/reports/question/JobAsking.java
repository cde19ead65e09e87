package org.allocsim.reports.question;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.allocsim.analysis.job.Job;
import org.allocsim.analysis.job.Rank;
import org.allocsim.analysis.job.Ranked;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.task.HeapRoom;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.reports.answer.job.JobAnswer;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.input.Traces;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.question.page.PageRun;
import org.allocsim.workloads.format.pytorch.Snapshot;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * Asks a question of jobs: of each rank as of a file, and keeps of each answer only what the fold
 * needs. Ranks are asked side by side on several cores where their recordings fit the Java heap
 * together, else one after the other; the answer is the same.
 *
 * @param <A> the answer to a rank
 */
final class JobAsking<A> {
  private static final String NOT_ASKED = "the process was asked to stop before it";

  private final JobQuestion<A> question;
  private final AnswerOutputs to;
  private final @Nullable String format;
  private final Conditions conditions;
  private volatile boolean isAnyAnswered;

  /**
   * What became of a rank.
   *
   * @param kept the kept part of its answer; null if there is none
   * @param page what a page shows of it
   * @param failure why there is no answer; null if there is one, or it was not requested
   * @param recordedRank the rank that its recording names; null if it names none
   * @param isTooLarge whether it did not fit the heap together with others
   */
  private record Outcome<R>(
      @Nullable R kept,
      List<TraceRecording> page,
      @Nullable Failure failure,
      @Nullable Integer recordedRank,
      boolean isTooLarge) {}

  JobAsking(
      JobQuestion<A> question, AnswerOutputs to, @Nullable String format, Conditions conditions) {
    this.question = question;
    this.to = to;
    this.format = format;
    this.conditions = conditions;
  }

  /**
   * Asks about one job, or about several rank by rank, and writes the answer.
   *
   * @return the exit code
   * @throws Failure if a folder is not a job, or none of its ranks can be read
   */
  int ask(List<String> names) throws IOException {
    question.requireForJob(names);
    List<Job> jobs;
    List<Ranked<List<Path>>> files;
    if (names.size() == 1) {
      to.requireNoFigure(names.getFirst());
      jobs = List.of(Jobs.open(names.getFirst()));
      files = Job.common(jobs);
    } else {
      jobs = Jobs.openAll(names);
      files = Jobs.common(jobs);
    }
    return ask(jobs, files, question.view(new AskedJobs(jobs, files, rank -> trace(rank.file()))));
  }

  private <R, F> int ask(List<Job> jobs, List<Ranked<List<Path>>> files, JobView<A, R, F> view)
      throws IOException {
    Path[] inputs = jobs.stream().flatMap(job -> job.files().stream()).toArray(Path[]::new);
    try (DocumentOutputs outputs = to.open(inputs)) {
      EarlyEnd.begin();
      List<Outcome<R>> outcomes = ask(files, view, outputs.hasPage());
      JobAnswer<R, F> answer = fold(jobs.getFirst(), files, outcomes, view);
      List<TraceRecording> shown = new ArrayList<>();
      outcomes.forEach(each -> shown.addAll(each.page()));
      outputs.write(answer.document(view), shown);
      return answer.exitCode(view);
    }
  }

  private AskedTrace trace(Path file) {
    return AskedTrace.ofName(file.toString(), format, conditions);
  }

  /** The same; it is noted which rank the recording names. */
  private AskedTrace noting(Path file, @Nullable Integer[] recorded) {
    return new AskedTrace(
        file.toString(),
        () -> {
          TraceSource source = Traces.open(file.toString(), format);
          source.snapshot().flatMap(Snapshot::facts).ifPresent(facts -> recorded[0] = facts.rank());
          return source;
        },
        conditions);
  }

  private <R> List<Outcome<R>> ask(
      List<Ranked<List<Path>>> files, JobView<A, R, ?> view, boolean hasPage) throws IOException {
    int together = view.isOnAllCores() ? 1 : HeapRoom.together(heapBytes(files));
    List<Outcome<R>> outcomes = new ArrayList<>();
    if (together > 1) {
      List<Callable<Outcome<R>>> tasks = new ArrayList<>();
      for (Ranked<List<Path>> each : files) {
        tasks.add(() -> {
          try {
            return ask(each, view, hasPage, false);
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
        outcomes.add(ask(files.get(place), view, hasPage, true));
      } else if (outcomes.get(place).isTooLarge()) {
        outcomes.set(place, ask(files.get(place), view, hasPage, true));
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
      Ranked<List<Path>> files, JobView<A, R, ?> view, boolean hasPage, boolean isAlone)
      throws IOException {
    if (EarlyEnd.isAsked() && isAnyAnswered) {
      return new Outcome<>(null, List.of(), null, null, false);
    }
    Integer[] recorded = new Integer[1];
    Asked asked =
        new Asked(
            files.found().stream()
                .map(
                    file -> file.equals(files.rank().file()) ? noting(file, recorded) : trace(file))
                .toList(),
            hasPage);
    try {
      A answer = question.ask(asked);
      List<TraceRecording> runs = hasPage ? runs(answer, files) : List.of();
      R kept = view.keep(answer);
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
    Optional<List<TraceRecording>> own = question.runs(answer);
    if (own.isPresent()) {
      runs.addAll(own.get());
    } else {
      for (Path file : files.found()) {
        runs.addAll(PageRun.asRecorded(trace(file).source(), conditions.deviceIndex()));
      }
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
      Job job, List<Ranked<List<Path>>> files, List<Outcome<R>> outcomes, JobView<?, R, F> view) {
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
        FailureReport.print(failure, to.err(), false);
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
          job.folder() + ": no rank's recording can be read; see the first failure above",
          Objects.requireNonNull(last));
    }
    NextCommand next =
        view.next(
            NextCommand.of(job.folder().toString(), conditions, format)
                .after(to.commandName(), to.givenOptions()));
    return new JobAnswer<>(job, found, unreadable, contradicting, view.fold(found), next);
  }
}
