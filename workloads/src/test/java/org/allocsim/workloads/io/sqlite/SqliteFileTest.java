package org.allocsim.workloads.io.sqlite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tukaani.xz.XZInputStream;

class SqliteFileTest {
  private static final String[] COLUMNS = {"id", "number, signed", "A TEXT", "later", "absent"};

  @TempDir private Path folder;

  private static byte[] resource(String name) throws IOException {
    try (InputStream stream = SqliteFileTest.class.getResourceAsStream(name + ".xz")) {
      assertNotNull(stream, name);
      return new XZInputStream(new ByteArrayInputStream(stream.readAllBytes())).readAllBytes();
    }
  }

  private Path plain(String name) throws IOException {
    return Files.write(folder.resolve(name), resource(name));
  }

  private static List<String> rows(Path file) throws IOException {
    List<String> read = new ArrayList<>();
    try (SqliteFile database = SqliteFile.open(file)) {
      TableRows rows = database.rows("odd ROWS", COLUMNS);
      assertNotNull(rows);
      assertFalse(rows.has(4));
      while (rows.next()) {
        assertTrue(rows.isNull(4));
        read.add(
            "%d,%d,%s,%s"
                .formatted(
                    rows.integer(0),
                    rows.integer(1),
                    rows.isNull(2) ? "null" : rows.text(2),
                    rows.isNull(3) ? "null" : Long.toString(rows.integer(3))));
      }
    }
    return read;
  }

  @ParameterizedTest
  @ValueSource(strings = {"small_pages", "large_pages"})
  void rowsAreThoseThatSqliteReads(String name) throws IOException {
    List<String> expected =
        new String(resource(name + ".csv"), StandardCharsets.UTF_8).lines().toList();
    assertTrue(expected.size() > 400);
    assertEquals(expected, rows(plain(name + ".sqlite")));
    Path packed = folder.resolve("packed");
    try (InputStream stream = SqliteFileTest.class.getResourceAsStream(name + ".sqlite.xz")) {
      Files.write(packed, stream.readAllBytes());
    }
    assertEquals(expected, rows(packed));
  }

  @Test
  void aTableThatIsNotThereIsNull() throws IOException {
    try (SqliteFile database = SqliteFile.open(plain("small_pages.sqlite"))) {
      assertNull(database.rows("second", "a"));
      TableRows empty = database.rows("first", "a", "b");
      assertNotNull(empty);
      assertFalse(empty.next());
    }
  }

  @Test
  void valuesOfOtherKindsAreRefused() throws IOException {
    try (SqliteFile database = SqliteFile.open(plain("small_pages.sqlite"))) {
      TableRows rows = database.rows("Odd rows", "real", "number, signed", "absent", "later");
      assertNotNull(rows);
      while (rows.next()) {
        // SQLite keeps 0.0, which the last row has, as a whole number.
        if (!rows.isNull(0) && rows.isNull(3)) {
          assertThrows(SqliteException.class, () -> rows.integer(0));
          assertThrows(SqliteException.class, () -> rows.text(0));
        }
        assertThrows(SqliteException.class, () -> rows.text(1));
        assertThrows(SqliteException.class, () -> rows.integer(2));
      }
    }
  }

  /** Each comment that has no end would be looked for to the end of the text. */
  @Test
  void statementsThatNobodyWritesAreNotTakenApart() {
    String statement = "CREATE TABLE a(" + "/*".repeat(1 << 20) + "b)";
    assertThrows(SqliteException.class, () -> TableColumns.of(statement));
  }

  @Test
  void rowsThatAreNotYetInTheFileAreNotPassedOver() throws IOException {
    Path file = plain("small_pages.sqlite");
    Files.write(folder.resolve("small_pages.sqlite-wal"), new byte[32]);
    String message = assertThrows(SqliteException.class, () -> SqliteFile.open(file)).getMessage();
    assertTrue(message.contains("small_pages.sqlite-wal"), message);
  }

