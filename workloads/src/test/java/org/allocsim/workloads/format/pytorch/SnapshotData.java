package org.allocsim.workloads.format.pytorch;

import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.workloads.format.Progress;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.PickleWriter.Tuple;

/** Snapshots as the dicts and lists that PyTorch 2.11 makes, for tests to alter. */
public final class SnapshotData {
  private SnapshotData() {}

  public static Map<String, Object> dict(Object... keysAndValues) {
    Map<String, Object> dict = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      dict.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return dict;
  }

  public static List<Object> list(Object... elements) {
    return new ArrayList<>(Arrays.asList(elements));
  }

  public static Map<String, Object> event(
      String action, Object addr, Object size, Object timeMicros) {
    return dict(
        "action",
        action,
        action.equals("oom") ? "device_free" : "addr",
        addr,
        "size",
        size,
        "stream",
        0,
        "time_us",
        timeMicros,
        "compile_context",
        "N/A",
        "user_metadata",
        "");
  }

  static Map<String, Object> frame(String file, int line, String name) {
    return dict("filename", file, "line", line, "name", name);
  }

  public static Map<String, Object> block(long address, long size, long requested, String state) {
    return dict(
        "address", address,
        "size", size,
        "requested_size", requested,
        "state", state,
        "frames", list());
  }

  /** A large segment of the default pool, with its blocks. */
  public static Map<String, Object> segment(long address, long bytes, List<Object> blocks) {
    Map<String, Object> segment = segment();
    segment.put("address", address);
    segment.put("total_size", bytes);
    segment.put("segment_type", "large");
    for (String size : List.of("allocated_size", "active_size", "requested_size")) {
      segment.put(
          size,
          blocks.stream()
              .map(block -> (Map<?, ?>) block)
              .filter(block -> block.get("state").equals("active_allocated"))
              .mapToLong(block -> (long) block.get("size"))
              .sum());
    }
    segment.put("blocks", blocks);
    return segment;
  }

  /** A 2 MiB segment at 2^40 with an allocated, a pending and a free block. */
  static Map<String, Object> segment() {
    long address = 1L << 40;
    return dict(
        "device",
        0,
        "address",
        address,
        "total_size",
        2097152,
        "allocated_size",
        1024,
        "active_size",
        1536,
        "requested_size",
        1100,
        "stream",
        0,
        "segment_type",
        "small",
        "segment_pool_id",
        new Tuple(0, 0),
        "is_expandable",
        false,
        "frames",
        list(),
        "blocks",
        list(
            block(address, 1024, 1000, "active_allocated"),
            block(address + 1024, 512, 100, "active_pending_free"),
            block(address + 1536, 2095616, 7, "inactive")));
  }

  /** Five entries whose outcome is {@link #segment()}. */
  static List<Object> history() {
    long address = 1L << 40;
    return list(
        event("segment_alloc", address, 2097152, 10),
        event("alloc", address, 1000, 10),
        event("alloc", address + 1024, 100, 11),
        event("free_requested", address + 1024, 100, 12),
        event("oom", 5, 1L << 41, 13));
  }

  static Map<String, Object> snapshot(List<Object> history) {
    return dict(
        "segments", list(segment()),
        "device_traces", list(history),
        "allocator_settings", SyntheticSnapshotWriter.settings(),
        "external_annotations", list());
  }

  static Map<String, Object> snapshot() {
    return snapshot(history());
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> dictAt(Object list, int index) {
    return (Map<String, Object>) ((List<Object>) list).get(index);
  }

  static Snapshot read(byte[] file) throws TraceFormatException {
    return SnapshotReader.read(new ByteArrayInputStream(file), "test.pickle", Progress.NONE);
  }

  /** Reads the pickle (protocol 4) of a value. */
  public static Snapshot readValue(Object value) throws TraceFormatException {
    return read(PickleWriter.pickle(value, 4));
  }

  /** Every column as text, one row a line. */
  public static String columns(Snapshot snapshot) {
    StringBuilder text = new StringBuilder();
    text.append(snapshot.settings()).append(snapshot.annotations()).append(snapshot.notes());
    text.append(Arrays.toString(snapshot.streamHandles())).append('\n');
    for (DeviceHistory device : snapshot.devices()) {
      text.append("device ").append(device.hasTimes()).append(device.overflowed()).append('\n');
      for (int row = 0; row < device.effects().count(); row++) {
        text.append(device.effects().kind(row))
            .append(' ')
            .append(Long.toUnsignedString(device.effects().address(row)))
            .append(' ')
            .append(device.effects().bytes(row))
            .append(' ')
            .append(device.effects().stream(row))
            .append(' ')
            .append(device.timeNanos(row))
            .append(' ')
            .append(stack(snapshot, device.stack(row)))
            .append(' ')
            .append(device.poolId(row))
            .append('\n');
      }
    }
    for (SnapshotSegment segment : snapshot.segments()) {
      text.append("segment ")
          .append(segment.device())
          .append(' ')
          .append(Long.toUnsignedString(segment.address()))
          .append(' ')
          .append(segment.totalBytes())
          .append(' ')
          .append(segment.allocatedBytes())
          .append(' ')
          .append(segment.activeBytes())
          .append(' ')
          .append(segment.requestedBytes())
          .append(' ')
          .append(segment.stream())
          .append(segment.small() ? " small " : " large ")
          .append(segment.pool())
          .append(segment.expandable() ? " expandable " : " ")
          .append(stack(snapshot, segment.stack()))
          .append('\n');
      for (int i = 0; i < segment.blockCount(); i++) {
        text.append("block ")
            .append(Long.toUnsignedString(segment.blockAddress(i)))
            .append(' ')
            .append(segment.blockBytes(i))
            .append(' ')
            .append(segment.blockRequestedBytes(i))
            .append(' ')
            .append(segment.blockState(i))
            .append(' ')
            .append(stack(snapshot, segment.blockStack(i)))
            .append('\n');
      }
    }
    return text.toString();
  }

  static List<String> stack(Snapshot snapshot, int stack) {
    List<String> frames = new ArrayList<>();
    for (int i = 0; i < snapshot.stacks().depth(stack); i++) {
      var frame = snapshot.stacks().frame(stack, i);
      frames.add(frame.file() + ":" + frame.line() + ":" + frame.function());
    }
    return frames;
  }
}
