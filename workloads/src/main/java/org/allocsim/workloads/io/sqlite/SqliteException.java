package org.allocsim.workloads.io.sqlite;

import java.io.IOException;

/** A file is no SQLite database that can be read. The message says what is wrong with it. */
public final class SqliteException extends IOException {
  private static final long serialVersionUID = 1L;

  SqliteException(String cause) {
    super(cause);
  }

  static SqliteException damaged(long page) {
    return new SqliteException("page " + page + " of the database is damaged");
  }
}
