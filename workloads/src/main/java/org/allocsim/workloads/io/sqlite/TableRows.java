package org.allocsim.workloads.io.sqlite;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The rows of a table, one at a time, and of each the columns that were asked for, by their places
 * in the question.
 */
public final class TableRows {
  private static final int LEAF = 13;
  private static final int INTERIOR = 5;
  private static final int LEAF_HEADER_BYTES = 8;
  private static final int INTERIOR_HEADER_BYTES = 12;
  private static final int POINTER_BYTES = 2;

  /** SQLite's own bound on the depth of a tree. */
  private static final int MAX_DEPTH = 20;

  private static final int MAX_ROW_BYTES = 1 << 24;

  // Types of values in a row (file format of SQLite, "Record Format").
  private static final int NULL = 0;
  private static final int REAL = 7;
  private static final int ZERO = 8;
  private static final int ONE = 9;
  private static final int FIRST_BLOB = 12;
  private static final int[] INTEGER_BYTES = {0, 1, 2, 3, 4, 6, 8};

  private final SqliteFile file;

  /** Of each column of the question, its place in a row; −1 where the table does not have it. */
  private final int[] places;

  private final int rowidPlace;
  private final int lastPlace;

  // The pages from the root to the one with the current row.
  private final byte[][] pages = new byte[MAX_DEPTH][];
  private final long[] numbers = new long[MAX_DEPTH];
  private final int[] cells = new int[MAX_DEPTH];

  /** Of each of them, the bytes that its cells took so far, with the pointers to them. */
  private final int[] takenBytes = new int[MAX_DEPTH];

  private int depth;
  private long pagesRead;

  private byte[] row = new byte[256];
  private int rowBytes;
  private long rowid;
  private final long[] types;
  private final int[] offsets;

  /** Columns whose types and places are known of the current row; all others are null. */
  private int typeCount;

  TableRows(SqliteFile file, long root, int[] places, int rowidPlace) throws IOException {
    this.file = file;
    this.places = places;
    this.rowidPlace = rowidPlace;
    lastPlace = Arrays.stream(places).max().orElse(-1);
    types = new long[lastPlace + 1];
    offsets = new int[lastPlace + 1];
    enter(root);
  }

  private void enter(long page) throws IOException {
    if (depth == MAX_DEPTH) {
      throw SqliteException.damaged(numbers[depth - 1]);
    }
    if (pages[depth] == null) {
      pages[depth] = new byte[file.pageBytes()];
    }
    read(page, pages[depth]);
    numbers[depth] = page;
    cells[depth] = 0;
    takenBytes[depth] = 0;
    depth++;
    if (type() != LEAF && type() != INTERIOR) {
      throw SqliteException.damaged(page);
    }
  }

  /** Every page is of one row or tree, so none is read twice unless they refer to each other. */
  private void read(long page, byte[] target) throws IOException {
    if (++pagesRead > file.pageCount()) {
      throw SqliteException.damaged(page);
    }
    file.read(page, target);
  }

  private byte[] page() {
    return pages[depth - 1];
  }

  /** Where the page's header begins: the first page has that of the file before it. */
  private int header() {
    return numbers[depth - 1] == 1 ? SqliteFile.HEADER_BYTES : 0;
  }

  private int type() {
    return page()[header()];
  }

  private int cellCount() {
    return (int) big(page(), header() + 3, 2);
  }

  /** Goes to the next row; answers whether there is one. */
  public boolean next() throws IOException {
    while (depth > 0) {
      boolean isLeaf = type() == LEAF;
      int cell = cells[depth - 1]++;
      if (cell < cellCount()) {
        int at = cell(cell, isLeaf ? LEAF_HEADER_BYTES : INTERIOR_HEADER_BYTES);
        if (isLeaf) {
          takeRow(at);
          return true;
        }
        enter(number(at));
      } else if (!isLeaf && cell == cellCount()) {
        enter(big(page(), header() + 8, 4));
      } else {
        depth--;
      }
    }
    return false;
  }

  private int cell(int index, int headerBytes) throws SqliteException {
    int pointer = header() + headerBytes + POINTER_BYTES * index;
    int at =
        pointer + POINTER_BYTES > file.usableBytes()
            ? 0
            : (int) big(page(), pointer, POINTER_BYTES);
    if (at < header() + headerBytes || at + 4 > file.usableBytes()) {
      throw damaged();
    }
    return at;
  }

  private long number(int at) {
    return big(page(), at, 4);
  }

  private SqliteException damaged() {
    return SqliteException.damaged(numbers[Math.max(0, depth - 1)]);
  }

