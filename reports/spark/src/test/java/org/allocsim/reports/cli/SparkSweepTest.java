package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SparkSweepTest {
  private static final Object[] GRID = {
    "--confs",
    "recorded;expandable_segments:True;max_split_size_mb:64",
    "--policies",
    "pytorch,cuda-async",
    "--capacities",
    "256MiB,1GiB"
  };

  @TempDir private Path folder;
  private Path traces;

  @BeforeEach
  void write() throws IOException {
    traces = folder.resolve("traces");
    SweptRows.writeTraces(traces, 30);
  }

  private static Object[] arguments(Object input, Object out, Object... more) {
    Object[] all = new Object[4 + GRID.length + more.length];
    all[0] = "sweep";
    all[1] = input;
    all[2] = "-o";
    all[3] = out;
    System.arraycopy(GRID, 0, all, 4, GRID.length);
    System.arraycopy(more, 0, all, 4 + GRID.length, more.length);
    return all;
  }

  @Test
  void givesTheRowsOfTheLocalEngine() throws IOException {
    Path local = folder.resolve("local");
    Path spark = folder.resolve("spark");
    SweptRows.sweep(arguments(traces, local));
    String said =
        SweptRows.sweep(arguments(traces, spark, "--engine", "spark", "--master", "local[2]"));
    assertTrue(said.startsWith("31 traces, 240 runs: "), said);
    List<SweepRow> expected = SweptRows.read(local);
    SweptRows.assertSameRuns(expected, SweptRows.read(spark));
    assertEquals(241, expected.size());
    assertTrue(expected.stream().anyMatch(row -> row.is(SweepColumn.OOM)));
    // The parts are the same files: either engine goes on where the other was.
    byte[] csv = Files.readAllBytes(spark.resolve("rows.csv"));
    String again = SweptRows.sweep(arguments(traces, spark));
    assertTrue(again.contains("0 runs made, 240 kept from before"), again);
    assertArrayEquals(csv, Files.readAllBytes(spark.resolve("rows.csv")));
    assertParquetHasTheRows(local, expected);
  }

  private static void assertParquetHasTheRows(Path out, List<SweepRow> expected)
      throws IOException {
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .getOrCreate()) {
      List<Row> rows = spark.read().parquet(out.resolve("rows.parquet").toString()).collectAsList();
      assertEquals(expected.size(), rows.size());
      for (int i = 0; i < rows.size(); i++) {
        for (SweepColumn column : SweepColumn.all()) {
          assertEquals(
              expected.get(i).get(column), rows.get(i).getAs(column.label()), column.label());
        }
      }
    }
  }

  @Test
  void takesAndWritesFilesOfAnyHadoopFileSystem() throws IOException {
    Path local = folder.resolve("local");
    SweptRows.sweep(arguments(traces, local));
    System.setProperty("spark.hadoop.fs.bucket.impl", BucketFileSystem.class.getName());
    BucketFileSystem.OPENED.clear();
    try {
      SweptRows.sweep(
          arguments(
              "bucket://" + traces,
              "bucket://" + folder.resolve("remote"),
              "--engine",
              "spark",
              "--master",
              "local[2]"));
    } finally {
      System.clearProperty("spark.hadoop.fs.bucket.impl");
    }
    List<SweepRow> expected = SweptRows.read(local);
    for (SweepRow row : expected) {
      String name = Path.of(row.text(SweepColumn.FILE)).getFileName().toString();
      assertEquals(1, BucketFileSystem.OPENED.get(name), name);
    }
    List<SweepRow> actual = SweptRows.read(folder.resolve("remote"));
    assertEquals(expected.size(), actual.size());
    for (int i = 0; i < expected.size(); i++) {
      for (SweepColumn column : SweepColumn.all()) {
        Object there = actual.get(i).get(column);
        Object here = expected.get(i).get(column);
        if (column.isReproducible()) {
          // The file is named in two columns, as it was given.
          assertEquals(
              here instanceof String text ? text.replace("" + traces, "bucket://" + traces) : here,
              there,
              column.label());
        }
      }
    }
  }
}
