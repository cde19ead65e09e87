package org.allocsim.reports.answer.fleet;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.allocsim.analysis.suite.Check;
import org.allocsim.analysis.suite.Findings;
import org.allocsim.analysis.suite.Outcome;
import org.allocsim.analysis.suite.SuiteResult;
import org.allocsim.analysis.suite.SuiteScenario;
import org.allocsim.analysis.suite.Topic;
import org.allocsim.analysis.suite.Variant;
import org.allocsim.analysis.text.Numbers;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.stats.ByteFormat;

/** Shows what scenarios came to, as text or Markdown. */
public final class SuiteText {
  private static final double NANOS_PER_MILLI = 1e6;

  /** Variants of a scenario that are shown. */
  private static final int MAX_VARIANTS = 16;

  /** Columns that are left out where lines are short, the first one first. */
  private static final List<String> EXPENDABLE = List.of("checks", "before", "after");

  private static final int MIN_WHAT = 24;
  private static final int MIN_SOURCE = 50;

  private SuiteText() {}

  /** What there is to run. */
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

  /** One line for each scenario, and what they come to together. */
  public static void printTable(List<SuiteResult> results, PrintWriter out) {
    table(results, "").expendable("--json FILE has all", EXPENDABLE).print(out, "");
    out.println();
    out.println(summary(results));
  }

  /** The same as a table of Markdown. */
  public static void printMarkdown(List<SuiteResult> results, PrintWriter out) {
    table(results, "`").printMarkdown(out);
    out.println();
    out.println(summary(results));
  }

  /** The table; its names stand between quotes. */
  private static TextTable table(List<SuiteResult> results, String quote) {
    TextTable table = TextTable.of("scenario", "what", "before", "after", "verdict", ">checks", "");
    for (SuiteResult result : results) {
      Findings findings = result.findings();
      table.row(
          quote + result.topic().name() + quote,
          result.topic().what(),
          findings.before(),
          findings.after(),
          findings.verdict().words(),
          checks(findings),
          mark(findings));
    }
    return table.atLeast("what", MIN_WHAT);
  }

  private static String checks(Findings findings) {
    long held = findings.checks().stream().filter(Check::holds).count();
    return held + " of " + findings.checks().size();
  }

  private static String mark(Findings findings) {
    return findings.passes() ? "pass" : "FAIL";
  }

  private static String summary(List<SuiteResult> results) {
    long passed = results.stream().filter(result -> result.findings().passes()).count();
    int checks = results.stream().mapToInt(result -> result.findings().checks().size()).sum();
    return Numbers.count(results.size(), "scenario")
        + ", "
        + Numbers.count(checks, "check")
        + ": "
        + (passed == results.size()
            ? "all pass"
            : Numbers.count(results.size() - passed) + " of the scenarios fail");
  }

  /** Everything about one scenario. */
  public static void printDetail(SuiteResult result, PrintWriter out) {
    Topic topic = result.topic();
    Findings findings = result.findings();
    WrappedText.printLine(out, topic.name() + " (" + topic.kind().word() + "): " + topic.what());
    WrappedText.print(out, "source   ", "         ", topic.source());
    WrappedText.print(out, "set-up   ", "         ", topic.setUp());
    WrappedText.print(
        out, "verdict  ", "         ", findings.verdict().words() + ". " + findings.sentence());
    out.println();
    printVariants(result, out);
    out.println();
    TextTable table = TextTable.of("check", ">expected", ">found", "");
    for (Check check : findings.checks()) {
      table.row(check.what(), check.expected(), check.actual(), check.holds() ? "pass" : "FAIL");
    }
    table.print(out, "");
  }

  private static void printVariants(SuiteResult result, PrintWriter out) {
    TextTable table =
        TextTable.of(
                "variant",
                "allocator",
                ">device",
                ">peak requested",
                ">peak allocated",
                ">peak reserved",
                ">retries",
                ">driver calls",
                ">minimum driver time",
                "outcome")
            .expendable(
                "--csv FILE has all",
                List.of(
                    "minimum driver time",
                    "retries",
                    "peak allocated",
                    "driver calls",
                    "device",
                    "peak requested"));
    List<Outcome> outcomes = result.outcomes().list();
    for (Outcome outcome : outcomes.subList(0, Math.min(MAX_VARIANTS, outcomes.size()))) {
      Variant variant = outcome.variant();
      table.row(
          variant.label(),
          variant.policy() + (variant.conf().isEmpty() ? "" : " " + variant.conf()),
          ByteFormat.human(variant.profile().capacityBytes()),
          ByteFormat.human(outcome.peakRequestedBytes()),
          ByteFormat.human(outcome.peakAllocatedBytes()),
          ByteFormat.human(outcome.peakReservedBytes()),
          outcome.stat("num_alloc_retries"),
          Numbers.count(outcome.result().driverCalls()),
          String.format(Locale.ROOT, "%.1f ms", outcome.result().driverNanos() / NANOS_PER_MILLI),
          outcome.passes()
              ? "passes"
              : Numbers.count(outcome.result().failureCount(), "failed request")
                  + ", first for "
                  + ByteFormat.human(outcome.firstFailure().requestedBytes()));
    }
    table.print(out, "");
    if (outcomes.size() > MAX_VARIANTS) {
      WrappedText.printLine(
          out,
          "and "
              + Numbers.count(outcomes.size() - MAX_VARIANTS, "further variant")
              + "; --json FILE has all");
    }
  }
}