  private void takeRow(int cell) throws IOException {
    byte[] page = page();
    Varint varint = new Varint(page, cell, file.usableBytes());
    long bytes = varint.next();
    rowid = varint.next();
    if (varint.isBroken() || bytes < 0) {
      throw damaged();
    }
    if (bytes > MAX_ROW_BYTES) {
      throw new SqliteException(
          "a row on page %d of the database takes %d bytes, more than 16 MiB"
              .formatted(numbers[depth - 1], bytes));
    }
    rowBytes = (int) bytes;
    if (row.length < rowBytes) {
      row = new byte[Math.max(rowBytes, 2 * row.length)];
    }
    int local = localBytes(rowBytes);
    int at = varint.position();
    int end = at + local + (local < rowBytes ? Integer.BYTES : 0);
    if (end > file.usableBytes()) {
      throw damaged();
    }
    requireOwnBytes(end - cell);
    System.arraycopy(page, at, row, 0, local);
    if (local < rowBytes) {
      takeOverflow(local, number(at + local));
    }
    takeHeader();
  }

  /**
   * No two rows share bytes of a leaf. Without this, a page of a few rows could stand for thousands
   * of copies of its bytes.
   *
   * @throws SqliteException where the rows so far take more than the page has
   */
  private void requireOwnBytes(int cellBytes) throws SqliteException {
    takenBytes[depth - 1] += cellBytes + POINTER_BYTES;
    if (takenBytes[depth - 1] > file.usableBytes() - header() - LEAF_HEADER_BYTES) {
      throw damaged();
    }
  }

  /**
   * How much of a row stands on its leaf (file format of SQLite, "Cell Payload Overflow Pages").
   */
  private int localBytes(int bytes) {
    int usable = file.usableBytes();
    int most = usable - 35;
    if (bytes <= most) {
      return bytes;
    }
    int least = (usable - 12) * 32 / 255 - 23;
    int fitting = least + (bytes - least) % (usable - 4);
    return fitting <= most ? fitting : least;
  }

  private void takeOverflow(int from, long firstPage) throws IOException {
    byte[] page = new byte[file.pageBytes()];
    long next = firstPage;
    int taken = from;
    while (taken < rowBytes) {
      read(next, page);
      int part = Math.min(rowBytes - taken, file.usableBytes() - 4);
      System.arraycopy(page, 4, row, taken, part);
      taken += part;
      next = big(page, 0, 4);
    }
  }

  /** Finds types and places of the values, up to the last that was asked for. */
  private void takeHeader() throws SqliteException {
    Varint varint = new Varint(row, 0, rowBytes);
    long headerBytes = varint.next();
    if (varint.isBroken() || headerBytes < 1 || headerBytes > rowBytes) {
      throw damaged();
    }
    long offset = headerBytes;
    // Columns that were added to a table later are not in the rows from before.
    typeCount = 0;
    while (typeCount <= lastPlace && varint.position() < headerBytes) {
      int place = typeCount++;
      types[place] = varint.next();
      offsets[place] = (int) offset;
      offset += bytesOf(types[place]);
      if (varint.isBroken() || types[place] < 0 || offset > rowBytes) {
        throw damaged();
      }
    }
  }

  private static long bytesOf(long type) {
    if (type < INTEGER_BYTES.length) {
      return type < 0 ? 0 : INTEGER_BYTES[(int) type];
    }
    return type < FIRST_BLOB ? (type == REAL ? Long.BYTES : 0) : (type - FIRST_BLOB) / 2;
  }

  private long type(int column) {
    int place = places[column];
    return place < typeCount ? types[place] : NULL;
  }

  /** Bytes of the pages read so far. */
  public long bytesRead() {
    return pagesRead * file.pageBytes();
  }

  /** Whether the table has a column of the question. */
  public boolean has(int column) {
    return places[column] >= 0;
  }

  /** Whether there is no value, also where the table does not have the column. */
  public boolean isNull(int column) {
    return !has(column) || type(column) == NULL && places[column] != rowidPlace;
  }

  /**
   * A whole number.
   *
   * @throws SqliteException where the value is something else
   */
  public long integer(int column) throws SqliteException {
    if (has(column)) {
      long type = type(column);
      int offset = offsets[places[column]];
      if (type == NULL && places[column] == rowidPlace) {
        return rowid;
      }
      if (type == ZERO || type == ONE) {
        return type - ZERO;
      }
      if (type > NULL && type < INTEGER_BYTES.length) {
        int bytes = INTEGER_BYTES[(int) type];
        int unused = Long.SIZE - Byte.SIZE * bytes;
        return big(row, offset, bytes) << unused >> unused;
      }
    }
    throw new SqliteException(
        "row %d on page %d of the database has no whole number where one is required"
            .formatted(rowid, numbers[depth - 1]));
  }

  /**
   * A text.
   *
   * @throws SqliteException where the value is something else
   */
  public String text(int column) throws SqliteException {
    if (has(column)) {
      long type = type(column);
      if (type > FIRST_BLOB && type % 2 == 1) {
        return new String(
            row, offsets[places[column]], (int) bytesOf(type), StandardCharsets.UTF_8);
      }
    }
    throw new SqliteException(
        "row %d on page %d of the database has no string where one is required"
            .formatted(rowid, numbers[depth - 1]));
  }

  static long big(byte[] bytes, int offset, int length) {
    long value = 0;
    for (int i = 0; i < length; i++) {
      value = value << Byte.SIZE | bytes[offset + i] & 0xff;
    }
    return value;
  }
}
