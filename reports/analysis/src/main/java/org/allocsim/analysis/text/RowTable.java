package org.allocsim.analysis.text;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * Rows as Parquet. Implementations are services of an optional part of allocsim, since the library
 * behind them is large.
 */
public interface RowTable {
  /** How to get the part, where it is not installed. */
  String REMEDY =
      "Parquet support is not part of this installation; use './allocsim' in a checkout, or bundle"
          + " it with './allocsim bundle ARCHIVE.tgz --with parquet'";

  /** What a column holds. */
  enum Type {
    /** Text that is always there; it may be empty. */
    TEXT,
    /** Text that is not empty, or no value. */
    OPTIONAL_TEXT,
    /** A whole number of 64 bits, or no value. */
    INTEGER,
    /** A number of double precision, or no value. */
    REAL,
    /** True, false, or no value. */
    BOOLEAN
  }

  /** A column. */
  record Column(String name, Type type) {}

  /** Takes the rows of one file, in their order. */
  interface Writer extends AutoCloseable {
    /** Adds a row: a value for each column, null for none. */
    void add(List<? extends @Nullable Object> row) throws IOException;

    /** Ends the file; the stream stays open. */
    @Override
    void close() throws IOException;
  }

  /**
   * Begins a file.
   *
   * @param row what a row is, in a word
   * @param about what the file says about itself, by key
   */
  Writer open(OutputStream out, String row, List<Column> columns, Map<String, String> about)
      throws IOException;

  /** The table; empty where the part is not installed. */
  static Optional<RowTable> installed() {
    return ServiceLoader.load(RowTable.class, RowTable.class.getClassLoader()).findFirst();
  }
}
