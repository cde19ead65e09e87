package org.allocsim.reports.answer.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.moment.StackLabels;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.answer.part.NextCommand;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.input.LogInput;
import org.jspecify.annotations.Nullable;

/**
 * Why a run failed and what helps, from its recording, its log or both.
 *
 * @param program what the recording shows; null without one
 * @param log what the log shows; null without one
 */
public record DiagnoseAnswer(@Nullable DiagnosedProgram program, @Nullable ExplainOomAnswer log) {
  public static final Kind<DiagnoseAnswer> KIND =
      new Kind<>(
          "diagnose",
          "diagnose --json",
          "What `allocsim diagnose --json` writes: why a run failed and what helps.",
          Shape.of(answer ->
              answer
                  .one(
                      "program",
                      "What the recording shows.",
                      DiagnosedProgram.SHAPE,
                      DiagnoseAnswer::program)
                  .missing("no recording was given")
                  .one("log", "What the log shows.", ExplainOomAnswer.SHAPE, DiagnoseAnswer::log)
                  .missing("no log was given")));

  public Document<DiagnoseAnswer> document() {
    List<Section> sections = new ArrayList<>();
    Verdict verdict = null;
    String title = "";
    Map<String, Table<?>> csv = Map.of();
    if (program != null) {
      verdict = program.verdict();
      title = program.input().name();
      Section section = program.section();
      csv = Map.of("", (Table<?>) section.blocks().getLast());
      sections.add(section);
    }
    if (log != null) {
      Document<ExplainOomAnswer> explained = log.document(1);
      if (program == null) {
        verdict = log.report() == null ? log.verdict().with(facts(log)) : log.verdict();
        title = explained.title();
        csv = explained.csv();
        sections.addAll(explained.sections());
      } else {
        sections.add(
            new Section(
                "The log: " + log.verdict().sentence(), explained.sections().getFirst().blocks()));
      }
    }
    return new Document<>(KIND, title, verdict, sections, csv, this);
  }

  /** Where the first message of the log comes from, and what to do for more. */
  private static List<Sentence> facts(ExplainOomAnswer log) {
    List<Sentence> facts = new ArrayList<>();
    askedAt(log).ifPresent(facts::add);
    if (hasSnapshots(log)) {
      NextCommand next = NextCommand.of("snapshot.pickle", Conditions.RECORDED, null);
      facts.add(
          Sentence.of(
              "Next: record the run with"
                  + " torch.cuda.memory._record_memory_history(stacks=\"python\") and"
                  + " torch.cuda.memory._dump_snapshot(\"snapshot.pickle\"); {} then tells which"
                  + " setting would have saved it and which lines hold the memory.",
              log.name().equals(LogInput.STANDARD_INPUT_LABEL)
                  ? next.line("diagnose")
                  : next.line("diagnose", log.name())));
    }
    return facts;
  }

  /** Whether a snapshot would show what failed: it says nothing of the memory of others. */
  private static boolean hasSnapshots(ExplainOomAnswer log) {
    return log.contents().found().stream()
        .findFirst()
        .filter(each -> each.message().wording().hasSnapshots())
        .isPresent();
  }

  private static Optional<Sentence> askedAt(ExplainOomAnswer log) {
    return log.contents().found().stream()
        .findFirst()
        .flatMap(log.contents().places()::of)
        .map(place ->
            place.own().filter(own -> !own.equals(place.innermost())).isPresent()
                ? Sentence.of(
                    "Requested at {}, in {}.",
                    StackLabels.text(place.own().get()),
                    StackLabels.text(place.innermost()))
                : Sentence.of("Requested in {}.", StackLabels.text(place.innermost())));
  }
}
