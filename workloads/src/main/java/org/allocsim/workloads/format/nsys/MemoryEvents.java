package org.allocsim.workloads.format.nsys;

import java.io.IOException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.column.IntColumn;
import org.allocsim.simulator.column.LongColumn;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TimeOrder;
import org.allocsim.workloads.io.sqlite.SqliteFile;
import org.allocsim.workloads.io.sqlite.TableRows;
import org.jspecify.annotations.Nullable;

/** The rows that become requests, in columns. */
final class MemoryEvents {
  private static final String TABLE = "CUDA_GPU_MEMORY_USAGE_EVENTS";

  // Columns, by their places in the question.
  private static final int START = 0;
  private static final int ADDRESS = 1;
  private static final int BYTES = 2;
  private static final int KIND = 3;
  private static final int OPERATION = 4;
  private static final int PROCESS = 5;
  private static final int DEVICE = 6;
  private static final int STREAM = 7;
  private static final String[] COLUMNS = {
    "start",
    "address",
    "bytes",
    "memKind",
    "memoryOperationType",
    "globalPid",
    "deviceId",
    "streamId"
  };
  private static final int NEEDED = 5;

  // Numbers of operations in every release seen (table ENUM_CUDA_DEV_MEM_EVENT_OPER).
  private static final long ALLOCATION = 0;
  private static final long DEALLOCATION = 1;

  /** Bytes that a row takes here, in the trace, and where it is live. */
  private static final int ROW_BYTES = 120;

  private static final int MAX_USERS = 128;
  private static final int PROGRESS_ROWS = 1 << 14;

  /**
   * A process on a device.
   *
   * @param globalPid the process, as the file numbers it
   * @param device the device, as the file numbers it
   */
  record User(long globalPid, long device) {
    /** The process as the system numbers it (Nsight Systems, "Serialized process identifiers"). */
    long processId() {
      return globalPid >>> 24 & 0xffffff;
    }
  }

  /**
   * What is left out of a kind of memory.
   *
   * @param allocations how many allocations
   * @param bytes their bytes
   */
  record LeftOut(long allocations, long bytes) {
    LeftOut and(long more) {
      return new LeftOut(allocations + 1, bytes + more);
    }
  }

  private final Map<User, Integer> users = new HashMap<>();
  private final Map<MemoryKind, LeftOut> leftOut = new EnumMap<>(MemoryKind.class);
  private final LongColumn times = new LongColumn();
  private final LongColumn addresses = new LongColumn();
  private final LongColumn bytes = new LongColumn();
  private final LongColumn streams = new LongColumn();

  /** The user's number, and two bits: whether memory is pinned, whether it is freed. */
  private final IntColumn marks = new IntColumn();

  private long sum;

  private MemoryEvents() {}

  /**
   * Reads the table; null where the file does not have it.
   *
   * @throws IllegalArgumentException where a row says what cannot be
   */
  static @Nullable MemoryEvents read(SqliteFile file, Progress progress) throws IOException {
    TableRows rows = file.rows(TABLE, COLUMNS);
    if (rows == null) {
      return null;
    }
    for (int column = 0; column < NEEDED; column++) {
      if (!rows.has(column)) {
        throw new IllegalArgumentException("table " + TABLE + " has no column " + COLUMNS[column]);
      }
    }
    MemoryEvents events = new MemoryEvents();
    Map<Long, MemoryKind> kinds = MemoryKind.numbers(file);
    for (long row = 1; rows.next(); row++) {
      file.hold(ROW_BYTES);
      events.take(rows, kinds.getOrDefault(rows.integer(KIND), MemoryKind.UNKNOWN), row);
      if (row % PROGRESS_ROWS == 0) {
        progress.update(rows.bytesRead(), file.bytes());
      }
    }
    return events;
  }

  private void take(TableRows rows, MemoryKind kind, long row) throws IOException {
    long operation = rows.integer(OPERATION);
    long size = rows.integer(BYTES);
    boolean isFree = operation == DEALLOCATION;
    if (operation != ALLOCATION && !isFree || size < 0 || sum + size < 0) {
      throw new IllegalArgumentException(
          "row %d of table %s has operation %d of %d bytes".formatted(row, TABLE, operation, size));
    }
    if (!kind.isRequested() && kind != MemoryKind.PINNED) {
      if (!isFree) {
        leftOut.merge(kind, new LeftOut(1, size), (before, _) -> before.and(size));
      }
      return;
    }
    sum += isFree ? 0 : size;
    int user = user(integer(rows, PROCESS), integer(rows, DEVICE));
    times.add(rows.integer(START));
    addresses.add(rows.integer(ADDRESS));
    bytes.add(size);
    streams.add(integer(rows, STREAM));
    marks.add(user << 2 | (isFree ? 1 : 0) | (kind == MemoryKind.PINNED ? 2 : 0));
  }

  private static long integer(TableRows rows, int column) throws IOException {
    return rows.isNull(column) ? 0 : rows.integer(column);
  }

  private int user(long globalPid, long device) {
    User user = new User(globalPid, device);
    Integer known = users.get(user);
    if (known == null) {
      if (users.size() == MAX_USERS) {
        throw new IllegalArgumentException(
            "more than " + MAX_USERS + " processes and devices have memory");
      }
      known = users.size();
      users.put(user, known);
    }
    return known;
  }

  /** The rows by time, those of one time as they stand in the file. */
  int[] order() {
    return TimeOrder.of(times.toArray(), count());
  }

  /** Number of rows. */
  int count() {
    return times.count();
  }

  long timeNanos(int row) {
    return times.get(row);
  }

  long address(int row) {
    return addresses.get(row);
  }

  long bytes(int row) {
    return bytes.get(row);
  }

  /** The stream of a request in its order, 0 for one that waits for none. */
  long stream(int row) {
    return streams.get(row);
  }

  boolean isFree(int row) {
    return (marks.get(row) & 1) != 0;
  }

  boolean isPinned(int row) {
    return (marks.get(row) & 2) != 0;
  }

  /** Number of the process and device, from 0 in the order of the file. */
  int user(int row) {
    return marks.get(row) >> 2;
  }

  /** Processes and devices by their numbers. */
  User[] users() {
    User[] byNumber = new User[users.size()];
    users.forEach((user, number) -> byNumber[number] = user);
    return byNumber;
  }

  /** What was left out, by kind. */
  Map<MemoryKind, LeftOut> leftOut() {
    return leftOut;
  }
}
