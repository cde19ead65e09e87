package org.allocsim.reports.answer.suite;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.allocsim.analysis.suite.PolicyScores;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Facts;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.simulator.run.RunResult;

/**
 * How allocators score on the reported failures.
 *
 * @param scores a row for each allocator
 */
public record SuiteScoresAnswer(PolicyScores scores) {
  private static final String EXPLANATION =
      "Each column is a reported failure's program before any change: peak requested memory as a"
          + " percentage of peak reserved memory; OOM if a request failed, - if the allocator"
          + " cannot serve the program. The score is the mean, with failures counted as 0.";

  private static final String NOT_RUN = "the policy did not run";

  private static final Shape<RunResult> RESULT =
      Shape.of(result ->
          result
              .term(Columns.NOT_RUN_BECAUSE, RunResult::notRunBecause)
              .missing("it ran")
              .where(
                  RunResult::isRun,
                  NOT_RUN,
                  Shape.of(run ->
                      run.term(Columns.PASSES, RunResult::passes)
                          .term(Columns.PEAK_REQUESTED_BYTES, RunResult::peakRequestedBytes)
                          .term(Columns.PEAK_RESERVED_BYTES, RunResult::peakReservedBytes))));

  private static final Shape<PolicyScores.Row> POLICY =
      Shape.of(policy ->
          policy
              .term(Columns.POLICY, "policy", row -> row.choice().label())
              .number(
                  "score",
                  "Mean fraction of reserved memory that was requested; a failure counts as 0.",
                  PolicyScores.Row::score)
              .shown(
                  Unit.NUMBER,
                  "score",
                  "The same in percent.",
                  row -> String.format(Locale.ROOT, "%.1f", 100 * row.score()))
              .count("served", "Scenarios with every request served.", PolicyScores.Row::served)
              .shown(
                  Unit.NUMBER,
                  "served",
                  "Scenarios with every request served.",
                  row -> row.served() + " of " + row.results().size())
              .many(
                  "results",
                  "One entry for each scenario, in their order.",
                  RESULT,
                  PolicyScores.Row::results));

  /** A policy in a scenario, for CSV. */
  private record Cell(PolicyScores.Row row, String scenario, RunResult result) {}

  private static final Shape<Cell> CELL =
      Shape.of(cell ->
          cell.term(Columns.POLICY, each -> each.row().choice().label())
              .number("score", "The policy's score.", each -> each.row().score())
              .term(Columns.SCENARIO, Cell::scenario)
              .embed(RESULT, Cell::result));

  public static final Kind<SuiteScoresAnswer> KIND =
      new Kind<>(
          "suite-scores",
          "suite --policies --json",
          "What `allocsim suite --policies --json` writes: how allocators score on the reported"
              + " failures.",
          Shape.of(answer ->
              answer
                  .texts("scenarios", "Names of the scenarios.", SuiteScoresAnswer::names)
                  .many(
                      "policies",
                      "The policies that were asked for.",
                      POLICY,
                      each -> each.scores().rows())));

  public Document<SuiteScoresAnswer> document() {
    List<String> names = names();
    Facts topics = Facts.none();
    for (int i = 0; i < names.size(); i++) {
      topics = topics.and(Integer.toString(i + 1), "{}", names.get(i));
    }
    Shape<PolicyScores.Row> shape =
        POLICY.and(policy -> {
          for (int i = 0; i < names.size(); i++) {
            int scenario = i;
            policy
                .shown(
                    Unit.NUMBER,
                    Integer.toString(i + 1),
                    names.get(i),
                    row -> cell(row.results().get(scenario)))
                .rank(i + 1);
          }
        });
    List<Cell> cells =
        scores.rows().stream()
            .flatMap(row ->
                IntStream.range(0, names.size())
                    .mapToObj(i -> new Cell(row, names.get(i), row.results().get(i))))
            .toList();
    return new Document<>(
        KIND,
        "scores",
        null,
        List.of(
            new Section(
                null,
                List.of(
                    Table.of("Scores", shape, scores.rows()),
                    Notes.of(null, List.of(EXPLANATION)),
                    topics))),
        Table.of("Results", CELL, cells),
        this);
  }

  private List<String> names() {
    return scores.topics().stream().map(topic -> topic.name()).toList();
  }

  private static String cell(RunResult result) {
    if (!result.isRun()) {
      return "-";
    }
    return result.passes()
        ? String.format(Locale.ROOT, "%.0f", 100 * PolicyScores.share(result))
        : "OOM";
  }
}
