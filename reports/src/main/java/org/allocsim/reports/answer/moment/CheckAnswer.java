package org.allocsim.reports.answer.moment;

import static org.allocsim.reports.document.Quantity.count;
import static org.allocsim.reports.document.Unit.BYTES;
import static org.allocsim.reports.document.Unit.FLAG;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.analysis.tuning.LimitCheck;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Quantity;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * Whether a program keeps its limits.
 *
 * @param program the program
 * @param checks the limits and what they were held against
 */
public record CheckAnswer(ReplayedProgram program, List<LimitCheck> checks) {
  private static final Shape<LimitCheck> CHECKS =
      Shape.of(check ->
          check
              .shown(FLAG, "", "Whether the limit is met.", each -> each.holds() ? "ok" : "FAIL")
              .text("subject", "limit", "Limited quantity.", LimitCheck::subject)
              .count("actual", "Value of the program.", LimitCheck::actual)
              .shown(
                  BYTES,
                  "actual",
                  "Value of the program.",
                  each ->
                      each.isSize()
                          ? Quantity.exactBytes(each.actual())
                          : text(each, each.actual()))
              .count("limit", "Maximum allowed.", LimitCheck::limit)
              .shown(BYTES, "at most", "Allowed value.", each -> text(each, each.limit()))
              .text(
                  "unit",
                  "Unit of the two values: bytes or requests.",
                  each -> each.isSize() ? "bytes" : "requests")
              .shown(
                  BYTES,
                  "over by",
                  "Excess.",
                  each -> each.holds() ? "" : text(each, each.actual() - each.limit()))
              .flag("passes", "Whether the limit is met.", LimitCheck::holds));

  public static final Kind<CheckAnswer> KIND =
      new Kind<>(
          "check",
          "check --json",
          "What `allocsim check --json` writes: limits and whether they are met.",
          Shape.of(answer ->
              answer
                  .embed(ProgramMoment.PROGRAM, CheckAnswer::program)
                  .term(Columns.HOLDS, CheckAnswer::holds)
                  .many("checks", "The limits.", CHECKS, CheckAnswer::checks)));

  /** Whether every limit is kept. */
  public boolean holds() {
    return checks.stream().allMatch(LimitCheck::holds);
  }

  private static String text(LimitCheck check, long value) {
    return check.isSize() ? ByteFormat.human(value) : Numbers.count(value);
  }

  public Document<CheckAnswer> document() {
    long failed = checks.stream().filter(check -> !check.holds()).count();
    Sentence limits =
        checks.size() == 1
            ? Sentence.of("The limit is")
            : failed == 0
                ? Sentence.of("All {} limits are", count(checks.size()))
                : Sentence.of(
                    "{} of {} limits {}",
                    count(failed),
                    count(checks.size()),
                    failed == 1 ? "is" : "are");
    Sentence sentence = Sentence.of(failed == 0 ? "{} met." : "{} not met.", limits);
    Table<LimitCheck> table = Table.of("Limits", CHECKS, checks);
    return new Document<>(
        KIND,
        String.valueOf(Path.of(program.name()).getFileName()),
        new Verdict(failed == 0 ? Tone.GOOD : Tone.BAD, sentence),
        List.of(new Section(null, List.of(table))),
        table,
        this);
  }
}
