package org.allocsim.reports.question.tuning;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.job.TuneJob;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.answer.tuning.TunedProgram;
import org.allocsim.reports.chart.comparison.Histogram;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.reports.question.page.TuneRecording;
import org.allocsim.workloads.source.DeviceTrace;

/**
 * Which settings of the caching allocator would have been best?
 *
 * @param platform where the program is to run
 * @param fineness how many settings are tried
 * @param top rows of the table, 0 for all
 */
public record TuneQuestion(Platform platform, TuningGrid.Fineness fineness, int top)
    implements JobQuestion<TunedProgram> {
  /** What is asked where nobody says otherwise. */
  public static final TuneQuestion USUAL =
      new TuneQuestion(Platform.LINUX, TuningGrid.Fineness.USUAL, TuneAnswer.DEFAULT_TOP);

  private static final double NANOS_PER_SECOND = 1e9;

  @Override
  public TunedProgram ask(Asked asked) {
    Program program = asked.trace().program();
    asked.mayEndEarly();
    DeviceTrace input = program.input();
    long startNanos = System.nanoTime();
    TuningGrid grid = TuningGrid.of(program, platform, fineness);
    Tuning tuning;
    try (ProgressMeter progress = ProgressMeter.of("tuning", "settings")) {
      tuning = Tuning.run(program, grid, platform, progress::update);
    }
    double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
    return new TunedProgram(
        input,
        new TuneAnswer(
            program.name(),
            input.sha256(),
            input.eventCount(),
            input.device(),
            program.release(),
            platform,
            program.recordedConditions(),
            NextCommand.of(program).on(platform),
            tuning,
            Histogram.ofSizes(input.trace(), input.device()),
            Histogram.ofLifetimes(input.trace(), input.device()),
            seconds));
  }

  @Override
  public Document<TuneAnswer> document(TunedProgram tuned) {
    return tuned.answer().document(top);
  }

  @Override
  public Optional<List<TraceRecording>> runs(TunedProgram tuned) {
    return Optional.of(
        List.of(
            TuneRecording.of(
                new TraceRecording(tuned.input()),
                tuned.input(),
                tuned.answer().tuning(),
                tuned.answer().recordedConditions().maxBytes(),
                false)));
  }

  @Override
  public boolean holds(TunedProgram tuned) {
    return !tuned.answer().tuning().allFail();
  }

  @Override
  public JobView<TunedProgram, ?, ?> view(AskedJobs jobs) {
    return new TuneJob(platform, top).of(TunedProgram::answer).onAllCores();
  }
}
