package org.allocsim.reports.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.fleet.sweep.RowCsv;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.reports.cli.fleet.SweepCommand;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.ProgramVersion;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.converter.ParquetMetadataConverter;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.schema.Type;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sweeps where Parquet is installed; no class of Hadoop is on the class path. */
final class ParquetSweepTest {
  private static final String MAGIC = "PAR1";
  private static final long BLOCK_BYTES = 8L << 20;

  @TempDir private Path folder;
  private Path table;

  @BeforeEach
  void twoTraces() throws IOException {
    table = folder.resolve("out").resolve("rows.parquet");
    for (int blocks : new int[] {3, 40}) {
      StringBuilder lines = new StringBuilder("{\"allocsim\":\"trace\",\"version\":1}\n");
      for (int i = 0; i < blocks; i++) {
        lines.append("{\"op\":\"alloc\",\"id\":%d,\"bytes\":%d}\n".formatted(i, BLOCK_BYTES));
      }
      Files.writeString(folder.resolve(blocks + ".jsonl"), lines);
    }
  }

  private String sweep() {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        Main.run(
            new PrintWriter(out),
            new PrintWriter(err),
            false,
            "sweep",
            folder.resolve("3.jsonl").toString(),
            folder.resolve("40.jsonl").toString(),
            "--policies",
            "direct",
            "-o",
            folder.resolve("out").toString());
    assertEquals(ExitCodes.DONE, exitCode, err.toString());
    return out.toString();
  }

  /** The file's last part: its description, that one's length, and four letters. */
  private ParquetMetadata footer() throws IOException {
    byte[] file = Files.readAllBytes(table);
    int end = file.length - Integer.BYTES - MAGIC.length();
    assertEquals(MAGIC, new String(file, end + Integer.BYTES, MAGIC.length(), US_ASCII));
    int length = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(end);
    return new ParquetMetadataConverter()
        .readParquetMetadata(
            new ByteArrayInputStream(file, end - length, length),
            ParquetMetadataConverter.NO_FILTER);
  }

  @Test
  void theTableHasTheColumnsOfTheRowsAndSaysWhichTheyAre() throws IOException {
    assertTrue(sweep().contains("rows.csv, rows.parquet, sweep.json"));
    ParquetMetadata footer = footer();
    assertEquals(
        SweepColumn.all().stream().map(SweepColumn::label).toList(),
        footer.getFileMetaData().getSchema().getFields().stream().map(Type::getName).toList());
    Map<String, String> about = footer.getFileMetaData().getKeyValueMetaData();
    assertEquals(SweepColumn.SCHEMA, about.get("allocsim.schema"));
    assertEquals(ProgramVersion.text(SweepCommand.class), about.get("allocsim.program"));
  }

  @Test
  void theTableHoldsTheRowsOfTheCsvFile() throws IOException {
    sweep();
    long[] csvRows = new long[1];
    try (var csv = Files.newInputStream(folder.resolve("out/rows.csv"))) {
      RowCsv.read(csv, _ -> csvRows[0]++);
    }
    List<BlockMetaData> groups = footer().getBlocks();
    assertEquals(csvRows[0], groups.stream().mapToLong(BlockMetaData::getRowCount).sum());
    Statistics<?> peaks = column(groups.getFirst(), SweepColumn.PEAK_REQUESTED_BYTES);
    assertEquals(3 * BLOCK_BYTES, peaks.genericGetMin());
    assertEquals(40 * BLOCK_BYTES, peaks.genericGetMax());
    assertEquals(2, column(groups.getFirst(), SweepColumn.SIMULATED_NANOS).getNumNulls());
  }

  private static Statistics<?> column(BlockMetaData group, SweepColumn column) {
    ColumnChunkMetaData chunk = group.getColumns().get(column.ordinal());
    assertEquals(CompressionCodecName.ZSTD, chunk.getCodec());
    return chunk.getStatistics();
  }

  @Test
  void theSameRowsGiveTheSameBytes() throws IOException {
    sweep();
    byte[] first = Files.readAllBytes(table);
    Files.delete(table);
    assertTrue(sweep().contains("2 kept from before"));
    assertArrayEquals(first, Files.readAllBytes(table));
  }
}
