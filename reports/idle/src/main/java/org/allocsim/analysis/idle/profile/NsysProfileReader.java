package org.allocsim.analysis.idle.profile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.StoredInput;
import org.allocsim.workloads.io.sqlite.SqliteException;
import org.allocsim.workloads.io.sqlite.SqliteFile;
import org.allocsim.workloads.io.sqlite.TableRows;
import org.jspecify.annotations.Nullable;

/**
 * Reads the time in profiles of Nsight Systems that were exported with {@code nsys export --type
 * sqlite}: kernels, copies and fills (CUPTI_ACTIVITY_KIND_KERNEL, _MEMCPY, _MEMSET), calls of the
 * CUDA runtime and driver (_RUNTIME), ranges of NVTX that are pushed and popped (NVTX_EVENTS),
 * calls of the operating system (OSRT_API) and what the profiler itself takes (PROFILER_OVERHEAD).
 * Checked with exports of release 2025.3; the tables and columns are those of its documentation
 * ("SQLite Export Schema Reference"), and are found by their names, so that other releases may have
 * more or fewer.
 *
 * <p>A range whose name has "::", such as those of {@code torch.autograd.profiler.emit_nvtx()}, is
 * an operator; others are annotations. Of several processes, the one with most kernels is read.
 */
final class NsysProfileReader {
  private static final String REMEDY =
      "profile with 'nsys profile --trace=cuda,nvtx,osrt' and export with 'nsys export --type"
          + " sqlite'";

  /** Types of NVTX events (ENUM_NSYS_EVENT_TYPE): pushed and popped, and the same of NVTXT. */
  private static final int PUSH_POP = 59;

  private static final int TEXT_PUSH_POP = 70;

  /** Bytes of a string here, aside from its characters. */
  private static final int STRING_BYTES = 120;

  private static final int PROGRESS_ROWS = 1 << 14;
  private static final int MAX_PROCESSES = 1 << 16;

  /** Threads are numbered by process and thread of the system, of 24 bits each. */
  private static final int ID_BITS = 24;

  private static final long ID_MASK = (1 << ID_BITS) - 1;

  /** What CUPTI adds to names of calls: {@code cudaMalloc_v3020}. */
  private static final Pattern CALL_VERSION = Pattern.compile("_v\\d+(_ptsz)?$");

  /** What PyTorch adds to names of operators. */
  private static final String SEQUENCE = ", seq = ";

  private static final String[] COPY_NAMES = {
    "", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "HtoD",
    "DtoH", "DtoD"
  };

  private static final String[] MEMORY_NAMES = {
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device", "Managed", "Unknown"
  };

  private final String file;
  private final SqliteFile database;
  private final Progress progress;
  private final NameTable names = new NameTable();
  private final ProfileRows rows = new ProfileRows();
  private final Map<Long, String> strings = new HashMap<>();
  private long countedBytes;
  private long damaged;

  /** The process that is read; null where the export does not tell them apart. */
  private @Nullable Long process;

  private int otherProcesses;

  private NsysProfileReader(String file, SqliteFile database, Progress progress) {
    this.file = file;
    this.database = database;
    this.progress = progress;
  }

  /** Whether a file is a database; a pipe, which can be read once only, is not. */
  static boolean isDatabase(Path file) {
    byte[] magic = SqliteFile.MAGIC.getBytes(StandardCharsets.ISO_8859_1);
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try (InputStream stream = Files.newInputStream(file);
        StoredInput input = StoredInput.of(stream)) {
      byte[] start = new byte[magic.length];
      int length = 0;
      int got = 0;
      while (length < start.length && got >= 0) {
        got = input.read(start, length, start.length - length);
        length += Math.max(0, got);
      }
      return Arrays.equals(magic, start);
    } catch (IOException _) {
      // The reader of profiles says what is wrong.
      return false;
    }
  }

  /**
   * Reads a profile.
   *
   * @throws TraceFormatException where it is none, is damaged, or would take more memory than a
   *     file of its size may
   */
  static TimeProfile read(Path file, Progress progress) throws TraceFormatException {
    String name = file.toString();
    try (SqliteFile database = SqliteFile.open(file)) {
      return new NsysProfileReader(name, database, progress).read();
    } catch (NoSuchFileException _) {
      throw new TraceFormatException(name, "", "no such file", "check the spelling of the path");
    } catch (SqliteException | IllegalArgumentException e) {
      throw new TraceFormatException(name, "", e.getMessage(), "export the profile again");
    } catch (IOException e) {
      throw new TraceFormatException(
          name, "", "it cannot be read (" + e.getMessage() + ")", "copy the file again");
    }
  }

