package org.allocsim.reports.answer.fleet;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.reports.text.TextTable;

/** A table of a fleet report: for people with figures in short, for programs with all digits. */
public final class FleetSection {
  private final String file;
  private final String title;
  private final String note;
  private final List<String> headings;
  private final List<String> columns;
  private final List<List<String>> texts = new ArrayList<>();
  private final List<Object[]> values = new ArrayList<>();

  /**
   * A table without rows.
   *
   * @param file name of its CSV file
   * @param title its heading
   * @param note what to know of it
   * @param headings of columns for people; a leading {@code >} means numbers
   * @param columns of the CSV file
   */
  FleetSection(
      String file, String title, String note, List<String> headings, List<String> columns) {
    this.file = file;
    this.title = title;
    this.note = note;
    this.headings = headings;
    this.columns = columns;
  }

  void row(List<String> text, Object... value) {
    texts.add(text);
    values.add(value);
  }

  public String file() {
    return file;
  }

  public String title() {
    return title;
  }

  public String note() {
    return note;
  }

  public List<String> headings() {
    return headings;
  }

  /** The first rows for people. */
  public List<List<String>> rows(int limit) {
    return texts.subList(0, Math.min(limit, texts.size()));
  }

  public int rowCount() {
    return texts.size();
  }

  TextTable table(int limit) {
    TextTable table = TextTable.of(headings.toArray(String[]::new));
    rows(limit).forEach(row -> table.row(row.toArray()));
    return table;
  }

  public void printMarkdown(PrintWriter out, int limit) {
    out.println("## " + title);
    out.println();
    out.println(note);
    out.println();
    table(limit).printMarkdown(out);
    out.println();
  }

  public void writeCsv(PrintWriter out) {
    CsvText csv = new CsvText(out, columns.toArray(String[]::new));
    values.forEach(csv::row);
    out.flush();
  }
}
