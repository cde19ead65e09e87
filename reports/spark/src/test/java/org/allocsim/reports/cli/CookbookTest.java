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

  /** A snapshot that 4 400 MiB serve under expandable segments only. */
  private static final Path SAMPLE = Path.of("..", "samples", "gpt_oom.pickle.xz");

  @Test
  void everyQueryOfTheGuideGivesRows() throws IOException {
    Path traces = folder.resolve("traces");
    SweptRows.writeTraces(traces, 20);
    Files.copy(SAMPLE, traces.resolve("gpt_oom.pickle.xz"));
    Path job = Files.createDirectory(traces.resolve("job"));
    for (int rank = 0; rank < 2; rank++) {
      Files.writeString(
          job.resolve("rank" + rank + ".jsonl"),
          "{\"allocsim\":\"trace\",\"version\":1}\n"
              + "{\"op\":\"alloc\",\"id\":0,\"bytes\":8388608}\n");
    }
    Path swept = folder.resolve("swept");
    SweptRows.sweep(
        "sweep",
        traces,
        "-o",
        swept,
        "--confs",
        "recorded;expandable_segments:True",
        "--capacities",
        "4400MiB,8GiB");
    List<String> queries =
        QUERY
            .matcher(Files.readString(Path.of("..", "docs", "fleets.md")))
            .results()
            .map((MatchResult match) -> match.group(1))
            .toList();
    assertEquals(8, queries.size());
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
