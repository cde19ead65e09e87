package org.allocsim.reports.question.advice;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.allocsim.analysis.advice.Trials;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.LiveSet;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.answer.advice.AdviceCharts;
import org.allocsim.reports.answer.advice.AdviseAnswer;
import org.allocsim.reports.answer.moment.DiffAnswer;
import org.allocsim.reports.answer.moment.PeakAnswer;
import org.allocsim.reports.answer.moment.ReplayedProgram;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.chart.memory.BeforeAfterChart;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.ChartFolder;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.DrawnQuestion;
import org.allocsim.reports.question.moment.DiffQuestion;
import org.allocsim.reports.question.moment.Grouping;
import org.allocsim.reports.question.moment.PeakQuestion;
import org.allocsim.reports.question.page.PageRun;
import org.jspecify.annotations.Nullable;

/**
 * Which changes make a program fit? The traces are the recordings of the program as it is and of
 * the run that is recommended, where these were kept, and then the one that is checked.
 *
 * @param trials what was tried
 * @param checked the run that the last trace is a recording of; null where there is none
 */
public record AdviseQuestion(Trials trials, Trials.@Nullable Done checked)
    implements DrawnQuestion<AdviseAnswer> {
  private static final Grouping BY_PURPOSE =
      new Grouping(
          MomentQuery.of(MomentQuery.Kind.PEAK_RESERVED), LiveSet.By.CATEGORY, TableLimits.DEFAULT);

  @Override
  public AdviseAnswer ask(Asked asked) {
    int kept = asked.traces().size() - (checked == null ? 0 : 1);
    return new AdviseAnswer(
        trials,
        kept < 2
            ? null
            : new DiffQuestion(BY_PURPOSE, CategoryRules.NONE)
                .ask(new Asked(asked.traces().subList(0, kept))),
        checked == null ? null : compared(asked.traces().getLast(), checked));
  }

  private static AdviseAnswer.Checked compared(AskedTrace trace, Trials.Done predicted) {
    PeakAnswer peak =
        new PeakQuestion(Grouping.USUAL, CategoryRules.NONE).ask(new Asked(List.of(trace)));
    boolean hasBestConf = peak.at().program().conf().equals(predicted.outcome().bestConf());
    return new AdviseAnswer.Checked(
        trace.name(),
        peak.at().moment().bytes().reservedBytes(),
        predicted.remedies(),
        hasBestConf
            ? predicted.outcome().bestReservedBytes()
            : predicted.outcome().reservedBytes());
  }

  @Override
  public Document<AdviseAnswer> document(AdviseAnswer answer) {
    return answer.document(null);
  }

  @Override
  public void draw(AdviseAnswer answer, DocumentOutputs outputs) throws IOException {
    ChartFolder charts = outputs.charts();
    if (charts != null) {
      AdviceCharts drawings = answer.charts(courses(answer));
      write(charts, drawings.runs());
      for (AdviceCharts.Drawing each : drawings.difference()) {
        write(charts, each);
      }
    }
  }

  private static List<BeforeAfterChart.Course> courses(AdviseAnswer answer) {
    DiffAnswer peaks = answer.peaks();
    if (peaks == null) {
      return List.of();
    }
    return Stream.of(
            StepCourse.of(peaks.before().program(), AdviceCharts.BEFORE),
            StepCourse.of(peaks.after().program(), AdviceCharts.AFTER))
        .flatMap(Optional::stream)
        .toList();
  }

  private static void write(ChartFolder charts, AdviceCharts.Drawing drawing) throws IOException {
    charts.write(drawing.name(), drawing.width(), drawing.height(), drawing::chart);
  }

  @Override
  public Document<AdviseAnswer> drawnDocument(AdviseAnswer answer) {
    return answer.document(courses(answer));
  }

  @Override
  public Optional<List<TraceRecording>> runs(AdviseAnswer answer) {
    return Optional.ofNullable(answer.peaks())
        .map(peaks ->
            Stream.of(peaks.before().program(), peaks.after().program())
                .flatMap(each -> runs(each).stream())
                .toList());
  }

  private static List<TraceRecording> runs(ReplayedProgram program) {
    return PageRun.of(program, () -> program.attribution(CategoryRules.NONE));
  }
}
