package org.allocsim.reports.document.render;

import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.reports.document.Column;
import org.allocsim.reports.document.Table;

/** Writes a table as comma-separated values; the headings are the keys, which carry the units. */
public final class CsvRenderer {
  private CsvRenderer() {}

  /** Writes a table and leaves the stream open. */
  public static <R> void write(Table<R> table, OutputStream stream) {
    PrintWriter out = new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
    List<Column<R>> columns = table.shape().keyed().stream().filter(Column::isFlat).toList();
    CsvText csv = new CsvText(out, columns.stream().map(Column::key).toArray(String[]::new));
    for (R row : table.rows()) {
      csv.row(columns.stream().map(column -> column.value(row)).toArray());
    }
    out.flush();
  }
}
