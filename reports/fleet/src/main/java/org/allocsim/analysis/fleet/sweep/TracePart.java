package org.allocsim.analysis.fleet.sweep;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.text.CsvText;
import org.allocsim.workloads.io.Compression;
import org.allocsim.workloads.io.StoredInput;

/**
 * What is finished of one trace, in a file of its own, so that a sweep that was killed goes on
 * where it was: a line about the file and the rows, compressed. The first rows are those of the
 * last request in its order, where all of them are there; others are of earlier requests.
 *
 * @param context what results depend on beside trace and grid; results of another are worth nothing
 * @param request digest of the last request
 * @param file the trace's file as it was
 * @param sha256 its digest; empty where it could not be read
 * @param requested how many of the rows are those of the last request; −1 where some are missing
 * @param rows the rows
 */
record TracePart(
    String context,
    String request,
    FleetFile file,
    String sha256,
    int requested,
    List<SweepRow> rows) {
  private static final String SCHEMA = "allocsim-sweep-part-1";
  private static final String FOLDER = "parts";

  TracePart {
    rows = List.copyOf(rows);
  }

  private static String name(FleetStorage storage, String out, String file) {
    return storage.in(storage.in(out, FOLDER), Sha256.of(file) + ".csv.zst");
  }

  /** The rows of the last request in its order. */
  List<SweepRow> requestedRows() {
    return rows.subList(0, requested);
  }

  /** Whether all rows of the last request are there. */
  boolean hasRequestedRows() {
    return requested >= 0;
  }

  /**
   * The part of a trace; empty where there is none, or it is damaged, or of another context.
   *
   * @throws IOException where storage fails
   */
  static Optional<TracePart> read(FleetStorage storage, String out, String context, String fileName)
      throws IOException {
    String name = name(storage, out, fileName);
    if (storage.file(name).isEmpty()) {
      return Optional.empty();
    }
    try (InputStream stored = storage.read(name);
        StoredInput plain = StoredInput.of(stored);
        CsvReader<CsvRecord> csv = RowCsv.reader(plain.asStream())) {
      Iterator<CsvRecord> records = csv.iterator();
      List<String> head = records.next().getFields().stream().map(CsvText::plain).toList();
      if (head.size() != 8
          || !head.get(0).equals(SCHEMA)
          || !head.get(1).equals(context)
          || !head.get(2).equals(fileName)) {
        return Optional.empty();
      }
      FleetFile file =
          new FleetFile(fileName, Long.parseLong(head.get(3)), Long.parseLong(head.get(4)));
      List<SweepRow> rows = new ArrayList<>();
      RowCsv.read(records, rows::add);
      int requested = Integer.parseInt(head.get(7));
      return requested > rows.size()
          ? Optional.empty()
          : Optional.of(new TracePart(context, head.get(6), file, head.get(5), requested, rows));
    } catch (IOException | CsvParseException | UncheckedIOException | IllegalArgumentException _) {
      // Its runs are made again.
      return Optional.empty();
    }
  }

  void write(FleetStorage storage, String out) throws IOException {
    storage.write(
        name(storage, out, file.name()),
        stored -> {
          OutputStream plain = Compression.ZSTD.encode(stored);
          PrintWriter text = new PrintWriter(new OutputStreamWriter(plain, StandardCharsets.UTF_8));
          new CsvText(
              text,
              SCHEMA,
              context,
              file.name(),
              Long.toString(file.bytes()),
              Long.toString(file.modifiedMillis()),
              sha256,
              request,
              Integer.toString(requested));
          text.flush();
          RowCsv.Writer csv = new RowCsv.Writer(plain);
          rows.forEach(csv::add);
          csv.finish();
          plain.close();
        });
  }
}
