package org.allocsim.analysis.fleet.sweep;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import java.util.ServiceLoader;

/**
 * The file {@value SweepResults#PARQUET} of a sweep. Implementations are services of an optional
 * part of allocsim, since the library behind them is large.
 */
public interface RowTable {
  /** Takes the rows of one file, in their order. */
  interface Writer extends AutoCloseable {
    /** Adds a row. */
    void add(SweepRow row) throws IOException;

    /** Ends the file; the stream stays open. */
    @Override
    void close() throws IOException;
  }

  /** Begins a file that names the version of the program which made it. */
  Writer open(OutputStream out, String programVersion) throws IOException;

  /** The table; empty where the part is not installed. */
  static Optional<RowTable> installed() {
    return ServiceLoader.load(RowTable.class, RowTable.class.getClassLoader()).findFirst();
  }
}
