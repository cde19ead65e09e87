package org.allocsim.reports.parquet;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.text.RowTable;

/** Writes rows as Parquet. */
public final class ParquetTable implements RowTable {
  /** Called by the service loader. */
  public ParquetTable() {}

  @Override
  public Writer open(OutputStream out, String row, List<Column> columns, Map<String, String> about)
      throws IOException {
    return new ParquetRows(out, row, columns, about);
  }
}