  private TimeProfile read() throws IOException, TraceFormatException {
    if (!chooseProcess()) {
      throw new TraceFormatException(
          file, "", "this SQLite database has no kernels of Nsight Systems", REMEDY);
    }
    readStrings();
    kernels();
    copies();
    fills();
    calls("CUPTI_ACTIVITY_KIND_RUNTIME", RowKind.CALL);
    calls("OSRT_API", RowKind.SYSTEM);
    calls("PROFILER_OVERHEAD", RowKind.OVERHEAD);
    ranges();
    return rows.build(
        new TimeProfile.Source(
            file,
            database.sha256(),
            TimeProfile.Profiler.NSIGHT_SYSTEMS,
            gpuName(),
            -1,
            0,
            false,
            damaged,
            otherProcesses),
        0,
        names.texts());
  }

  /** Finds the process with most kernels; answers whether there is a table of them. */
  private boolean chooseProcess() throws IOException {
    TableRows table = database.rows("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid");
    if (table == null) {
      return false;
    }
    Map<Long, Long> kernels = new HashMap<>();
    while (table.next()) {
      if (!table.isNull(0)) {
        kernels.merge(table.integer(0), 1L, Long::sum);
        if (kernels.size() > MAX_PROCESSES) {
          throw new IllegalArgumentException("more than " + MAX_PROCESSES + " processes");
        }
      }
    }
    process =
        kernels.entrySet().stream()
            .max(
                Map.Entry.<Long, Long>comparingByValue()
                    .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
            .map(Map.Entry::getKey)
            .orElse(null);
    otherProcesses = Math.max(0, kernels.size() - 1);
    return true;
  }

  private void readStrings() throws IOException {
    TableRows table = database.rows("StringIds", "id", "value");
    while (table != null && table.next()) {
      if (table.isNull(0) || table.isNull(1)) {
        continue;
      }
      String text = table.text(1);
      database.hold(STRING_BYTES + 2L * text.length());
      strings.put(table.integer(0), text);
    }
  }

  private String string(TableRows table, int column) throws IOException {
    return table.isNull(column) ? "" : strings.getOrDefault(table.integer(column), "");
  }

  /** A table whose rows have a begin and an end as the first columns asked for. */
  private @Nullable TableRows timed(String table, String... columns) throws IOException {
    String[] all = new String[columns.length + 2];
    all[0] = "start";
    all[1] = "end";
    System.arraycopy(columns, 0, all, 2, columns.length);
    TableRows found = database.rows(table, all);
    for (int column = 0; found != null && column < 2; column++) {
      if (!found.has(column)) {
        throw new IllegalArgumentException("table " + table + " has no column " + all[column]);
      }
    }
    return found;
  }

  private static long integer(TableRows table, int column) throws IOException {
    return table.isNull(column) ? 0 : table.integer(column);
  }

  private boolean isOfProcess(TableRows table, int column) throws IOException {
    return process == null || table.isNull(column) || table.integer(column) == process;
  }

  private static boolean isOutOfRange(long nanos) {
    return nanos < -Micros.MAX_NANOS || nanos > Micros.MAX_NANOS;
  }

  private void add(
      TableRows table, RowKind kind, String name, long owner, long number, long link, long bytes)
      throws IOException, TraceFormatException {
    if (table.isNull(0) || table.isNull(1)) {
      damaged++;
      return;
    }
    long start = table.integer(0);
    long end = table.integer(1);
    if (isOutOfRange(start) || isOutOfRange(end)) {
      throw new IllegalArgumentException("a time of more than 95 years is out of range");
    }
    if (end < start) {
      damaged++;
      return;
    }
    if (rows.count() == Integer.MAX_VALUE / 2) {
      throw new TraceFormatException(file, "", "it has more than 10^9 rows", "profile fewer steps");
    }
    char[] characters = name.toCharArray();
    rows.add(
        kind,
        start,
        end - start,
        names.number(characters, 0, characters.length),
        owner,
        number,
        link > 0 && link <= Integer.MAX_VALUE ? (int) link : TimeProfile.NO_LINK,
        Math.clamp(bytes, 0, 1L << 50));
    long held = rows.heldBytes() + names.heldBytes();
    database.hold(held - countedBytes);
    countedBytes = held;
    if (rows.count() % PROGRESS_ROWS == 0) {
      progress.update(table.bytesRead(), database.bytes());
    }
  }

  private void kernels() throws IOException, TraceFormatException {
    TableRows table =
        timed(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            "deviceId",
            "streamId",
            "correlationId",
            "globalPid",
            "demangledName",
            "shortName");
    while (table != null && table.next()) {
      if (isOfProcess(table, 5)) {
        String name = string(table, 6);
        add(
            table,
            RowKind.KERNEL,
            name.isEmpty() ? string(table, 7) : name,
            integer(table, 2),
            integer(table, 3),
            integer(table, 4),
            0);
      }
    }
  }

  private void copies() throws IOException, TraceFormatException {
    TableRows table =
        timed(
            "CUPTI_ACTIVITY_KIND_MEMCPY",
            "deviceId",
            "streamId",
            "correlationId",
            "globalPid",
            "bytes",
            "copyKind",
            "srcKind",
            "dstKind");
    while (table != null && table.next()) {
      if (isOfProcess(table, 5)) {
        String name =
            "Memcpy %s (%s -> %s)"
                .formatted(
                    name(COPY_NAMES, integer(table, 7)),
                    name(MEMORY_NAMES, integer(table, 8)),
                    name(MEMORY_NAMES, integer(table, 9)));
        add(
            table,
            RowKind.COPY,
            name,
            integer(table, 2),
            integer(table, 3),
            integer(table, 4),
            integer(table, 6));
      }
    }
  }

  private static String name(String[] known, long number) {
    return number >= 0 && number < known.length ? known[(int) number] : "Unknown";
  }

  private void fills() throws IOException, TraceFormatException {
    TableRows table =
        timed(
            "CUPTI_ACTIVITY_KIND_MEMSET",
            "deviceId",
            "streamId",
            "correlationId",
            "globalPid",
            "bytes");
    while (table != null && table.next()) {
      if (isOfProcess(table, 5)) {
        add(
            table,
            RowKind.MEMSET,
            "Memset (Device)",
            integer(table, 2),
            integer(table, 3),
            integer(table, 4),
            integer(table, 6));
      }
    }
  }

  /** Adds a row of a thread of the chosen process. */
  private void onHost(TableRows table, int threadColumn, RowKind kind, String name, long link)
      throws IOException, TraceFormatException {
    long thread = integer(table, threadColumn);
    long owner = thread >> ID_BITS & ID_MASK;
    if (process == null || table.isNull(threadColumn) || owner == (process >> ID_BITS & ID_MASK)) {
      add(table, kind, name, owner, thread & ID_MASK, link, 0);
    }
  }

  private void calls(String name, RowKind kind) throws IOException, TraceFormatException {
    TableRows table = timed(name, "globalTid", "nameId", "correlationId");
    while (table != null && table.next()) {
      String call = string(table, 3);
      onHost(
          table,
          2,
          kind,
          kind == RowKind.CALL ? CALL_VERSION.matcher(call).replaceFirst("") : call,
          kind == RowKind.CALL ? integer(table, 4) : 0);
    }
  }

  private void ranges() throws IOException, TraceFormatException {
    TableRows table = timed("NVTX_EVENTS", "globalTid", "eventType", "text", "textId");
    while (table != null && table.next()) {
      long type = integer(table, 3);
      if (type != PUSH_POP && type != TEXT_PUSH_POP || table.isNull(1)) {
        continue;
      }
      String text = table.isNull(4) ? string(table, 5) : table.text(4);
      int sequence = text.indexOf(SEQUENCE);
      String name = sequence < 0 ? text : text.substring(0, sequence);
      onHost(table, 2, name.contains("::") ? RowKind.OPERATOR : RowKind.ANNOTATION, name, 0);
    }
  }

  private @Nullable String gpuName() throws IOException {
    TableRows table = database.rows("TARGET_INFO_GPU", "name");
    return table != null && table.next() && !table.isNull(0) ? table.text(0) : null;
  }
}
