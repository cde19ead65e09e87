package org.allocsim.reports.answer.diagnosis;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.tuning.SettingsComparison;
import org.allocsim.reports.output.FailureReport;
import org.allocsim.reports.text.TextTable;
import org.allocsim.reports.text.WrappedText;
import org.allocsim.workloads.format.pytorch.Snapshot;

/** Shows what of a configuration string was in force when a snapshot was taken. */
public final class SettingsText {
  private SettingsText() {}

  /**
   * Prints a comparison.
   *
   * @param comparison null where the string itself is refused
   */
  public static void print(
      String name, Snapshot snapshot, SettingsComparison comparison, PrintWriter out) {
    out.println();
    WrappedText.printLine(
        out,
        name
            + " records \""
            + FailureReport.oneLine(snapshot.settings().conf())
            + "\""
            + (comparison.agrees() ? ": in force as given" : ""));
    if (!comparison.rows().isEmpty()) {
      TextTable table = TextTable.of("option", "given", "in force", "");
      for (SettingsComparison.Row row : comparison.rows()) {
        table.row(row.option(), row.believed(), row.recorded(), row.status().label());
      }
      table.print(out, "  ");
    }
    for (String contradiction : comparison.contradictions()) {
      WrappedText.print(out, "  ", "    ", "contradiction: " + contradiction);
    }
    if (!comparison.causes().isEmpty()) {
      out.println("  Likely causes, the first the likeliest:");
      comparison.causes().forEach(cause -> WrappedText.printItem(out, "  ", cause));
    }
  }

  /** A comparison as JSON. */
  public static Map<String, Object> toMap(
      String name, Snapshot snapshot, SettingsComparison comparison) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("file", name);
    map.put("sha256", snapshot.sha256());
    map.put("recorded_conf", snapshot.settings().conf());
    if (comparison == null) {
      map.put("agrees", false);
      return map;
    }
    map.put("agrees", comparison.agrees());
    List<Object> options = new ArrayList<>();
    for (SettingsComparison.Row row : comparison.rows()) {
      Map<String, Object> option = new LinkedHashMap<>();
      option.put("option", row.option());
      option.put("given", row.believed());
      option.put("in_force", row.recorded());
      option.put("status", row.status().label().replace(' ', '_'));
      options.add(option);
    }
    map.put("options", options);
    map.put("contradictions", comparison.contradictions());
    map.put("likely_causes", comparison.causes());
    return map;
  }
}
