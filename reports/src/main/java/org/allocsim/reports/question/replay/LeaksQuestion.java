package org.allocsim.reports.question.replay;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.allocsim.analysis.leak.IterationException;
import org.allocsim.analysis.leak.IterationFinder;
import org.allocsim.analysis.leak.Iterations;
import org.allocsim.analysis.leak.LeakAnalysis;
import org.allocsim.analysis.leak.ServedBlocks;
import org.allocsim.analysis.moment.RowProgress;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.program.Trial;
import org.allocsim.analysis.task.ParallelTasks;
import org.allocsim.reports.answer.diagnosis.LeaksAnswer;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.answer.job.LeaksJob;
import org.allocsim.reports.chart.ChartTheme;
import org.allocsim.reports.chart.memory.LeakTrendChart;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.reports.question.page.PageRun;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunObserver;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.run.RunSetup;
import org.allocsim.workloads.source.DeviceTrace;
import org.jspecify.annotations.Nullable;

/**
 * Does memory grow from iteration to iteration, and what does?
 *
 * @param iterations finds where iterations begin
 * @param warmUp iterations that are left out; null where the data say how many
 * @param chart name of the file that gets the chart; null for none
 * @param isByEvent whether the axis of charts counts events
 */
public record LeaksQuestion(
    Search iterations, @Nullable Integer warmUp, @Nullable String chart, boolean isByEvent)
    implements JobQuestion<LeaksQuestion.Analysed>, DrawnQuestion<LeaksQuestion.Analysed> {
  private static final String CHART = "--chart";

  /** Finds where iterations begin. */
  @FunctionalInterface
  public interface Search {
    /**
     * The iterations of a program.
     *
     * @throws IterationException where it has none
     */
    Iterations find(IterationFinder finder) throws IterationException;
  }

  /**
   * An answer and the run that it is about.
   *
   * @param conf the settings of the run
   */
  public record Analysed(LeaksAnswer answer, RunSetup run, String conf) {}

  /** Refuses a warm-up that is not a number of iterations. */
  public LeaksQuestion {
    if (warmUp != null && warmUp < 0) {
      throw Failure.usage("--warm-up " + warmUp + " must be at least 0");
    }
  }

  /** The recording is replayed as it was made; the device that was chosen is only forecast. */
  @Override
  public Analysed ask(Asked asked) {
    Program program = asked.trace().program();
    DeviceTrace input = program.input();
    try {
      ServedBlocks served = new ServedBlocks();
      Supplier<Trial<Replayed>> replayed =
          ParallelTasks.beside(() -> replay(program.asRecorded(), served));
      Iterations found = iterations.find(new IterationFinder(input.trace(), input.device()));
      Trial<Replayed> trial = replayed.get();
      LeakAnalysis analysis =
          LeakAnalysis.of(
              input.trace(), input.device(), found, served, warmUp == null ? -1 : warmUp);
      LeaksAnswer answer =
          new LeaksAnswer(
              input,
              trial.isRecorded() ? Addresses.RECORDED : Addresses.MODELLED,
              program.release(),
              analysis,
              program.recordedConditions().maxBytes());
      return new Analysed(answer, trial.outcome().setup(), program.recordedConfig().text());
    } catch (IterationException e) {
      String sentence = asked.trace().name() + ": " + e.getMessage();
      throw e.isNameUnknown() ? Failure.usage(sentence) : new Failure(sentence, e);
    }
  }

  /** A run that is done. */
  private record Replayed(RunSetup setup, RunResult result) {}

  private static Trial<Replayed> replay(Program program, ServedBlocks served) {
    try (ProgressMeter progress = ProgressMeter.ofEvents("replaying")) {
      RunObserver rows = new RowProgress(program.input().trace().eventCount(), progress::update);
      return Trial.of(
          program,
          (setup, _) -> new Replayed(setup, Run.of(setup, served, rows)),
          replayed -> replayed.result().divergedRow());
    }
  }

  @Override
  public Document<?> document(Analysed analysed) {
    return analysed.answer().document(false);
  }

  @Override
  public Document<?> drawnDocument(Analysed analysed) {
    return analysed.answer().document(true);
  }

  @Override
  public Optional<List<TraceRecording>> runs(Analysed analysed) {
    return Optional.of(
        List.of(
            PageRun.underConf(
                new TraceRecording(analysed.answer().input()), analysed.run(), analysed.conf())));
  }

  @Override
  public boolean holds(Analysed analysed) {
    return !analysed.answer().analysis().verdict().isHarmful();
  }

  @Override
  public void open(DocumentOutputs outputs) {
    outputs.open(CHART, chart);
  }

  @Override
  public void draw(Analysed analysed, DocumentOutputs outputs) throws IOException {
    LeaksAnswer answer = analysed.answer();
    if (chart != null) {
      outputs.draw(
          CHART,
          chart,
          answer.chart(ChartTheme.LIGHT, isByEvent),
          LeakTrendChart.WIDTH,
          LeakTrendChart.HEIGHT);
    }
    ChartFolder charts = outputs.charts();
    if (charts != null) {
      charts.write(
          "leak",
          LeakTrendChart.WIDTH,
          LeakTrendChart.HEIGHT,
          theme -> answer.chart(theme, isByEvent));
    }
  }

  @Override
  public void requireForJob(List<String> names) {
    if (chart != null) {
      throw Failure.usage(
          "--chart needs a single recording; give the file of one rank instead of the folder "
              + names.getFirst());
    }
  }

  @Override
  public JobView<Analysed, ?, ?> view(AskedJobs jobs) {
    return new LeaksJob().of(Analysed::answer);
  }
}
