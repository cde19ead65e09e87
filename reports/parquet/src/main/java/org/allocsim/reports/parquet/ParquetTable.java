package org.allocsim.reports.parquet;

import java.io.IOException;
import java.io.OutputStream;
import org.allocsim.analysis.fleet.sweep.RowTable;

/** Writes the rows of sweeps as Parquet. */
public final class ParquetTable implements RowTable {
  /** Called by the service loader. */
  public ParquetTable() {}

  @Override
  public Writer open(OutputStream out, String programVersion) throws IOException {
    return new ParquetRows(out, programVersion);
  }
}
