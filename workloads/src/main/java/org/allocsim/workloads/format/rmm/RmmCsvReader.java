package org.allocsim.workloads.format.rmm;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.CsvRow;
import org.allocsim.workloads.format.LineInput;
import org.allocsim.workloads.format.LivePointers;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;

/** Reads the log line by line into columns. */
final class RmmCsvReader {
  private static final String ACTION = "Action";
  private static final String POINTER = "Pointer";
  private static final String SIZE = "Size";
  private static final String STREAM = "Stream";
  private static final String TIME = "Time";
  private static final String THREAD = "Thread";
  private static final int ABSENT = -1;
  private static final long DAY_NANOS = 24 * 3600 * 1_000_000_000L;

  private final LineInput lines;
  private final CsvRow row;
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);
  private final LivePointers live = new LivePointers();

  /** Bytes that a row takes in the trace and where it is live. */
  private static final int ROW_BYTES = 90;

  private static final int THREAD_BYTES = 120;

  /** Larger requests than any GPU fail anywhere, and are counted only. */
  private static final long MAX_BYTES = 1L << 48;

  private final Map<Long, Integer> threads = new HashMap<>();
  private final List<String> notes = new ArrayList<>();
  private List<String> columns = List.of();
  private int actionColumn;
  private int pointerColumn;
  private int sizeColumn;
  private int streamColumn;
  private int timeColumn;
  private int threadColumn;
  private long dayNanos;
  private long lastTimeOfDay;
  private long lastThread = Long.MIN_VALUE;
  private int lastThreadNumber;
  private long failures;
  private long hugeFailures;
  private long liveBytes;
  private long largestFailure;
  private long unknownFrees;
  private long sharedPointers;
  private long repeatedHeaders;
  private long threadedRows;

  private RmmCsvReader(LineInput lines) {
    this.lines = lines;
    row = new CsvRow(lines);
  }

  static TraceFile read(Path file, Progress progress) throws TraceFormatException {
    try (LineInput lines = new LineInput(file, progress)) {
      return new RmmCsvReader(lines).read();
    }
  }

  private TraceFile read() throws TraceFormatException {
    boolean hasHeader = false;
    while (lines.next()) {
      row.parse();
      if (row.isEmpty()) {
        continue;
      }
      if (!hasHeader) {
        header();
        hasHeader = true;
      } else if (row.is(actionColumn < row.count() ? actionColumn : 0, ACTION)) {
        repeatedHeaders++;
      } else {
        row();
      }
    }
    if (!hasHeader) {
      throw new TraceFormatException(
          lines.name(), "", "the file is empty", "give the log of a run that allocated memory");
    }
    return new TraceFile(
        lines.name(),
        lines.finishDigest(),
        RmmCsvFormat.ID,
        trace.build(new StackTable.Builder().build()),
        notes());
  }

  private void header() throws TraceFormatException {
    columns = row.texts();
    actionColumn = required(ACTION);
    pointerColumn = required(POINTER);
    sizeColumn = required(SIZE);
    streamColumn = columns.indexOf(STREAM);
    timeColumn = columns.indexOf(TIME);
    threadColumn = columns.indexOf(THREAD);
    if (streamColumn == ABSENT) {
      notes.add("the log has no column Stream; all requests are on the null stream");
    }
    if (timeColumn == ABSENT) {
      notes.add("the log has no column Time; all requests are at time 0");
    }
    List<String> known = List.of(ACTION, POINTER, SIZE, STREAM, TIME, THREAD);
    List<String> others = columns.stream().filter(name -> !known.contains(name)).toList();
    if (!others.isEmpty()) {
      notes.add("ignored columns: " + String.join(", ", others));
    }
  }

  private int required(String name) throws TraceFormatException {
    int column = columns.indexOf(name);
    if (column == ABSENT) {
      throw lines.failure(
          "the header has no column " + name,
          "give a log with the header Thread,Time,Action,Pointer,Size,Stream");
    }
    return column;
  }

  private void row() throws TraceFormatException {
    if (row.count() != columns.size()) {
      throw lines.failure(
          "the line has %d fields, the header %d".formatted(row.count(), columns.size()),
          "the file may be truncated here; remove the line");
    }
    lines.hold(ROW_BYTES);
    long pointer = row.pointer(pointerColumn, POINTER);
    long bytes = row.decimal(sizeColumn, SIZE);
    long stream = streamColumn == ABSENT ? 0 : stream();
    if (timeColumn != ABSENT) {
      trace.at(0, timeNanos(), 0);
    }
    try {
      if (row.is(actionColumn, "allocate") && (pointer != 0 || bytes == 0)) {
        allocate(pointer, bytes, stream);
      } else if (row.is(actionColumn, "free") || row.is(actionColumn, "deallocate")) {
        free(pointer, bytes, stream);
      } else if (row.is(actionColumn, "allocate failure") || row.is(actionColumn, "allocate")) {
        fail(bytes, stream);
      } else {
        throw row.wrong(actionColumn, ACTION, "allocate, free or allocate failure");
      }
    } catch (IllegalArgumentException e) {
      throw lines.failure(e.getMessage(), "split the log");
    }
  }

  private void allocate(long pointer, long bytes, long stream) {
    int allocation = trace.allocate(bytes, stream, PoolId.DEFAULT);
    liveBytes += bytes;
    if (live.add(pointer, allocation) && pointer != 0) {
      sharedPointers++;
    }
  }

  /** A request that failed is one that nothing frees, and shows what the program cannot have. */
  private void fail(long bytes, long stream) {
    failures++;
    largestFailure = Math.max(largestFailure, bytes);
    if (bytes <= MAX_BYTES) {
      trace.allocate(bytes, stream, PoolId.DEFAULT);
      trace.refuse(liveBytes + bytes);
    } else {
      hugeFailures++;
    }
  }

  private void free(long pointer, long bytes, long stream) {
    int allocation = live.remove(pointer);
    if (allocation != LivePointers.NONE) {
      liveBytes -= bytes;
      trace.free(allocation, stream);
    } else if (pointer != 0) {
      unknownFrees++;
    }
  }

  private long timeNanos() throws TraceFormatException {
    if (row.isNumber(timeColumn)) {
      return row.epochSeconds(timeColumn, TIME);
    }
    if (row.isDated(timeColumn)) {
      return row.dateTime(timeColumn, TIME);
    }
    long timeOfDay = row.timeOfDay(timeColumn, TIME);
    if (timeOfDay < lastTimeOfDay - DAY_NANOS / 2) {
      dayNanos += DAY_NANOS;
    } else if (dayNanos > 0 && timeOfDay > lastTimeOfDay + DAY_NANOS / 2) {
      // A row of another thread from just before midnight.
      return dayNanos - DAY_NANOS + timeOfDay;
    }
    lastTimeOfDay = timeOfDay;
    return dayNanos + timeOfDay;
  }

  /** Handle of the row's stream; every thread's per-thread default stream has one of its own. */
  private long stream() throws TraceFormatException {
    long handle = row.handle(streamColumn, STREAM);
    if (handle != RmmCsvFormat.PER_THREAD_HANDLE || threadColumn == ABSENT) {
      return handle;
    }
    threadedRows++;
    long thread = row.decimal(threadColumn, THREAD);
    if (thread != lastThread) {
      lastThread = thread;
      if (!threads.containsKey(thread)) {
        lines.hold(THREAD_BYTES);
      }
      lastThreadNumber = threads.computeIfAbsent(thread, _ -> threads.size());
    }
    return (long) lastThreadNumber << RmmCsvFormat.THREAD_SHIFT | handle;
  }

  private List<String> notes() {
    if (failures > 0) {
      notes.add("%d requests failed, the largest of %d bytes".formatted(failures, largestFailure));
    }
    if (hugeFailures > 0) {
      notes.add("%d of them are larger than any GPU and were omitted".formatted(hugeFailures));
    }
    TraceFile.add(notes, unknownFrees, "frees of addresses not allocated in the log were omitted");
    TraceFile.add(
        notes,
        sharedPointers,
        "addresses were handed out while they were live; frees apply to the latest allocation");
    if (repeatedHeaders > 0) {
      notes.add(
          "the header appears %d more times in the log, which may contain several runs"
              .formatted(repeatedHeaders));
    }
    if (threadedRows > 0 && threads.size() > 1) {
      notes.add(
          "%d threads use per-thread default streams, each a separate stream"
              .formatted(threads.size()));
    }
    return notes;
  }
}
