package org.allocsim.analysis.fleet.sweep;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.allocsim.analysis.text.CsvText;

/** Rows as comma-separated values under a line with the names of the columns. */
public final class RowCsv {
  private RowCsv() {}

  /** Writes rows; the stream stays open. */
  static final class Writer {
    private final PrintWriter out;
    private final CsvText csv;

    Writer(OutputStream out) {
      this.out = new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
      csv = new CsvText(this.out, SweepColumn.labels());
    }

    void add(SweepRow row) {
      csv.row(row.cells());
    }

    void finish() throws IOException {
      if (out.checkError()) {
        throw new IOException("the rows could not be written; free some disk space");
      }
    }
  }

  /**
   * Reads rows.
   *
   * @throws IOException where the text is no table of this schema
   */
  public static void read(InputStream in, Consumer<SweepRow> rows) throws IOException {
    try (CsvReader<CsvRecord> csv = reader(in)) {
      read(csv.iterator(), rows);
    } catch (CsvParseException | UncheckedIOException e) {
      throw new IOException("it is not a table: " + e.getMessage(), e);
    }
  }

  static CsvReader<CsvRecord> reader(InputStream in) {
    // Rows check their number of cells themselves; the first line of a part is no row.
    return CsvReader.builder()
        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
        .ofCsvRecord(new InputStreamReader(in, StandardCharsets.UTF_8));
  }

  static void read(Iterator<CsvRecord> records, Consumer<SweepRow> rows) throws IOException {
    if (!records.hasNext() || !records.next().getFields().equals(List.of(SweepColumn.labels()))) {
      throw new IOException("its columns are not those of " + SweepColumn.SCHEMA);
    }
    while (records.hasNext()) {
      CsvRecord next = records.next();
      try {
        rows.accept(SweepRow.parse(next.getFields().stream().map(CsvText::plain).toList()));
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "line " + next.getStartingLineNumber() + " is not a row: " + e.getMessage(), e);
      }
    }
  }
}
