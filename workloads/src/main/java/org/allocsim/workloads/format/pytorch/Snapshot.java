package org.allocsim.workloads.format.pytorch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.format.pytorch.metadata.Annotation;
import org.allocsim.workloads.format.pytorch.metadata.RecordedFacts;
import org.allocsim.workloads.format.pytorch.metadata.SnapshotSettings;
import org.jspecify.annotations.Nullable;

/**
 * A memory snapshot as {@code torch.cuda.memory._dump_snapshot()} writes it (PyTorch 2.0 to 2.14):
 * the history of every device, and the segments and blocks at its end.
 *
 * <p>Streams are numbered by ascending unsigned handle, in the histories and in the segments.
 */
public final class Snapshot {
  /** A pebibyte: more than any GPU has, so that sums of sizes stay within 64 bits. */
  static final long MAX_BYTES = 1L << 50;

  /** The most that sizes may add up to at any time. */
  static final long MAX_SUM_BYTES = 1L << 52;

  /** Maximum number of devices of a snapshot. */
  public static final int MAX_DEVICES = 128;

  private final String fileName;
  private final String sha256;
  private final List<DeviceHistory> devices;
  private final List<SnapshotSegment> segments;
  private final SnapshotSettings settings;
  private final List<Annotation> annotations;
  private final StackTable stacks;
  private final long[] streamHandles;
  private final List<String> notes;
  private final @Nullable RecordedFacts facts;

