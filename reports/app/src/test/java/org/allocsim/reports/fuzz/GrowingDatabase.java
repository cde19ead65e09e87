package org.allocsim.reports.fuzz;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Writes SQLite databases: one with a table of many rows, its schema, an inner page, and leaves
 * below it; and one whose schema has many tables.
 */
final class GrowingDatabase {
  private static final int PAGE_BYTES = 1 << 16;
  private static final int LEAF = 13;
  private static final int INTERIOR = 5;

  /** Type of an integer of eight bytes in a row's header. */
  private static final int LONG = 6;

  private static final int COLUMNS = 5;
  private static final int ROW_BYTES = 1 + COLUMNS + COLUMNS * Long.BYTES;

  /** A cell is the bytes of its row, the row's number in at most five bytes, and the row. */
  private static final int CELL_BYTES = 1 + 5 + ROW_BYTES;

  private static final int ROWS_OF_LEAF = (PAGE_BYTES - 8) / (CELL_BYTES + 2);

  private static final String EVENTS = "CUDA_GPU_MEMORY_USAGE_EVENTS";

  /** Room for a row of the schema. */
  private static final int TABLE_BYTES = 256;

  private static final int TABLES_OF_LEAF = (PAGE_BYTES - 8) / (TABLE_BYTES + 2);

  private GrowingDatabase() {}

  /** Memory events of Nsight Systems; characters are bytes. */
  static String ofMemoryEvents(int rows) {
    int leaves = (rows + ROWS_OF_LEAF - 1) / ROWS_OF_LEAF;
    ByteBuffer file = ByteBuffer.allocate(PAGE_BYTES * (2 + leaves));
    file.put("SQLite format 3\0".getBytes(StandardCharsets.ISO_8859_1)).putShort((short) 1);
    file.putInt(56, 1);
    schema(file);
    int page = PAGE_BYTES;
    file.put(page, (byte) INTERIOR).putShort(page + 3, (short) (leaves - 1));
    file.putInt(page + 8, 2 + leaves);
    for (int leaf = 0; leaf < leaves; leaf++) {
      if (leaf < leaves - 1) {
        int cell = page + PAGE_BYTES - 16 * (leaf + 1);
        file.putShort(page + 12 + 2 * leaf, (short) (cell - page)).putInt(cell, 3 + leaf);
      }
      int first = leaf * ROWS_OF_LEAF;
      leaf(file, PAGE_BYTES * (2 + leaf), first, Math.min(rows, first + ROWS_OF_LEAF));
    }
    return new String(file.array(), StandardCharsets.ISO_8859_1);
  }

  /** Tables of which the last has the memory events, one; all others have the same, empty page. */
  static String ofTables(int tables) {
    int leaves = (tables + TABLES_OF_LEAF - 1) / TABLES_OF_LEAF;
    ByteBuffer file = ByteBuffer.allocate(PAGE_BYTES * (2 + leaves));
    file.put("SQLite format 3\0".getBytes(StandardCharsets.ISO_8859_1)).putShort((short) 1);
    file.putInt(56, 1);
    file.put(100, (byte) INTERIOR).putShort(103, (short) (leaves - 1)).putInt(108, 2 + leaves);
    for (int leaf = 0; leaf < leaves; leaf++) {
      if (leaf < leaves - 1) {
        int cell = PAGE_BYTES - 16 * (leaf + 1);
        file.putShort(112 + 2 * leaf, (short) cell).putInt(cell, 3 + leaf);
      }
      int first = leaf * TABLES_OF_LEAF;
      int count = Math.min(tables - first, TABLES_OF_LEAF);
      int page = PAGE_BYTES * (2 + leaf);
      file.put(page, (byte) LEAF).putShort(page + 3, (short) count);
      for (int i = 0; i < count; i++) {
        int cell = PAGE_BYTES - TABLE_BYTES * (i + 1);
        file.putShort(page + 8 + 2 * i, (short) cell);
        String name = first + i == tables - 1 ? EVENTS : "T%027d".formatted(first + i);
        table(file, page + cell, name);
      }
    }
    leaf(file, PAGE_BYTES, 0, 1);
    return new String(file.array(), StandardCharsets.ISO_8859_1);
  }

  private static void schema(ByteBuffer file) {
    int cell = PAGE_BYTES - TABLE_BYTES;
    file.put(100, (byte) LEAF).putShort(103, (short) 1).putShort(108, (short) cell);
    table(file, cell, EVENTS);
  }

  /** A row of the schema. */
  private static void table(ByteBuffer file, int cell, String table) {
    byte[] sql =
        "CREATE TABLE t(start, address, bytes, memKind, memoryOperationType)"
            .replace(" t(", " " + table + "(")
            .getBytes(StandardCharsets.ISO_8859_1);
    byte[] name = table.getBytes(StandardCharsets.ISO_8859_1);
    int headerBytes = 7;
    int rowBytes = headerBytes + 5 + 2 * name.length + 1 + sql.length;
    file.position(cell);
    number(file, rowBytes).put((byte) 1);
    file.put((byte) headerBytes).put((byte) (13 + 2 * 5));
    file.put((byte) (13 + 2 * name.length)).put((byte) (13 + 2 * name.length)).put((byte) 1);
    number(file, 13 + 2 * sql.length);
    file.put("table".getBytes(StandardCharsets.ISO_8859_1)).put(name).put(name);
    file.put((byte) 2).put(sql);
  }

  private static void leaf(ByteBuffer file, int page, int first, int end) {
    file.put(page, (byte) LEAF).putShort(page + 3, (short) (end - first));
    for (int row = first; row < end; row++) {
      int cell = PAGE_BYTES - CELL_BYTES * (row - first + 1);
      file.putShort(page + 8 + 2 * (row - first), (short) cell).position(page + cell);
      number(number(file, ROW_BYTES), row + 1).put((byte) (1 + COLUMNS));
      for (int column = 0; column < COLUMNS; column++) {
        file.put((byte) LONG);
      }
      // Every second row frees what the one before it allocated.
      file.putLong(row).putLong(4096 + 4096L * (row / 2 % 64)).putLong(512).putLong(2);
      file.putLong(row % 2);
    }
  }

  private static ByteBuffer number(ByteBuffer file, int number) {
    for (int shift = 28; shift > 0; shift -= 7) {
      if (number >>> shift != 0) {
        file.put((byte) (number >>> shift | 0x80));
      }
    }
    return file.put((byte) (number & 0x7f));
  }
}