  @Test
  void aFileThatIsCutOffIsRefusedAtEveryLength() throws IOException {
    byte[] whole = resource("small_pages.sqlite");
    Path file = folder.resolve("cut");
    for (int length = 0; length < whole.length; length += 997) {
      Files.write(file, Arrays.copyOf(whole, length));
      assertThrows(SqliteException.class, () -> rows(file), "cut at " + length);
    }
  }

  @Test
  void pagesThatReferToEachOtherEnd() throws IOException {
    byte[] whole = resource("small_pages.sqlite");
    int pages = whole.length / 512;
    int rings = 0;
    for (int page = 1; page < pages; page++) {
      byte[] ring = whole.clone();
      int at = page * 512;
      if (ring[at] == 5) {
        // The right-most child of an inner page is the page itself.
        ring[at + 8] = 0;
        ring[at + 9] = 0;
        ring[at + 10] = (byte) (page + 1 >> 8);
        ring[at + 11] = (byte) (page + 1);
        Path file = Files.write(folder.resolve("ring" + page), ring);
        rings += assertEndsInOrder(file) ? 0 : 1;
      }
    }
    assertTrue(rings > 0);
  }

  /** Else a page could stand for as many rows as it has pointers, each as long as the page. */
  @Test
  void rowsThatShareTheirBytesAreRefused() throws IOException {
    byte[] shared = resource("small_pages.sqlite");
    int changed = 0;
    for (int page = 512; page < shared.length; page += 512) {
      int cells = (shared[page + 3] & 0xff) << 8 | shared[page + 4] & 0xff;
      if (shared[page] == 13 && cells > 1) {
        for (int at = page + 10; at < page + 8 + 2 * cells; at += 2) {
          shared[at] = shared[page + 8];
          shared[at + 1] = shared[page + 9];
        }
        // As many pointers to the first row as there is room for.
        for (int at = page + 8 + 2 * cells; at < page + 400; at += 2) {
          shared[at] = shared[page + 8];
          shared[at + 1] = shared[page + 9];
        }
        shared[page + 3] = 0;
        shared[page + 4] = (byte) 196;
        changed++;
      }
    }
    assertTrue(changed > 0);
    Path file = Files.write(folder.resolve("shared"), shared);
    String message = assertThrows(SqliteException.class, () -> rows(file)).getMessage();
    assertTrue(message.endsWith("of the database is damaged"), message);
  }

  @Test
  void changedBytesAreReadOrRefused() throws IOException {
    Random random = new Random(11);
    int refused = 0;
    for (String name : List.of("small_pages.sqlite", "large_pages.sqlite")) {
      byte[] whole = resource(name);
      for (int i = 0; i < 400; i++) {
        byte[] changed = whole.clone();
        for (int j = random.nextInt(1, 30); j > 0; j--) {
          int at =
              random.nextBoolean()
                  ? random.nextInt(changed.length)
                  : random.nextInt(changed.length / 512) * 512 + random.nextInt(16);
          changed[at] = (byte) random.nextInt();
        }
        Path file = Files.write(folder.resolve("changed"), changed);
        refused += assertEndsInOrder(file) ? 0 : 1;
      }
    }
    assertTrue(refused > 100, refused + " were refused");
  }

  /** Whether it could be read; whatever it throws but the refusal fails the test. */
  private static boolean assertEndsInOrder(Path file) throws IOException {
    try (SqliteFile database = SqliteFile.open(file)) {
      TableRows rows = database.rows("Odd rows", COLUMNS);
      while (rows != null && rows.next()) {
        for (int column = 0; column < COLUMNS.length; column++) {
          if (!rows.isNull(column)) {
            read(rows, column);
          }
        }
      }
      return rows != null;
    } catch (SqliteException _) {
      return false;
    }
  }

  private static void read(TableRows rows, int column) throws SqliteException {
    if (column == 2) {
      rows.text(column);
    } else {
      rows.integer(column);
    }
  }
}