  Snapshot(
      String fileName,
      String sha256,
      List<DeviceHistory> devices,
      List<SnapshotSegment> segments,
      SnapshotSettings settings,
      List<Annotation> annotations,
      StackTable stacks,
      long[] streamHandles,
      List<String> notes,
      @Nullable RecordedFacts facts) {
    this.fileName = fileName;
    this.sha256 = sha256;
    this.devices = devices;
    this.segments = segments;
    this.settings = settings;
    this.annotations = annotations;
    this.stacks = stacks;
    this.streamHandles = streamHandles;
    this.notes = notes;
    this.facts = facts;
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

  /** What {@code allocsim record} added; empty for a snapshot that PyTorch alone wrote. */
  public Optional<RecordedFacts> facts() {
    return Optional.ofNullable(facts);
  }

  /**
   * The settings that the history began with. A snapshot holds those of its end, and a recorder
   * says where they were changed before.
   */
  public String firstConf() {
    return facts == null || facts.firstSettings() == null ? settings.conf() : facts.firstSettings();
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

  /** What is wrong with a snapshot that holds nothing. */
  public static final String EMPTY =
      "the snapshot is empty: it has neither segments nor an event history, so nothing was"
          + " allocated on a GPU when it was written";

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
          segments().isEmpty()
              ? EMPTY
              : "the snapshot has segments but no event history (device_traces)",
          "call torch.cuda.memory._record_memory_history() before the program allocates and"
              + " write the snapshot with torch.cuda.memory._dump_snapshot()"
              + (segments().isEmpty()
                  ? ", after it has allocated and in the same process"
                  : "; 'allocsim peak' shows what is held at its end"));
    }
  }

  /**
   * What no allocator can have done, in words; null where it can. A failed request may be of any
   * size.
   *
   * @param kind kind of an entry
   */
  public static @Nullable String impossible(EffectKind kind, long address, long bytes) {
    if (kind == EffectKind.OOM || kind == EffectKind.SNAPSHOT) {
      return null;
    }
    if (address == 0) {
      return "it is at address 0, which is never allocated";
    }
    if (bytes < 0 || bytes > MAX_BYTES) {
      return "its size of " + Long.toUnsignedString(bytes) + " bytes is implausibly large";
    }
    if (bytes == 0 && isOfSegment(kind)) {
      return "a segment of 0 bytes is none";
    }
    return bytes > 0 && Long.compareUnsigned(address, -bytes) >= 0
        ? "its " + bytes + " bytes extend beyond the last address"
        : null;
  }

  private static boolean isOfSegment(EffectKind kind) {
    return switch (kind) {
      case SEGMENT_ALLOC, SEGMENT_FREE, SEGMENT_MAP, SEGMENT_UNMAP -> true;
      case ALLOC, FREE_REQUESTED, FREE_COMPLETED, OOM, SNAPSHOT -> false;
    };
  }

  /**
   * Puts a snapshot together from columns that another format carries. What is out of order or
   * refers to nothing is refused with an {@link IllegalArgumentException}, whose message is a
   * clause for the user.
   */
  public static final class Builder {
    private final long[] streamHandles;
    private final StackTable stacks;
    private final List<DeviceHistory> devices = new ArrayList<>();
    private final List<SnapshotSegment> segments = new ArrayList<>();
    private final List<Annotation> annotations = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private SnapshotSettings settings = SnapshotSettings.ABSENT;
    private @Nullable RecordedFacts facts;
    private @Nullable HistoryColumns history;
    private @Nullable SegmentSums sums;
    private BlockColumns blocks = new BlockColumns();

    /**
     * A snapshot without devices and segments.
     *
     * @param streamHandles handles by stream number, ascending as unsigned numbers
     * @param stacks the stacks that rows refer to
     */
    public Builder(long[] streamHandles, StackTable stacks) {
      this.streamHandles = streamHandles.clone();
      this.stacks = stacks;
      for (int stream = 1; stream < streamHandles.length; stream++) {
        require(
            Long.compareUnsigned(streamHandles[stream - 1], streamHandles[stream]) < 0,
            "the stream handles are not ascending");
      }
      require(streamHandles.length <= StreamNumbers.MOST, "there are too many streams");
    }

    /** Sets the allocator's settings. */
    public void settings(SnapshotSettings recorded) {
      settings = recorded;
    }

    /** Sets what {@code allocsim record} added. */
    public void facts(@Nullable RecordedFacts recorded) {
      facts = recorded;
    }

    /** Adds a note of the reader. */
    public void note(String note) {
      notes.add(note);
    }

    /** Adds one end of a named span. */
    public void annotation(Annotation annotation) {
      annotations.add(annotation);
    }

    /**
     * Begins the history of the next device.
     *
     * @param hasTimes whether its rows carry times
     * @param overflowed whether its oldest rows were lost, if that is known
     */
    public void device(boolean hasTimes, Optional<Boolean> overflowed) {
      finishDevice();
      require(devices.size() < MAX_DEVICES, "there are more than 128 devices");
      history = new HistoryColumns(hasTimes, overflowed);
    }

    /**
     * Adds a row to the history of the device that was begun last.
     *
     * @param stream number of the stream
     * @param pool the row's pool, or null where it is not known
     */
    public void event(
        EffectKind kind,
        long address,
        long bytes,
        int stream,
        long timeNanos,
        int stack,
        @Nullable PoolId pool) {
      if (history == null) {
        throw new IllegalArgumentException("the row belongs to no device");
      }
      require(bytes >= 0, "the size is negative");
      requireStream(stream);
      requireStack(stack);
      history.add(kind, address, bytes, stream, timeNanos, stack, pool);
    }

    /** Begins the next segment of the final state. */
    public void segment(SegmentSums segment) {
      finishSegment();
      require(segment.device() >= 0 && segment.device() < MAX_DEVICES, "no such device");
      requireStream(segment.stream());
      requireStack(segment.stack());
      sums = segment;
      blocks = new BlockColumns();
    }

    /** Adds a block to the segment that was begun last. */
    public void block(long address, long bytes, long requestedBytes, BlockState state, int stack) {
      require(sums != null, "the block belongs to no segment");
      require(bytes >= 0 && requestedBytes >= 0, "the size is negative");
      requireStack(stack);
      blocks.add(address, true, bytes, requestedBytes, state, stack);
    }

    private void finishDevice() {
      if (history != null) {
        devices.add(history.finish());
        history = null;
      }
    }

    private void finishSegment() {
      if (sums != null) {
        segments.add(
            new SnapshotSegment(
                sums.device(),
                sums.address(),
                sums.totalBytes(),
                sums.allocatedBytes(),
                sums.activeBytes(),
                sums.requestedBytes(),
                sums.stream(),
                sums.small(),
                sums.pool(),
                sums.expandable(),
                sums.stack(),
                blocks));
        sums = null;
      }
    }

    /**
     * The snapshot.
     *
     * @param fileName name of the file that it was read from
     * @param sha256 digest of that file
     */
    public Snapshot build(String fileName, String sha256) {
      finishDevice();
      finishSegment();
      for (SnapshotSegment segment : segments) {
        require(segment.device() < devices.size(), "a segment belongs to no device");
      }
      return new Snapshot(
          fileName,
          sha256,
          List.copyOf(devices),
          List.copyOf(segments),
          settings,
          List.copyOf(annotations),
          stacks,
          streamHandles,
          List.copyOf(notes),
          facts);
    }

    private void requireStream(int stream) {
      require(stream >= 0 && stream < streamHandles.length, "no such stream");
    }

    private void requireStack(int stack) {
      require(stack >= 0 && stack < stacks.stackCount(), "no such stack");
    }

    private static void require(boolean holds, String otherwise) {
      if (!holds) {
        throw new IllegalArgumentException(otherwise);
      }
    }
  }

  /**
   * What a segment is, without its blocks; the names are those of {@link SnapshotSegment}.
   *
   * @param device device index
   * @param address start address, unsigned
   * @param totalBytes size of the segment or mapped run
   * @param allocatedBytes bytes of blocks in the program's hands
   * @param activeBytes bytes of blocks in the program's hands or waiting for a stream
   * @param requestedBytes requested bytes of active blocks
   * @param stream number of its stream
   * @param small whether it belongs to the pool of small blocks
   * @param pool the pool that owns it
   * @param expandable whether it is a mapped run of an expandable segment
   * @param stack stack that obtained it
   */
  public record SegmentSums(
      int device,
      long address,
      long totalBytes,
      long allocatedBytes,
      long activeBytes,
      long requestedBytes,
      int stream,
      boolean small,
      PoolId pool,
      boolean expandable,
      int stack) {}
}
