package org.allocsim.reports.answer.suite;

import static org.allocsim.reports.document.Quantity.count;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.suite.Check;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Moment;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.SuiteResult;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.answer.part.Columns;
import org.allocsim.reports.document.Document;
import org.allocsim.reports.document.Kind;
import org.allocsim.reports.document.Notes;
import org.allocsim.reports.document.Section;
import org.allocsim.reports.document.Sentence;
import org.allocsim.reports.document.Shape;
import org.allocsim.reports.document.Table;
import org.allocsim.reports.document.Unit;
import org.allocsim.reports.document.Verdict;
import org.allocsim.reports.document.Verdict.Tone;
import org.allocsim.reports.text.TextTable;
import org.allocsim.simulator.stats.ByteFormat;

/**
 * What scenarios came to.
 *
 * @param results one for each scenario
 */
public record SuiteAnswer(List<SuiteResult> results) {
  /** Variants of a scenario that are shown. */
  private static final int MAX_VARIANTS = 16;

  private static final int MIN_SOURCE = 50;

  private static final Shape<Check> CHECK =
      Shape.of(check ->
          check
              .text("what", "check", "What is checked.", Check::what)
              .text("expected", "The published figure.", Check::expected)
              .shown(Unit.NUMBER, "expected", "The published figure.", Check::expected)
              .text("actual", "The figure that was found.", Check::actual)
              .shown(Unit.NUMBER, "found", "The figure that was found.", Check::actual)
              .flag("passes", "", "Whether it holds.", Check::holds)
              .worded(each -> mark(each.holds())));

  private static final Shape<Moment> MOMENT =
      Shape.of(moment ->
          moment
              .text("name", "Name of the moment.", Moment::name)
              .term(Columns.REQUESTED_BYTES, Moment::requestedBytes)
              .term(Columns.ALLOCATED_BYTES, Moment::allocatedBytes)
              .term(Columns.RESERVED_BYTES, Moment::reservedBytes)
              .bytes("device_free_bytes", "Free on the device.", Moment::deviceFreeBytes));

  private static final Shape<Outcome> VARIANT =
      Shape.of(variant ->
          variant
              .text("label", "variant", "Name of the variant.", each -> each.variant().label())
              .shown(
                  Unit.TEXT,
                  "allocator",
                  "The policy, and the settings of PyTorch's allocator.",
                  each -> allocator(each.variant()))
              .text("policy", "The policy.", each -> each.variant().policy())
              .term(Columns.CONF, each -> each.variant().conf())
              .bytes(
                  "device_bytes",
                  "device",
                  "What the device has free for the program.",
                  each -> each.variant().profile().capacityBytes())
              .rank(2)
              .term(
                  Columns.LIMIT_BYTES,
                  each -> each.variant().limitBytes() < 0 ? null : each.variant().limitBytes())
              .missing("there is none")
              .term(Columns.PASSES, Outcome::passes)
              .term(Columns.FAILED_REQUESTS, each -> each.result().failureCount())
              .term(Columns.PEAK_REQUESTED_BYTES, "peak requested", Outcome::peakRequestedBytes)
              .rank(1)
              .term(Columns.PEAK_ALLOCATED_BYTES, "peak allocated", Outcome::peakAllocatedBytes)
              .rank(4)
              .term(Columns.PEAK_RESERVED_BYTES, "peak reserved", Outcome::peakReservedBytes)
              .shown(
                  Unit.COUNT,
                  "retries",
                  "Requests retried after a release.",
                  each -> each.stat("num_alloc_retries"))
              .rank(5)
              .term(Columns.DRIVER_CALLS, "driver calls", each -> each.result().driverCalls())
              .rank(3)
              .nanos(
                  "driver_nanos",
                  "minimum driver time",
                  "Minimum time that the driver's calls take.",
                  each -> each.result().driverNanos())
              .rank(6)
              .shown(Unit.TEXT, "outcome", "What failed.", SuiteAnswer::outcome)
              .many("moments", "Marked moments of the run.", MOMENT, Outcome::moments));

  private static final Shape<SuiteResult> SCENARIO =
      Shape.of(scenario ->
          scenario
              .text("name", "scenario", "Name of the scenario.", each -> each.topic().name())
              .term(Columns.KIND, each -> each.topic().kind().word())
              .text("what", "what", "What it is about.", each -> each.topic().what())
              .text("source", "Who published it.", each -> each.topic().source())
              .text(
                  "setup",
                  "What the program does, and how the variants differ.",
                  each -> each.topic().setUp())
              .text(
                  "before",
                  "before",
                  "The figure before the change.",
                  each -> each.findings().before())
              .rank(2)
              .text(
                  "after", "after", "The figure after the change.", each -> each.findings().after())
              .rank(1)
              .term(Columns.VERDICT, "verdict", each -> each.findings().verdict().words())
              .term(Columns.SENTENCE, each -> each.findings().sentence())
              .shown(
                  Unit.NUMBER,
                  "checks",
                  "Checks that hold.",
                  each -> checksThatHold(each.findings()))
              .rank(3)
              .term(Columns.PASSES_CHECKS, "", each -> each.findings().passes())
              .worded(each -> mark(each.findings().passes()))
              .many("checks", "One entry for each check.", CHECK, each -> each.findings().checks())
              .many(
                  "variants", "One entry for each run.", VARIANT, each -> each.outcomes().list()));

