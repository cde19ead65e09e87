package org.allocsim.analysis.idle.profile;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rows of one profile as columns, by their start, enclosing rows before those inside. Time is
 * nanoseconds from the first row.
 */
public final class TimeProfile {
  /** The link of a row that has none. */
  public static final int NO_LINK = -1;

  private static final RowKind[] KINDS = RowKind.values();

  /** What recorded a profile. */
  public enum Profiler {
    /** PyTorch's profiler. */
    KINETO,
    /** Nsight Systems, which has neither lines of Python nor an exact time of day. */
    NSIGHT_SYSTEMS
  }

  /**
   * What the file says about itself.
   *
   * @param file its name as given
   * @param sha256 checksum of the file
   * @param profiler what recorded it
   * @param gpuName name of the first GPU; null where the file has none
   * @param rank rank of the process in its job; −1 where it has none
   * @param worldSize processes of the job; 0 where there is none
   * @param hasStacks whether Python functions were recorded
   * @param damagedRows rows without a time, or with a negative duration, that were passed over
   * @param otherProcesses processes with kernels that were not read
   */
  public record Source(
      String file,
      String sha256,
      Profiler profiler,
      @Nullable String gpuName,
      int rank,
      int worldSize,
      boolean hasStacks,
      long damagedRows,
      int otherProcesses) {}

  /**
   * Where rows happen.
   *
   * @param isOnGpu whether it is a stream of a GPU, not a thread of the host
   * @param owner index of the GPU, or the process
   * @param number number of the stream, or the thread
   */
  public record Lane(boolean isOnGpu, long owner, long number) {}

  private final Source source;
  private final long originNanos;
  private final byte[] kinds;
  private final long[] starts;
  private final long[] durations;
  private final int[] names;
  private final int[] lanes;
  private final int[] links;
  private final long[] bytes;
  private final String[] nameTexts;
  private final Lane[] laneRows;
  private final MemorySamples memory;

  /** Lines of the program that a snapshot of the same run has, by row. */
  private final Map<Integer, String> lines;

  TimeProfile(
      Source source,
      long originNanos,
      byte[] kinds,
      long[] starts,
      long[] durations,
      int[] names,
      int[] lanes,
      int[] links,
      long[] bytes,
      String[] nameTexts,
      Lane[] laneRows,
      MemorySamples memory,
      Map<Integer, String> lines) {
    this.memory = memory;
    this.lines = lines;
    this.originNanos = originNanos;
    this.source = source;
    this.kinds = kinds;
    this.starts = starts;
    this.durations = durations;
    this.names = names;
    this.lanes = lanes;
    this.links = links;
    this.bytes = bytes;
    this.nameTexts = nameTexts;
    this.laneRows = laneRows;
  }

  /** What the file says about itself. */
  public Source source() {
    return source;
  }

  /** The time of day of the first row, as the profile has it; from it all times are counted. */
  public long originNanos() {
    return originNanos;
  }

  /** What the allocators of the GPUs held; no samples where it was not recorded. */
  public MemorySamples memory() {
    return memory;
  }

  /** Number of rows. */
  public int count() {
    return kinds.length;
  }

  /** What a row is about. */
  public RowKind kind(int row) {
    return KINDS[kinds[row]];
  }

  /** When it begins. */
  public long startNanos(int row) {
    return starts[row];
  }

  /** How long it takes. */
  public long durationNanos(int row) {
    return durations[row];
  }

  /** When it ends. */
  public long endNanos(int row) {
    return starts[row] + durations[row];
  }

  /** Number of its name. */
  public int nameNumber(int row) {
    return names[row];
  }

  /** Its name. */
  public String name(int row) {
    return nameTexts[names[row]];
  }

  /** Number of distinct names. */
  public int nameCount() {
    return nameTexts.length;
  }

  /** The name of a number. */
  public String nameText(int name) {
    return nameTexts[name];
  }

  /** Number of the stream or thread. */
  public int lane(int row) {
    return lanes[row];
  }

  /** Number of streams and threads. */
  public int laneCount() {
    return laneRows.length;
  }

  /** A stream or thread. */
  public Lane laneOf(int lane) {
    return laneRows[lane];
  }

  /**
   * Work of the GPU and calls: the correlation, which both have in common. Python functions: the
   * number of the name that says from which line they were called. {@link #NO_LINK} where there is
   * none.
   */
  public int link(int row) {
    return links[row];
  }

  /**
   * The line of the program that makes a call, as a memory snapshot of the same run has it; null
   * for rows that no snapshot tells of.
   */
  public @Nullable String line(int row) {
    return lines.get(row);
  }

  /** Bytes of a copy or of memory that is filled; 0 for others. */
  public long bytes(int row) {
    return bytes[row];
  }
}
