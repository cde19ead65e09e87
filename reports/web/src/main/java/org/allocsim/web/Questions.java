package org.allocsim.web;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;
import org.allocsim.analysis.attribution.CategoryRules;
import org.allocsim.analysis.moment.Blockers;
import org.allocsim.reports.answer.moment.TableLimits;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.html.TraceRecording;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asked;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.Question;
import org.allocsim.reports.question.moment.BlockersQuestion;
import org.allocsim.reports.question.moment.Grouping;
import org.allocsim.reports.question.moment.PeakQuestion;
import org.allocsim.reports.question.recording.VerifyQuestion;
import org.allocsim.reports.question.replay.ConfChoices;
import org.allocsim.reports.question.replay.ReplayQuestion;
import org.allocsim.reports.question.replay.ViewQuestion;
import org.allocsim.reports.question.tuning.DiagnoseQuestion;
import org.allocsim.reports.question.tuning.TuneQuestion;

/** Asks what the page asks: the questions of the commands without further options. */
final class Questions {
  private Questions() {}

  /**
   * An answer.
   *
   * @param recordings records what its page shows of runs
   */
  record Answer(Document<?> document, Supplier<List<TraceRecording>> recordings) {}

  /**
   * Asks a question.
   *
   * @throws Failure where there is no such question, or no answer
   */
  static Answer ask(String name, AskedTrace trace) throws IOException {
    // Questions that try settings begin with the recorded ones.
    AskedTrace recorded = trace.under(trace.conditions().under(null));
    return switch (name) {
      case "diagnose" -> ask(DiagnoseQuestion.USUAL, recorded);
      case "verify" -> ask(VerifyQuestion.USUAL, trace);
      case "peak" -> ask(new PeakQuestion(Grouping.USUAL, CategoryRules.NONE), trace);
      case "blockers" ->
          ask(new BlockersQuestion(null, Blockers.Order.RATIO, TableLimits.DEFAULT), trace);
      case "tune" -> ask(TuneQuestion.USUAL, recorded);
      case "replay" -> ask(ReplayQuestion.USUAL, trace);
      case "view" -> ask(new ViewQuestion(ConfChoices.of(trace.conditions().conf())), trace);
      default -> throw Failure.usage("unknown question: " + name);
    };
  }

  private static <A> Answer ask(Question<A> question, AskedTrace trace) throws IOException {
    A answer = question.ask(new Asked(List.of(trace)));
    return new Answer(question.document(answer), () -> question.runs(answer).orElse(List.of()));
  }
}
