package org.allocsim.analysis.fleet.sweep;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.allocsim.analysis.job.NamedJobs;
import org.allocsim.analysis.text.JsonText;
import org.allocsim.analysis.text.RowTable;
import org.jspecify.annotations.Nullable;

/**
 * The results of a sweep in one folder: {@value #CSV}, {@value #PARQUET} and {@value #ABOUT}, put
 * together from the parts of the traces. Rows stand in the order of the files' names and of the
 * grid, whoever made them.
 */
public final class SweepResults {
  public static final String CSV = "rows.csv";

  /** The same rows. */
  public static final String PARQUET = "rows.parquet";

  /** What was asked for, and what the columns mean. */
  public static final String ABOUT = "sweep.json";

  private final SweepJob job;
  private final InputFiles inputs;
  private long unreadable;
  private long runs;
  private long passed;
  private long ooms;
  private long notRun;

  private SweepResults(SweepJob job, InputFiles inputs) {
    this.job = job;
    this.inputs = inputs;
  }

  /**
   * Refuses a folder that holds something else.
   *
   * @throws SweepException where it does
   */
  public static void requireUsable(FleetStorage storage, String out) {
    try {
      if (storage.file(out).isPresent()) {
        throw SweepException.usage("-o " + out + ": this is a file; name a folder");
      }
      if (storage.isFolder(out)
          && storage.file(storage.in(out, ABOUT)).isEmpty()
          && !storage.walk(out).isEmpty()) {
        throw SweepException.usage(
            "-o "
                + out
                + ": the folder contains other files; name a new folder or that of a sweep");
      }
    } catch (IOException e) {
      throw unwritable(out, e);
    }
  }

  /** A sentence about results that cannot be written. */
  public static SweepException unwritable(String out, IOException cause) {
    return new SweepException(
        "-o " + out + ": cannot be written (" + cause.getMessage() + "); name another folder",
        cause);
  }

  /**
   * Says in the folder what it is for, before the first part is there.
   *
   * @throws IOException where the results' storage fails
   */
  public static void announce(SweepJob job) throws IOException {
    writeAbout(job, new LinkedHashMap<>());
  }

  /**
   * Puts the results together.
   *
   * @throws IOException where the results' storage fails, or a part is missing
   */
  public static SweepSummary write(SweepJob job, InputFiles inputs, long reused, double seconds)
      throws IOException {
    return new SweepResults(job, inputs).write(reused, seconds);
  }

  private SweepSummary write(long reused, double seconds) throws IOException {
    FleetStorage storage = job.storage();
    Optional<RowTable> parquet = RowTable.installed();
    storage.write(
        storage.in(job.out(), CSV),
        csvStream -> {
          RowCsv.Writer csv = new RowCsv.Writer(csvStream);
          if (parquet.isPresent()) {
            storage.write(
                storage.in(job.out(), PARQUET),
                parquetStream -> {
                  try (RowTable.Writer rows = rows(parquet.get(), parquetStream)) {
                    writeAll(csv, rows);
                  }
                });
          } else {
            writeAll(csv, null);
          }
          csv.finish();
        });
    SweepSummary summary =
        new SweepSummary(
            inputs.files().size(),
            unreadable,
            inputs.passedOver(),
            runs,
            reused,
            passed,
            ooms,
            notRun,
            seconds,
            parquet.isPresent());
    Map<String, Object> counts = new LinkedHashMap<>();
    counts.put("files", summary.files());
    counts.put("unreadable", summary.unreadable());
    counts.put("runs", summary.runs());
    counts.put("passed", summary.passed());
    counts.put("ooms", summary.ooms());
    counts.put("not_run", summary.notRun());
    writeAbout(job, counts);
    return summary;
  }

  private RowTable.Writer rows(RowTable table, OutputStream out) throws IOException {
    return table.open(
        out,
        "run",
        SweepColumn.all().stream()
            .map(column -> new RowTable.Column(column.label(), column.type()))
            .toList(),
        Map.of(
            "allocsim.schema",
            SweepColumn.SCHEMA,
            "allocsim.program",
            job.request().programVersion()));
  }

  private void writeAll(RowCsv.Writer csv, RowTable.@Nullable Writer parquet) throws IOException {
    // Which files are ranks of a job depends on the others, so it is not kept with a file's runs.
    Map<String, NamedJobs.Member> members =
        NamedJobs.of(inputs.files().stream().map(FleetFile::name).toList());
    try (PartReader parts = new PartReader(job, inputs.files())) {
      for (TracePart part = parts.next(); part != null; part = parts.next()) {
        NamedJobs.Member member = members.get(part.file().name());
        for (SweepRow kept : part.requestedRows()) {
          SweepRow row = member == null ? kept : kept.of(member);
          count(row);
          csv.add(row);
          if (parquet != null) {
            parquet.add(SweepColumn.all().stream().map(row::get).toList());
          }
        }
      }
    }
  }

  private void count(SweepRow row) {
    switch (row.text(SweepColumn.OUTCOME)) {
      case "unreadable" -> {
        unreadable++;
        return;
      }
      case "passed" -> passed++;
      case "oom" -> ooms++;
      default -> notRun++;
    }
    runs++;
  }

  private static void writeAbout(SweepJob job, Map<String, Object> counts) throws IOException {
    SweepRequest request = job.request();
    Map<String, Object> asked = new LinkedHashMap<>();
    asked.put("policies", request.policies());
    asked.put("confs", request.confs());
    asked.put("devices", request.devices());
    asked.put("memory_fraction", request.memoryFraction());
    asked.put("memory_limit_bytes", request.memoryLimitBytes());
    asked.put("torch_version", request.torchVersion());
    asked.put("after_oom", request.stopsAtOom() ? "stop" : "continue");
    asked.put("device_index", request.deviceIndex());
    asked.put("format", request.format());
    List<Object> columns = new ArrayList<>();
    for (SweepColumn column : SweepColumn.all()) {
      Map<String, Object> about = new LinkedHashMap<>();
      about.put("name", column.label());
      about.put("type", column.type().name().toLowerCase(Locale.ROOT));
      about.put("meaning", column.meaning());
      columns.add(about);
    }
    Map<String, Object> about = new LinkedHashMap<>();
    about.put("schema", SweepColumn.SCHEMA);
    about.put("program", request.programVersion());
    about.put("request", asked);
    about.put("counts", counts.isEmpty() ? null : counts);
    about.put("columns", columns);
    FleetStorage storage = job.storage();
    byte[] text = JsonText.text(about).getBytes(StandardCharsets.UTF_8);
    storage.write(storage.in(job.out(), ABOUT), out -> out.write(text));
  }
}
