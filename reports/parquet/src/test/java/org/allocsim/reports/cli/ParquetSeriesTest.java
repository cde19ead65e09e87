package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.allocsim.reports.output.ExitCodes;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Series of figures where Parquet is installed; no class of Hadoop is on the class path. */
final class ParquetSeriesTest {
  private static final String MAGIC = "PAR1";

  @TempDir private Path folder;

  private String replay() throws IOException {
    StringBuilder lines = new StringBuilder("{\"allocsim\":\"trace\",\"version\":1}\n");
    for (int i = 0; i < 9; i++) {
      lines.append("{\"op\":\"alloc\",\"id\":%d,\"bytes\":8388608}\n".formatted(i));
    }
    Path trace = Files.writeString(folder.resolve("a.jsonl"), lines);
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Main.run(
            new PrintWriter(out),
            new PrintWriter(err),
            false,
            "replay",
            trace.toString(),
            "--charts",
            folder.toString(),
            "--figure",
            "one-column");
    assertEquals(ExitCodes.DONE, exitCode, err.toString());
    return out.toString();
  }

  /** The file's last part: its description, that one's length, and four letters. */
  private ParquetMetadata footer(String name) throws IOException {
    byte[] file = Files.readAllBytes(folder.resolve(name));
    int end = file.length - Integer.BYTES - MAGIC.length();
    assertEquals(MAGIC, new String(file, end + Integer.BYTES, MAGIC.length(), US_ASCII));
    int length = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(end);
    return new ParquetMetadataConverter()
        .readParquetMetadata(
            new ByteArrayInputStream(file, end - length, length),
            ParquetMetadataConverter.NO_FILTER);
  }

  @Test
  void seriesHaveTheRowsOfTheCsvFile() throws IOException {
    assertFalse(replay().contains("Parquet"));
    for (String name : List.of("memory", "sizes")) {
      List<String> csv = Files.readAllLines(folder.resolve(name + "-series.csv"));
      ParquetMetadata footer = footer(name + "-series.parquet");
      List<BlockMetaData> groups = footer.getBlocks();
      assertEquals(
          csv.size() - 1, groups.stream().mapToLong(BlockMetaData::getRowCount).sum(), name);
      assertEquals(
          List.of(csv.getFirst().split(",")),
          footer.getFileMetaData().getSchema().getFields().stream().map(Type::getName).toList());
      Statistics<?> values = groups.getFirst().getColumns().get(3).getStatistics();
      assertEquals(
          csv.stream()
              .skip(1)
              .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(',') + 1)))
              .max()
              .orElseThrow(),
          values.genericGetMax());
    }
  }

  @Test
  void aPlaceIsANumberOrTheNameOfABin() throws IOException {
    replay();
    assertEquals(PrimitiveTypeName.DOUBLE, typeOfPlace("memory"));
    assertEquals(PrimitiveTypeName.BINARY, typeOfPlace("sizes"));
  }

  private PrimitiveTypeName typeOfPlace(String name) throws IOException {
    return footer(name + "-series.parquet")
        .getFileMetaData()
        .getSchema()
        .getType("at")
        .asPrimitiveType()
        .getPrimitiveTypeName();
  }
}
