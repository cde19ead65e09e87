package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.allocsim.analysis.fleet.sweep.RowCsv;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;

/** Makes traces, sweeps them, and compares what came of it. */
final class SweptRows {
  private SweptRows() {}

  /** Random programs of all lengths, some of which do not fit 256 MiB, and a file that is none. */
  static void writeTraces(Path folder, int count) throws IOException {
    Files.createDirectories(folder);
    for (int i = 0; i < count; i++) {
      Random random = new Random(i);
      StringBuilder lines = new StringBuilder("{\"allocsim\":\"trace\",\"version\":1}\n");
      List<Integer> live = new ArrayList<>();
      int length = 200 + 100 * (i % 40);
      for (int id = 0; id < length; id++) {
        long bytes = random.nextInt(4) == 0 ? random.nextInt(24 << 20) : random.nextInt(1 << 20);
        lines.append("{\"op\":\"alloc\",\"id\":%d,\"bytes\":%d}\n".formatted(id, bytes + 1));
        live.add(id);
        while (live.size() > 5 + i % 60) {
          int place = random.nextInt(live.size());
          int freed = live.set(place, live.getLast());
          live.removeLast();
          lines.append("{\"op\":\"free\",\"id\":%d}\n".formatted(freed));
        }
      }
      Files.writeString(folder.resolve("program%03d.jsonl".formatted(i)), lines);
    }
    Files.writeString(folder.resolve("torn.jsonl"), "{\"allocsim\":\"trace\",\"version\":1}\n{");
  }

  static String sweep(Object... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String[] texts = Stream.of(arguments).map(String::valueOf).toArray(String[]::new);
    int exitCode = Main.run(new PrintWriter(out), new PrintWriter(err), true, texts);
    assertEquals(0, exitCode, err.toString());
    return out.toString();
  }

  static List<SweepRow> read(Path out) throws IOException {
    List<SweepRow> rows = new ArrayList<>();
    try (InputStream in = Files.newInputStream(out.resolve("rows.csv"))) {
      RowCsv.read(in, rows::add);
    }
    return rows;
  }

  static int parts(Path out) throws IOException {
    Path parts = out.resolve("parts");
    if (!Files.isDirectory(parts)) {
      return 0;
    }
    try (Stream<Path> files = Files.list(parts)) {
      return (int) files.filter(file -> file.toString().endsWith(".csv.zst")).count();
    }
  }

  static void assertSameRuns(List<SweepRow> expected, List<SweepRow> actual) {
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      for (SweepColumn column : SweepColumn.all()) {
        if (column.isReproducible()) {
          assertEquals(
              expected.get(i).get(column), actual.get(i).get(column), i + ", " + column.label());
        }
      }
    }
  }
}
