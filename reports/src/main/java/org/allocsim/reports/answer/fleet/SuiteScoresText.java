package org.allocsim.reports.answer.fleet;

import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.analysis.suite.PolicyScores;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.simulator.run.RunResult;

/** Shows how allocators score on the reported failures. */
public final class SuiteScoresText {
  private SuiteScoresText() {}

  private static final String EXPLANATION =
      "Each column is a reported failure's program before any change: what the program asked for at"
          + " its peak in percent of what was reserved at the peak; OOM where a request failed, -"
          + " where the allocator cannot serve the program. The score is their mean, others as 0.";

  /** Columns of CSV: the policy, the scenario, and keys of a result as JSON. */
  private static final List<String> CSV =
      List.of(
          "policy",
          "score",
          "scenario",
          "not_run_because",
          "passes",
          "peak_requested_bytes",
          "peak_reserved_bytes");

  public static void print(PolicyScores scores, PrintWriter out) {
    table(scores).print(out, "");
    out.println();
    WrappedText.print(out, "", "", EXPLANATION);
    for (int i = 0; i < scores.topics().size(); i++) {
      out.println(String.format(Locale.ROOT, "%3d  %s", i + 1, scores.topics().get(i).name()));
    }
  }

  /** The table for a pull request. */
  public static void printMarkdown(PolicyScores scores, PrintWriter out) {
    table(scores).printMarkdown(out);
    out.println();
    out.println(EXPLANATION);
    out.println();
    for (int i = 0; i < scores.topics().size(); i++) {
      out.println((i + 1) + ". `" + scores.topics().get(i).name() + "`");
    }
  }

  private static TextTable table(PolicyScores scores) {
    List<String> headings = new ArrayList<>(List.of("policy", ">score", ">served"));
    for (int i = 1; i <= scores.topics().size(); i++) {
      headings.add(">" + i);
    }
    TextTable table = TextTable.of(headings.toArray(String[]::new));
    for (PolicyScores.Row row : scores.rows()) {
      List<Object> cells = new ArrayList<>();
      cells.add(row.choice().label());
      cells.add(String.format(Locale.ROOT, "%.1f", 100 * row.score()));
      cells.add(row.served() + " of " + row.results().size());
      row.results().forEach(result -> cells.add(cell(result)));
      table.row(cells.toArray());
    }
    List<String> topics = headings.subList(3, headings.size()).reversed();
    return table.expendable(
        "--csv FILE has all", topics.stream().map(topic -> topic.substring(1)).toList());
  }

  private static String cell(RunResult result) {
    if (!result.isRun()) {
      return "-";
    }
    return result.passes()
        ? String.format(Locale.ROOT, "%.0f", 100 * PolicyScores.share(result))
        : "OOM";
  }

  public static Map<String, Object> toMap(PolicyScores scores) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("scenarios", scores.topics().stream().<Object>map(topic -> topic.name()).toList());
    List<Object> rows = new ArrayList<>();
    for (PolicyScores.Row row : scores.rows()) {
      Map<String, Object> of = new LinkedHashMap<>();
      of.put("policy", row.choice().label());
      of.put("score", row.score());
      of.put("served", row.served());
      List<Object> results = new ArrayList<>();
      row.results().forEach(result -> results.add(toMap(result)));
      of.put("results", results);
      rows.add(of);
    }
    map.put("policies", rows);
    return map;
  }

  private static Map<String, Object> toMap(RunResult result) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("not_run_because", result.notRunBecause());
    map.put("passes", result.isRun() ? result.passes() : null);
    map.put("peak_requested_bytes", result.isRun() ? result.peakRequestedBytes() : null);
    map.put("peak_reserved_bytes", result.isRun() ? result.peakReservedBytes() : null);
    return map;
  }

  /** Writes a row for every policy and scenario. */
  public static void writeCsv(PolicyScores scores, OutputStream out) {
    List<Map<String, Object>> rows = new ArrayList<>();
    for (PolicyScores.Row of : scores.rows()) {
      for (int i = 0; i < of.results().size(); i++) {
        Map<String, Object> row = toMap(of.results().get(i));
        row.put("policy", of.choice().label());
        row.put("score", of.score());
        row.put("scenario", scores.topics().get(i).name());
        rows.add(row);
      }
    }
    CsvText.write(CSV, rows, out);
  }
}
