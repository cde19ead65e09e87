package org.allocsim.reports.parquet;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.allocsim.analysis.fleet.sweep.RowTable;
import org.allocsim.analysis.fleet.sweep.SweepColumn;
import org.allocsim.analysis.fleet.sweep.SweepRow;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.OutputFile;
import org.apache.parquet.io.PositionOutputStream;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/**
 * Writes rows as Parquet, compressed with Zstandard. The library's usual way goes through Hadoop,
 * which is not there when the program runs: configuration, file and codec are given to it here, so
 * that no class of Hadoop is loaded.
 */
final class ParquetRows implements RowTable.Writer {
  /** Rows are collected up to this size before they are written. */
  private static final long ROW_GROUP_BYTES = 16L << 20;

  private final ParquetWriter<SweepRow> writer;

  /** A file; the stream stays open. */
  ParquetRows(OutputStream out, String programVersion) throws IOException {
    writer =
        new Builder(new Sink(out), programVersion)
            .withConf(new PlainParquetConfiguration())
            .withCodecFactory(new ZstandardCodec())
            .withCompressionCodec(CompressionCodecName.ZSTD)
            .withRowGroupSize(ROW_GROUP_BYTES)
            .build();
  }

  @Override
  public void add(SweepRow row) throws IOException {
    writer.write(row);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  private static MessageType schema() {
    Types.MessageTypeBuilder schema = Types.buildMessage();
    for (SweepColumn column : SweepColumn.all()) {
      switch (column.type()) {
        case TEXT ->
            schema
                .required(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named(column.label());
        case OPTIONAL_TEXT ->
            schema
                .optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named(column.label());
        case INTEGER -> schema.optional(PrimitiveTypeName.INT64).named(column.label());
        case REAL -> schema.optional(PrimitiveTypeName.DOUBLE).named(column.label());
        case BOOLEAN -> schema.optional(PrimitiveTypeName.BOOLEAN).named(column.label());
      }
    }
    return schema.named("run");
  }

  private static final class Builder extends ParquetWriter.Builder<SweepRow, Builder> {
    private final String programVersion;

    Builder(OutputFile file, String programVersion) {
      super(file);
      this.programVersion = programVersion;
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    protected WriteSupport<SweepRow> getWriteSupport(ParquetConfiguration configuration) {
      return new RowSupport(programVersion);
    }

    @Override
    @SuppressWarnings("deprecation") // Abstract in the library all the same.
    protected WriteSupport<SweepRow> getWriteSupport(Configuration configuration) {
      return new RowSupport(programVersion);
    }
  }

  private static final class RowSupport extends WriteSupport<SweepRow> {
    private final String programVersion;

    @SuppressWarnings("NullAway.Init") // comes before the rows
    private RecordConsumer out;

    RowSupport(String programVersion) {
      this.programVersion = programVersion;
    }

    @Override
    public WriteContext init(ParquetConfiguration configuration) {
      return context();
    }

    @Override
    @SuppressWarnings("deprecation") // Abstract in the library all the same.
    public WriteContext init(Configuration configuration) {
      return context();
    }

    private WriteContext context() {
      return new WriteContext(
          schema(),
          Map.of("allocsim.schema", SweepColumn.SCHEMA, "allocsim.program", programVersion));
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
      out = consumer;
    }

    @Override
    public void write(SweepRow row) {
      out.startMessage();
      for (SweepColumn column : SweepColumn.all()) {
        Object value = row.get(column);
        if (value != null) {
          out.startField(column.label(), column.ordinal());
          switch (value) {
            case String text -> out.addBinary(Binary.fromString(text));
            case Long number -> out.addLong(number);
            case Double number -> out.addDouble(number);
            case Boolean bool -> out.addBoolean(bool);
            default -> throw new IllegalStateException(column + " holds " + value.getClass());
          }
          out.endField(column.label(), column.ordinal());
        }
      }
      out.endMessage();
    }
  }

  /** A stream as a file of the library. */
  private record Sink(OutputStream out) implements OutputFile {
    @Override
    public PositionOutputStream create(long blockSizeHint) {
      return new Counted(out);
    }

    @Override
    public PositionOutputStream createOrOverwrite(long blockSizeHint) {
      return create(blockSizeHint);
    }

    @Override
    public boolean supportsBlockSize() {
      return false;
    }

    @Override
    public long defaultBlockSize() {
      return 0;
    }
  }

  private static final class Counted extends PositionOutputStream {
    private final OutputStream out;
    private long count;

    Counted(OutputStream out) {
      this.out = out;
    }

    @Override
    public long getPos() {
      return count;
    }

    @Override
    public void write(int b) throws IOException {
      out.write(b);
      count++;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      count += length;
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      out.flush();
    }
  }

  private static final class ZstandardCodec implements CompressionCodecFactory {
    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName name) {
      return new BytesInputCompressor() {
        @Override
        public BytesInput compress(BytesInput plain) throws IOException {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.toIntExact(plain.size()));
          plain.writeAllTo(bytes);
          return BytesInput.from(Zstd.compress(bytes.toByteArray()));
        }

        @Override
        public CompressionCodecName getCodecName() {
          return CompressionCodecName.ZSTD;
        }

        @Override
        public void release() {}
      };
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName name) {
      throw new UnsupportedOperationException("rows are written only");
    }

    @Override
    public void release() {}
  }
}
