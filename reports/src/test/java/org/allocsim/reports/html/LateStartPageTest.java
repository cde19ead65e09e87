package org.allocsim.reports.html;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Objects;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.tuning.Platform;
import org.allocsim.analysis.tuning.TuningGrid;
import org.allocsim.reports.answer.part.Settings;
import org.allocsim.reports.answer.tuning.TuneAnswer;
import org.allocsim.reports.answer.tuning.TunedProgram;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.tuning.TuneQuestion;
import org.junit.jupiter.api.Test;

class LateStartPageTest {
  private static final String LATE =
      "analysis/src/test/resources/org/allocsim/analysis/attribution/"
          + "recorded-training-late.pickle.xz";

  /** Of a late recording the answer has a row more than settings. */
  @Test
  void theRunsOfThePageHaveTheFiguresOfTheirRows() throws Exception {
    TuneQuestion question =
        new TuneQuestion(Platform.LINUX, TuningGrid.Fineness.COARSEST, TuneQuestion.USUAL.top());
    TunedProgram tuned =
        question.ask(new Asked(List.of(AskedTrace.ofName(LATE, null, Conditions.RECORDED))));
    assertTrue(tuned.answer().tuning().fromSameStart().isPresent());
    List<TuneAnswer.Row> rows = TuneAnswer.rows(tuned.answer().tuning());
    TraceRecording page = question.runs(tuned).orElseThrow().getFirst();
    List<TraceRecording.Run> runs = page.runs();
    assertTrue(runs.size() > 1);
    for (TraceRecording.Run run : runs) {
      assertEquals(run.label(), Settings.name(rows.get(run.row()).entry().conf()));
    }
    assertEquals(
        tuned.answer().tuning().recorded(),
        rows.get(Objects.requireNonNull(page.recorded())).entry());
  }
}
