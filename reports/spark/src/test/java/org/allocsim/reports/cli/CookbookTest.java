package org.allocsim.reports.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queries of the guide give rows on a sweep. */
final class CookbookTest {
  private static final Pattern QUERY = Pattern.compile("```sql\\n(.*?)```", Pattern.DOTALL);

  @TempDir private Path folder;

  /**
   * A program that 256 MiB serve under expandable segments only: twelve segments of 20 MiB, in each
   * of which one of two blocks of 8 MiB stays, and then 100 MiB.
   */
  private static void writeFragmented(Path file) throws IOException {
    StringBuilder lines = new StringBuilder("{\"allocsim\":\"trace\",\"version\":1}\n");
    for (int id = 0; id < 24; id++) {
      lines.append("{\"op\":\"alloc\",\"id\":%d,\"bytes\":8388608}\n".formatted(id));
    }
    for (int id = 0; id < 24; id += 2) {
      lines.append("{\"op\":\"free\",\"id\":%d}\n".formatted(id));
    }
    lines.append("{\"op\":\"alloc\",\"id\":24,\"bytes\":104857600}\n");
    Files.writeString(file, lines);
  }

  @Test
  void everyQueryOfTheGuideGivesRows() throws IOException {
    Path traces = folder.resolve("traces");
    SweptRows.writeTraces(traces, 20);
    writeFragmented(traces.resolve("fragmented.jsonl"));
    Path swept = folder.resolve("swept");
    SweptRows.sweep(
        "sweep",
        traces,
        "-o",
        swept,
        "--confs",
        "recorded;expandable_segments:True",
        "--capacities",
        "256MiB,1GiB");
    List<String> queries =
        QUERY
            .matcher(Files.readString(Path.of("..", "docs", "fleets.md")))
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
    assertEquals(7, queries.size());
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .getOrCreate()) {
      spark
          .read()
          .parquet(swept.resolve("rows.parquet").toString())
          .createOrReplaceTempView("runs");
      Row saved = spark.sql(queries.getFirst()).first();
      assertEquals("expandable_segments:True", saved.getString(0));
      assertEquals(1, saved.getLong(1));
      for (String query : queries) {
        assertFalse(spark.sql(query).collectAsList().isEmpty(), query);
      }
    }
  }
}
