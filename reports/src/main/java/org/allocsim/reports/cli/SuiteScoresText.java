package org.allocsim.reports.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.allocsim.reports.advice.PolicyResult;
import org.allocsim.reports.suite.PolicyScores;
import org.allocsim.reports.text.TextTable;

/** Shows how allocators score on the reported failures. */
final class SuiteScoresText {
  private SuiteScoresText() {}

  static void print(PolicyScores scores, PrintWriter out) {
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
    table.print(out, "");
    out.println();
    out.println(
        "Each column is a reported failure's program before any change: what the program asked");
    out.println(
        "for at its peak in percent of what was reserved at the peak; OOM where a request failed,");
    out.println(
        "- where the allocator cannot serve the program. The score is their mean, others as 0.");
    for (int i = 0; i < scores.topics().size(); i++) {
      out.println(String.format(Locale.ROOT, "%3d  %s", i + 1, scores.topics().get(i).name()));
    }
  }

  private static String cell(PolicyResult result) {
    if (!result.isRun()) {
      return "-";
    }
    return result.passes()
        ? String.format(Locale.ROOT, "%.0f", 100 * PolicyScores.share(result))
        : "OOM";
  }

  static Map<String, Object> toMap(PolicyScores scores) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("schema", "allocsim-suite-scores-1");
    map.put("scenarios", scores.topics().stream().<Object>map(topic -> topic.name()).toList());
    List<Object> rows = new ArrayList<>();
    for (PolicyScores.Row row : scores.rows()) {
      Map<String, Object> of = new LinkedHashMap<>();
      of.put("policy", row.choice().label());
      of.put("score", row.score());
      of.put("served", row.served());
      List<Object> results = new ArrayList<>();
      for (PolicyResult result : row.results()) {
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("not_run_because", result.notRunBecause());
        cell.put("passes", result.isRun() ? result.passes() : null);
        cell.put("peak_requested_bytes", result.isRun() ? result.peakRequestedBytes() : null);
        cell.put("peak_reserved_bytes", result.isRun() ? result.peakReservedBytes() : null);
        results.add(cell);
      }
      of.put("results", results);
      rows.add(of);
    }
    map.put("policies", rows);
    return map;
  }
}
