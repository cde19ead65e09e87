package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;
import org.allocsim.analysis.fleet.sweep.RowCsv;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ten thousand traces, fifty files among them that are none, in a heap that has no room for what
 * would grow with them: their trace data take several times as much.
 */
final class ThousandsOfTracesTest {
  private static final int FILES = 10_000;
  private static final int BAD_FILES = 50;
  private static final String HEAP = "64m";
  private static final String FIRST_LINE = "{\"allocsim\":\"trace\",\"version\":1}\n";

  @TempDir private Path folder;

  @Test
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void fitASmallHeapAndEveryBadFileIsARow() throws Exception {
    Path traces = Files.createDirectories(folder.resolve("traces"));
    Set<String> bad = new TreeSet<>();
    for (int i = 0; i < FILES; i++) {
      if (i % (FILES / BAD_FILES) == 7) {
        bad.add(writeBad(traces, i, bad.size() % 10).toString());
      } else {
        Files.writeString(traces.resolve("t%05d.jsonl".formatted(i)), trace(i));
      }
    }
    assertEquals(BAD_FILES, bad.size());
    Path log = folder.resolve("log");
    Path out = folder.resolve("out");
    Process sweep = ChildSweep.start(HEAP, log, traces, "--confs", "recorded", "-o", out);
    assertEquals(0, sweep.waitFor(), () -> read(log));
    assertTrue(read(log).contains(BAD_FILES + " files could not be read"), read(log));

    Set<String> unreadable = new TreeSet<>();
    List<String> passed = new ArrayList<>();
    try (InputStream csv = Files.newInputStream(out.resolve("rows.csv"))) {
      RowCsv.read(
          csv,
          row -> {
            String file = row.text(SweepColumn.FILE);
            String error = row.text(SweepColumn.ERROR);
            switch (row.text(SweepColumn.OUTCOME)) {
              case "passed" -> passed.add(file);
              case "unreadable" -> {
                assertTrue(error.startsWith(file), error);
                assertFalse(error.contains("heap") || error.contains("defect"), error);
                unreadable.add(file);
              }
              default -> throw new AssertionError(row.toString());
            }
          });
    }
    assertEquals(bad, unreadable);
    assertEquals(FILES - BAD_FILES, passed.size());
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String trace(int seed) {
    Random random = new Random(seed);
    StringBuilder lines = new StringBuilder(FIRST_LINE);
    int length = 20 + random.nextInt(80);
    for (int id = 0; id < length; id++) {
      long bytes = 1L + random.nextInt(1 << (9 + random.nextInt(16)));
      lines.append("{\"op\":\"alloc\",\"id\":%d,\"bytes\":%d}\n".formatted(id, bytes));
      if (id >= 10) {
        lines.append("{\"op\":\"free\",\"id\":%d}\n".formatted(id - 10));
      }
    }
    return lines.toString();
  }

  /** Writes a file that is no trace, for one of ten reasons. */
  private static Path writeBad(Path traces, int number, int reason) throws IOException {
    byte[] whole = trace(number).getBytes(StandardCharsets.UTF_8);
    byte[] noise = new byte[300];
    new Random(number).nextBytes(noise);
    return switch (reason) {
      case 0 -> write(traces, number, "jsonl", new byte[0]);
      // In the middle of a line; one that ends with a line is a shorter trace.
      case 1 -> write(traces, number, "jsonl", Arrays.copyOf(whole, whole.length - 4));
      case 2 -> write(traces, number, "jsonl.gz", cutGzip(whole));
      case 3 -> write(traces, number, "jsonl.xz", new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0});
      case 4 -> write(traces, number, "jsonl", text("{\"op\":\"free\",\"id\":7}\n"));
      case 5 -> write(traces, number, "jsonl", text("{\"op\":\"alloc\",\"id\":0,\"bytes\":-1}\n"));
      case 6 -> write(traces, number, "pickle", new byte[] {(byte) 0x80, 4, 'c', 'o', 's', '\n'});
      case 7 -> write(traces, number, "pickle", noise);
      case 8 -> write(traces, number, "jsonl", "not a trace\n".getBytes(StandardCharsets.UTF_8));
      default -> write(traces, number, "jsonl", text("{\"op\":\"alloc\",\"id\":\"\"}\n"));
    };
  }

  private static byte[] text(String line) {
    return (FIRST_LINE + line).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] cutGzip(byte[] plain) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(plain);
    }
    return Arrays.copyOf(bytes.toByteArray(), bytes.size() - 20);
  }

  private static Path write(Path traces, int number, String ending, byte[] bytes)
      throws IOException {
    return Files.write(traces.resolve("t%05d.%s".formatted(number, ending)), bytes);
  }
}
