package org.allocsim.workloads.format.pytorch;

import java.util.List;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.TraceFormatException;

/**
 * A memory snapshot as {@code torch.cuda.memory._dump_snapshot()} writes it (PyTorch 2.0 to 2.14):
 * the history of every device, and the segments and blocks at its end.
 *
 * <p>Streams are numbered by ascending unsigned handle, in the histories and in the segments.
 */
public final class Snapshot {
  /** Maximum number of devices of a snapshot. */
  public static final int MOST_DEVICES = 128;

  private final String fileName;
  private final String sha256;
  private final List<DeviceHistory> devices;
  private final List<SnapshotSegment> segments;
  private final SnapshotSettings settings;
  private final List<Annotation> annotations;
  private final StackTable stacks;
  private final long[] streamHandles;
  private final List<String> notes;

  Snapshot(
      String fileName,
      String sha256,
      List<DeviceHistory> devices,
      List<SnapshotSegment> segments,
      SnapshotSettings settings,
      List<Annotation> annotations,
      StackTable stacks,
      long[] streamHandles,
      List<String> notes) {
    this.fileName = fileName;
    this.sha256 = sha256;
    this.devices = devices;
    this.segments = segments;
    this.settings = settings;
    this.annotations = annotations;
    this.stacks = stacks;
    this.streamHandles = streamHandles;
    this.notes = notes;
  }

  /** Name of the file as it was given. */
  public String fileName() {
    return fileName;
  }

  /** SHA-256 of the file as stored (compressed), in hexadecimal. */
  public String sha256() {
    return sha256;
  }

  /** Histories by device index; one without entries for a device that only has segments. */
  public List<DeviceHistory> devices() {
    return devices;
  }

  /** Segments at the end of the history, in the order of the file. */
  public List<SnapshotSegment> segments() {
    return segments;
  }

  /** The allocator's settings. */
  public SnapshotSettings settings() {
    return settings;
  }

  /** Named spans of the program, in the order of the file. */
  public List<Annotation> annotations() {
    return annotations;
  }

  /** The stack traces that histories, segments and blocks share. */
  public StackTable stacks() {
    return stacks;
  }

  /** Stream handles by stream number, ascending as unsigned numbers. */
  public long[] streamHandles() {
    return streamHandles.clone();
  }

  /** What is odd about the file and was passed over, with counts; one line each. */
  public List<String> notes() {
    return notes;
  }

  /** Entries of all histories. */
  public long eventCount() {
    long count = 0;
    for (DeviceHistory device : devices) {
      count += device.effects().count();
    }
    return count;
  }

  /** Whether there is a history at all; {@code torch.cuda.memory_snapshot()} has none. */
  public boolean hasHistory() {
    return eventCount() > 0;
  }

  /**
   * Insists on a history.
   *
   * @throws TraceFormatException with the sentence for the user where there is none
   */
  public void requireHistory() throws TraceFormatException {
    if (!hasHistory()) {
      throw new TraceFormatException(
          fileName,
          "",
          "the snapshot holds segments but no history of events (device_traces)",
          "call torch.cuda.memory._record_memory_history() before the program allocates and"
              + " write the snapshot with torch.cuda.memory._dump_snapshot()");
    }
  }
}
