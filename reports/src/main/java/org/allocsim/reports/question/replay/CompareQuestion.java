package org.allocsim.reports.question.replay;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.moment.ObservedRun;
import org.allocsim.analysis.program.Program;
import org.allocsim.analysis.recording.RecordedConditions;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.Tuning;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.compare.CompareAnswer;
import org.allocsim.reports.answer.compare.CompareCharts;
import org.allocsim.reports.answer.compare.ComparedTrace;
import org.allocsim.reports.answer.job.CompareJob;
import org.allocsim.reports.answer.job.JobView;
import org.allocsim.reports.chart.memory.MemoryTimelineChart;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedJobs;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.JobQuestion;
import org.allocsim.reports.question.page.RecordedTrial;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.workloads.io.EarlyEnd;
import org.jspecify.annotations.Nullable;

/**
 * What do many allocators make of the same traces?
 *
 * @param policies the allocators
 * @param confs settings of PyTorch's
 * @param charts name of the folder that gets charts; null for none
 */
public record CompareQuestion(
    List<PolicyChoice> policies, ConfChoices confs, @Nullable String charts)
    implements JobQuestion<CompareQuestion.Compared>, DrawnQuestion<CompareQuestion.Compared> {
  private static final String CHARTS = "--charts";

  /**
   * What was compared.
   *
   * @param names the traces that were asked about
   * @param recordings what a page shows of the traces
   */
  public record Compared(
      CompareAnswer answer, List<String> names, List<TraceRecording> recordings) {
    private ComparedTrace only() {
      return answer.traces().stream()
          .findFirst()
          .orElseThrow(() -> new Failure(names.getFirst() + ": stopped by a signal"));
    }
  }

  @Override
  public Compared ask(Asked asked) {
    List<ComparedTrace> traces = new ArrayList<>();
    List<TraceRecording> recordings = new ArrayList<>();
    for (AskedTrace each : asked.traces()) {
      if (EarlyEnd.isAsked()) {
        break;
      }
      compare(each, asked, recordings).ifPresent(traces::add);
    }
    return new Compared(
        new CompareAnswer(traces),
        asked.traces().stream().map(AskedTrace::name).toList(),
        recordings);
  }

  /** Compares on one trace; empty where the process is asked to stop before a policy was run. */
  private Optional<ComparedTrace> compare(
      AskedTrace trace, Asked asked, List<TraceRecording> recordings) {
    Program program = trace.program();
    Tuning tuning = tune(program);
    List<PolicyChoice> choices =
        confs.expand(
            policies,
            program.input().conf(),
            tuning == null ? null : tuning.best().conf(),
            program.release(),
            program.recordedConditions().profile());
    boolean isDrawn = asked.isShown() || charts != null;
    RecordedTrial recorded = new RecordedTrial(program, isDrawn);
    asked.mayEndEarly();
    List<ObservedRun> observed;
    try (ProgressMeter progress = ProgressMeter.of("comparing", "policies")) {
      observed = recorded.runAll(choices, progress::update);
    }
    if (observed.isEmpty()) {
      return Optional.empty();
    }
    ComparedTrace compared = ComparedTrace.of(program, tuning, observed);
    if (isDrawn) {
      recordings.add(recorded.recording(compared.results(), program.input().conf()));
    }
    return Optional.of(compared);
  }

  /** The search of {@code tune}; null if the user names what to compare. */
  private @Nullable Tuning tune(Program program) {
    boolean hasPyTorch =
        policies.stream()
            .anyMatch(each ->
                each.provider().spec().id().equals(Program.PYTORCH) && each.options().isEmpty());
    if (confs.given() != null || !hasPyTorch) {
      return null;
    }
    TuningGrid grid = TuningGrid.of(program, Platform.LINUX, TuningGrid.Fineness.USUAL);
    try (ProgressMeter progress = ProgressMeter.of("tuning", "settings")) {
      return Tuning.run(program, grid, Platform.LINUX, progress::update);
    }
  }

  @Override
  public boolean isAnswered(Compared compared) {
    return !compared.answer().traces().isEmpty();
  }

  @Override
  public Document<CompareAnswer> document(Compared compared) {
    return compared.answer().document();
  }

  @Override
  public Optional<List<TraceRecording>> runs(Compared compared) {
    return Optional.of(compared.recordings());
  }

  @Override
  public void draw(Compared compared, DocumentOutputs outputs) throws IOException {
    ChartFolder folder = outputs.charts(CHARTS, charts);
    if (folder == null) {
      return;
    }
    int number = 0;
    for (ComparedTrace each : compared.answer().traces()) {
      number++;
      new CompareCharts(each, bound(each.recordedConditions()), each.runs())
          .write(folder, compared.names().size() == 1 ? "" : number + "-");
    }
  }

  private static MemoryTimelineChart.Bound bound(RecordedConditions recordedConditions) {
    long maxBytes = recordedConditions.maxBytes();
    return new MemoryTimelineChart.Bound(
        maxBytes == recordedConditions.limitBytes() ? "limit" : "the GPU has", maxBytes);
  }

  @Override
  public void requireForJob(List<String> names) {
    if (charts != null) {
      throw Failure.usage(
          "--charts needs a single recording; give the file of one rank instead of the folder "
              + names.getFirst());
    }
    if (names.size() > 1) {
      throw Failure.usage("compare accepts only one job folder; omit the other names");
    }
  }

  @Override
  public JobView<Compared, ?, ?> view(AskedJobs jobs) {
    return new CompareJob().of(Compared::only).onAllCores();
  }
}
