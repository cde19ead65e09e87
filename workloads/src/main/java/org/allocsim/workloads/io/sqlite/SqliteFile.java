package org.allocsim.workloads.io.sqlite;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A database in a file, plain or compressed. */
public final class SqliteFile implements Closeable {
  /** How a database begins. */
  public static final String MAGIC = "SQLite format 3\0";

  /** Bytes of the file's header, at the begin of the first page. */
  static final int HEADER_BYTES = 100;

  private static final int MIN_USABLE_BYTES = 480;
  private static final int UTF_8 = 1;

  private final Pages pages;
  private final int pageBytes;
  private final int usableBytes;

  private SqliteFile(Pages pages) throws IOException {
    this.pages = pages;
    byte[] header = new byte[HEADER_BYTES];
    pages.read(0, header, HEADER_BYTES);
    byte[] magic = MAGIC.getBytes(StandardCharsets.ISO_8859_1);
    int size = (int) TableRows.big(header, 16, 2);
    pageBytes = size == 1 ? 1 << 16 : size;
    usableBytes = pageBytes - (header[20] & 0xff);
    if (!Arrays.equals(header, 0, magic.length, magic, 0, magic.length)
        || Integer.bitCount(pageBytes) != 1
        || usableBytes < MIN_USABLE_BYTES) {
      throw new SqliteException("the header of the database is damaged");
    }
    // Programs that do not know this count leave the two counters different.
    if (TableRows.big(header, 24, 4) == TableRows.big(header, 92, 4)
        && TableRows.big(header, 28, 4) > pages.bytes() / pageBytes) {
      throw new SqliteException("the database is truncated");
    }
    // 0: nothing was written yet, so that no text needs an encoding.
    if (TableRows.big(header, 56, 4) > UTF_8) {
      throw new SqliteException("the strings in the database are not UTF-8");
    }
  }

  /**
   * Opens a database.
   *
   * @throws SqliteException where it is none, or cannot be read without writing to it
   * @throws IOException where the file cannot be read
   */
  public static SqliteFile open(Path file) throws IOException {
    Path log = file.resolveSibling(file.getFileName() + "-wal");
    if (Files.isRegularFile(log) && Files.size(log) > 0) {
      throw new SqliteException(
          ("the latest rows of the database are still in %s; open the database once with"
                  + " sqlite3 to merge them")
              .formatted(log.getFileName()));
    }
    Pages pages = Pages.open(file);
    try {
      return new SqliteFile(pages);
    } catch (IOException e) {
      pages.close();
      throw e;
    }
  }

  /**
   * Rows of a table, in the order of their numbers.
   *
   * @param columns which of its columns; the table need not have all
   * @return null where there is no such table
   */
  public @Nullable TableRows rows(String table, String... columns) throws IOException {
    TableColumns ofSchema =
        new TableColumns(List.of("type", "name", "tbl_name", "rootpage", "sql"), -1);
    TableRows schema = rows(1, ofSchema, "type", "name", "rootpage", "sql");
    while (schema.next()) {
      if (schema.text(0).equals("table") && schema.text(1).equalsIgnoreCase(table)) {
        return rows(schema.integer(2), TableColumns.of(schema.text(3)), columns);
      }
    }
    return null;
  }

  private TableRows rows(long root, TableColumns all, String... columns) throws IOException {
    return new TableRows(
        this, root, Arrays.stream(columns).mapToInt(all::indexOf).toArray(), all.rowid());
  }

  void read(long page, byte[] target) throws IOException {
    if (page < 1) {
      throw SqliteException.damaged(page);
    }
    pages.read((page - 1) * pageBytes, target, pageBytes);
  }

  int pageBytes() {
    return pageBytes;
  }

  /** Bytes of a page that SQLite uses; extensions may keep the last ones. */
  int usableBytes() {
    return usableBytes;
  }

  long pageCount() {
    return pages.bytes() / pageBytes;
  }

  /** Bytes of the database, unpacked. */
  public long bytes() {
    return pages.bytes();
  }

  /** SHA-256 of the file as stored, in hexadecimal. */
  public String sha256() {
    return pages.sha256();
  }

  /**
   * Further bytes are held of what was read.
   *
   * @throws SqliteException where that is more than a file of this size may take
   */
  public void hold(long bytes) throws SqliteException {
    pages.hold(bytes);
  }

  @Override
  public void close() throws IOException {
    pages.close();
  }
}
