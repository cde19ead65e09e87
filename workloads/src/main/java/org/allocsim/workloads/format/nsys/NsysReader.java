package org.allocsim.workloads.format.nsys;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.LivePointers;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFile;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.sqlite.SqliteException;
import org.allocsim.workloads.io.sqlite.SqliteFile;

/** Makes requests of the rows. */
final class NsysReader {
  private static final String REMEDY =
      "profile with 'nsys profile --cuda-memory-usage=true' and export with"
          + " 'nsys export --type sqlite'";
  private static final int UNKNOWN = -1;

  private final MemoryEvents events;
  private final int[] order;
  private final AllocationTrace.Builder trace = new AllocationTrace.Builder().ofPyTorch(false);

  /** Of each free, the row that allocated what it frees. */
  private final int[] allocatedBy;

  /** Of each row that allocates, or frees what was there before, the number in the trace. */
  private final int[] numbers;

  private final int[] deviceOfUser;
  private long sharedAddresses;
  private long otherSizes;
  private int earlier;

  private NsysReader(MemoryEvents events) {
    this.events = events;
    order = events.order();
    allocatedBy = new int[events.count()];
    numbers = new int[events.count()];
    deviceOfUser = devices(events.users());
  }

  static TraceFile read(Path file, Progress progress) throws TraceFormatException {
    String name = file.toString();
    try (SqliteFile database = SqliteFile.open(file)) {
      MemoryEvents events = MemoryEvents.read(database, progress);
      if (events == null) {
        throw new TraceFormatException(
            name, "", "this SQLite database has no memory events of Nsight Systems", REMEDY);
      }
      if (events.count() == 0) {
        throw new TraceFormatException(name, "", "it has no device memory events", REMEDY);
      }
      NsysReader reader = new NsysReader(events);
      return new TraceFile(name, database.sha256(), NsysFormat.ID, reader.build(), reader.notes());
    } catch (NoSuchFileException _) {
      throw TraceFormatException.noSuchFile(file);
    } catch (SqliteException | IllegalArgumentException e) {
      throw new TraceFormatException(name, "", e.getMessage(), "export the profile again");
    } catch (IOException e) {
      throw new TraceFormatException(
          name, "", "it cannot be read (" + e.getMessage() + ")", "copy the file again");
    }
  }

  /** Devices as the file numbers them where one process uses each, else one for every process. */
  private static int[] devices(MemoryEvents.User[] users) {
    int[] devices = Arrays.stream(users).mapToInt(user -> (int) user.device()).toArray();
    boolean isPlain =
        Arrays.stream(users)
                .mapToLong(MemoryEvents.User::device)
                .filter(device -> device >= 0 && device <= Byte.MAX_VALUE)
                .distinct()
                .count()
            == users.length;
    if (!isPlain) {
      Arrays.setAll(devices, user -> user);
    }
    return devices;
  }

  private AllocationTrace build() {
    match();
    if (earlier > 0) {
      for (int row : order) {
        if (events.isFree(row) && allocatedBy[row] == UNKNOWN) {
          at(row, events.timeNanos(order[0]));
          allocate(row);
        }
      }
      trace.endPrologue();
    }
    for (int row : order) {
      at(row, events.timeNanos(row));
      if (!events.isFree(row)) {
        allocate(row);
      } else {
        int number = numbers[allocatedBy[row] == UNKNOWN ? row : allocatedBy[row]];
        if (events.isPinned(row)) {
          trace.freeHost(number);
        } else {
          trace.free(number, events.stream(row));
        }
      }
    }
    return trace.build(new StackTable.Builder().build());
  }

  private void at(int row, long timeNanos) {
    trace.at(deviceOfUser[events.user(row)], timeNanos, StackTable.NONE);
  }

  private void allocate(int row) {
    numbers[row] =
        events.isPinned(row)
            ? trace.allocateHost(events.bytes(row))
            : trace.allocate(events.bytes(row), events.stream(row), PoolId.DEFAULT);
  }

  /** Finds what each free frees. */
  private void match() {
    LivePointers[] device = new LivePointers[deviceOfUser.length];
    LivePointers[] pinned = new LivePointers[deviceOfUser.length];
    Arrays.setAll(device, _ -> new LivePointers());
    Arrays.setAll(pinned, _ -> new LivePointers());
    for (int row : order) {
      LivePointers live = (events.isPinned(row) ? pinned : device)[events.user(row)];
      if (!events.isFree(row)) {
        if (live.add(events.address(row), row)) {
          sharedAddresses++;
        }
        continue;
      }
      allocatedBy[row] = live.remove(events.address(row));
      if (allocatedBy[row] == UNKNOWN) {
        earlier++;
      } else if (events.bytes(allocatedBy[row]) != events.bytes(row)) {
        otherSizes++;
      }
    }
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>();
    notes.add(
        "requests are the process's calls to the CUDA driver; for a program with its own allocator,"
            + " these are that allocator's segments");
    events
        .skipped()
        .forEach((kind, what) ->
            notes.add(
                "%s omitted: %d × allocated, %d bytes"
                    .formatted(kind.plainName(), what.allocations(), what.bytes())));
    TraceFile.add(
        notes,
        earlier,
        "frees are of memory allocated before the profile, which is live at the start");
    TraceFile.add(
        notes,
        sharedAddresses,
        "addresses were handed out while they were live; frees apply to the latest allocation");
    TraceFile.add(
        notes, otherSizes, "frees have a different size from the allocation at their address");
    MemoryEvents.User[] users = events.users();
    for (int user = 0; user < users.length; user++) {
      if (deviceOfUser[user] != users[user].device()) {
        notes.add(
            "device %d here is device %d of process %d"
                .formatted(deviceOfUser[user], users[user].device(), users[user].processId()));
      }
    }
    return notes;
  }
}