  /** A run, for CSV. */
  private record Row(SuiteResult result, Outcome outcome) {}

  private static final Shape<Row> ROW =
      Shape.of(row ->
          row.term(Columns.SCENARIO, each -> each.result().topic().name())
              .term(Columns.KIND, each -> each.result().topic().kind().word())
              .term(Columns.VERDICT, each -> each.result().findings().verdict().words())
              .flag(
                  "scenario_passes",
                  "Whether every check of the scenario holds.",
                  each -> each.result().findings().passes())
              .embed(VARIANT, Row::outcome));

  public static final Kind<SuiteAnswer> KIND =
      new Kind<>(
          "suite",
          "suite --json",
          "What `allocsim suite --json` writes: public reports and claims, put to the test.",
          Shape.of(answer ->
              answer
                  .term(Columns.PASSES_CHECKS, SuiteAnswer::passes)
                  .many(
                      "scenarios",
                      "One entry for each scenario.",
                      SCENARIO,
                      SuiteAnswer::results)));

  /** Whether every check of every scenario holds. */
  public boolean passes() {
    return results.stream().allMatch(result -> result.findings().passes());
  }

  /**
   * The answer.
   *
   * @param isDetailed whether people see everything about each scenario
   */
  public Document<SuiteAnswer> document(boolean isDetailed) {
    List<Section> sections = new ArrayList<>();
    if (!isDetailed || results.size() > 1) {
      sections.add(new Section(null, List.of(Table.of("Scenarios", SCENARIO, results))));
    }
    if (isDetailed) {
      results.forEach(result -> sections.add(detail(result)));
    }
    List<Row> rows =
        results.stream()
            .flatMap(result -> result.outcomes().list().stream().map(run -> new Row(result, run)))
            .toList();
    Verdict verdict = new Verdict(passes() ? Tone.GOOD : Tone.BAD, summary());
    return new Document<>(KIND, "scenarios", verdict, sections, Table.of("Runs", ROW, rows), this);
  }

  private Sentence summary() {
    long failed = results.stream().filter(result -> !result.findings().passes()).count();
    int checks = results.stream().mapToInt(result -> result.findings().checks().size()).sum();
    return Sentence.of(
        "{}, {}: {}",
        count(results.size(), "scenario"),
        count(checks, "check"),
        failed == 0 ? "all pass" : Sentence.of("{} of the scenarios fail", count(failed)));
  }

  private static Section detail(SuiteResult result) {
    Topic topic = result.topic();
    Findings findings = result.findings();
    return new Section(
        topic.name() + " (" + topic.kind().word() + "): " + topic.what(),
        List.of(
            Notes.of(
                null,
                List.of(
                    "Source: " + topic.source() + ".",
                    "Set-up: " + topic.setUp(),
                    "Verdict: " + findings.verdict().words() + ". " + findings.sentence())),
            Table.of("Variants", VARIANT, result.outcomes().list())
                .first(MAX_VARIANTS, new Table.More("variant", "--json FILE has all")),
            Table.of("Checks", CHECK, findings.checks())));
  }

  private static String allocator(Variant variant) {
    return variant.policy() + (variant.conf().isEmpty() ? "" : " " + variant.conf());
  }

  private static String outcome(Outcome outcome) {
    return outcome.passes()
        ? "passes"
        : Numbers.count(outcome.result().failureCount(), "failed request")
            + ", first for "
            + ByteFormat.human(outcome.firstFailure().requestedBytes());
  }

  private static String checksThatHold(Findings findings) {
    long held = findings.checks().stream().filter(Check::holds).count();
    return held + " of " + findings.checks().size();
  }

  private static String mark(boolean holds) {
    return holds ? "pass" : "FAIL";
  }

  /** Prints what there is to run. */
  public static void printList(List<SuiteScenario> scenarios, PrintWriter out) {
    TextTable table = TextTable.of("scenario", "kind", "what", "source");
    for (SuiteScenario scenario : scenarios) {
      Topic topic = scenario.topic();
      table.row(topic.name(), topic.kind().word(), topic.what(), topic.source());
    }
    table
        .atLeast("source", MIN_SOURCE)
        .expendable("'allocsim suite NAME' shows the source", List.of("source"))
        .print(out, "");
  }
}
