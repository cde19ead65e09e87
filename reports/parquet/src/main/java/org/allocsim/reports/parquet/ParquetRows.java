package org.allocsim.reports.parquet;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import org.allocsim.analysis.text.RowTable;
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
import org.jspecify.annotations.Nullable;

/**
 * Writes rows as Parquet, compressed with Zstandard. The library's usual way goes through Hadoop,
 * which is not there when the program runs: configuration, file and codec are given to it here, so
 * that no class of Hadoop is loaded.
 */
final class ParquetRows implements RowTable.Writer {
  /** Rows are collected up to this size before they are written. */
  private static final long ROW_GROUP_BYTES = 16L << 20;

  private final ParquetWriter<List<? extends @Nullable Object>> writer;

  /** A file; the stream stays open. */
  ParquetRows(
      OutputStream out, String row, List<RowTable.Column> columns, Map<String, String> about)
      throws IOException {
    List<RowTable.Column> all = List.copyOf(columns);
    WriteSupport.WriteContext context = new WriteSupport.WriteContext(schema(row, all), about);
    writer =
        new Builder(new Sink(out), new RowSupport(all, context))
            .withConf(new PlainParquetConfiguration())
            .withCodecFactory(new ZstandardCodec())
            .withCompressionCodec(CompressionCodecName.ZSTD)
            .withRowGroupSize(ROW_GROUP_BYTES)
            .build();
  }

  @Override
  public void add(List<? extends @Nullable Object> row) throws IOException {
    writer.write(row);
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  private static MessageType schema(String row, List<RowTable.Column> columns) {
    Types.MessageTypeBuilder schema = Types.buildMessage();
    for (RowTable.Column column : columns) {
      switch (column.type()) {
        case TEXT ->
            schema
                .required(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named(column.name());
        case OPTIONAL_TEXT ->
            schema
                .optional(PrimitiveTypeName.BINARY)
                .as(LogicalTypeAnnotation.stringType())
                .named(column.name());
        case INTEGER -> schema.optional(PrimitiveTypeName.INT64).named(column.name());
        case REAL -> schema.optional(PrimitiveTypeName.DOUBLE).named(column.name());
        case BOOLEAN -> schema.optional(PrimitiveTypeName.BOOLEAN).named(column.name());
      }
    }
    return schema.named(row);
  }

  private static final class Builder
      extends ParquetWriter.Builder<List<? extends @Nullable Object>, Builder> {
    private final RowSupport support;

    Builder(OutputFile file, RowSupport support) {
      super(file);
      this.support = support;
    }

    @Override
    protected Builder self() {
      return this;
    }

    @Override
    protected RowSupport getWriteSupport(ParquetConfiguration configuration) {
      return support;
    }

    @Override
    @SuppressWarnings("deprecation") // Abstract in the library all the same.
    protected RowSupport getWriteSupport(Configuration configuration) {
      return support;
    }
  }

  private static final class RowSupport extends WriteSupport<List<? extends @Nullable Object>> {
    private final List<RowTable.Column> columns;
    private final WriteContext context;

    @SuppressWarnings("NullAway.Init") // comes before the rows
    private RecordConsumer out;

    RowSupport(List<RowTable.Column> columns, WriteContext context) {
      this.columns = columns;
      this.context = context;
    }

    @Override
    public WriteContext init(ParquetConfiguration configuration) {
      return context;
    }

    @Override
    @SuppressWarnings("deprecation") // Abstract in the library all the same.
    public WriteContext init(Configuration configuration) {
      return context;
    }

    @Override
    public void prepareForWrite(RecordConsumer consumer) {
      out = consumer;
    }

    @Override
    public void write(List<? extends @Nullable Object> row) {
      out.startMessage();
      for (int i = 0; i < columns.size(); i++) {
        String name = columns.get(i).name();
        Object value = row.get(i);
        if (value != null) {
          out.startField(name, i);
          switch (value) {
            case String text -> out.addBinary(Binary.fromString(text));
            case Long number -> out.addLong(number);
            case Double number -> out.addDouble(number);
            case Boolean bool -> out.addBoolean(bool);
            default -> throw new IllegalStateException(name + " holds " + value.getClass());
          }
          out.endField(name, i);
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
