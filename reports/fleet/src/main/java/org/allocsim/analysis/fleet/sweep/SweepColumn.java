package org.allocsim.analysis.fleet.sweep;

import static org.allocsim.analysis.text.RowTable.Type.BOOLEAN;
import static org.allocsim.analysis.text.RowTable.Type.INTEGER;
import static org.allocsim.analysis.text.RowTable.Type.OPTIONAL_TEXT;
import static org.allocsim.analysis.text.RowTable.Type.REAL;
import static org.allocsim.analysis.text.RowTable.Type.TEXT;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.analysis.text.RowTable;
import org.allocsim.simulator.device.cost.DriverCall;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a sweep's rows, in their order. Names end in the unit where there is one; a column
 * that can be without a value is empty in CSV and null in Parquet.
 */
public enum SweepColumn {
  FILE(TEXT, "name of the trace's file as it was given or found"),
  JOB(
      OPTIONAL_TEXT,
      "folder of the job that the file is of; none where no other file is of another rank of it"),
  RANK(INTEGER, "rank within the job that the file's name gives, on its host where it has one"),
  HOST(OPTIONAL_TEXT, "host that the file's name gives"),
  SHA256(
      OPTIONAL_TEXT,
      "digest of the file as stored, of a program that of its name; none where it could not be"
          + " read"),
  FILE_BYTES(INTEGER, "size of the file as stored"),
  FORMAT(OPTIONAL_TEXT, "format of the file, as 'allocsim list formats' names it"),
  DEVICE_INDEX(INTEGER, "device of the trace whose requests were replayed"),
  RECORDED_OOMS(
      INTEGER, "requests that failed in the recording; none where the format has no failures"),
  DEMAND_BYTES(
      INTEGER,
      "maximum that the program asks for at once, whatever is served: no smaller GPU can do"),
  OUTCOME(
      TEXT,
      "passed: every request was served; oom: a request failed; not_run: the allocator cannot serve"
          + " the trace; unreadable: the file is not a trace"),
  ERROR(OPTIONAL_TEXT, "why the run was not made, or why the file could not be read"),
  POLICY(OPTIONAL_TEXT, "allocator, as 'allocsim list policies' names it"),
  CONF(TEXT, "PYTORCH_CUDA_ALLOC_CONF of policy pytorch; empty is its default, and no other's"),
  OPTIONS(TEXT, "other options of the policy, name=value, separated by semicolons"),
  TORCH_VERSION(OPTIONAL_TEXT, "release of PyTorch whose rules policy pytorch followed"),
  IS_RECORDED_CONF(
      BOOLEAN,
      "whether conf is what the trace was recorded with; for traces of formats that keep no"
          + " settings, whether it is PyTorch's default; none for other policies"),
  DEVICE(OPTIONAL_TEXT, "profile of the simulated GPU; 'capacity' for a size"),
  CAPACITY_BYTES(INTEGER, "free memory of the GPU before the first allocation"),
  LIMIT_BYTES(INTEGER, "the allocator's own limit; none where only the GPU limits it"),
  OOM(BOOLEAN, "whether a request failed"),
  OOMS(INTEGER, "number of requests that failed"),
  FIRST_OOM_REQUEST_INDEX(INTEGER, "the first of them, counted from 0 among allocation requests"),
  FIRST_OOM_REQUESTED_BYTES(INTEGER, "what it asked for"),
  REQUESTS(INTEGER, "allocation requests that were sent"),
  EVENTS(INTEGER, "requests of all kinds that were sent"),
  PEAK_REQUESTED_BYTES(INTEGER, "maximum that the program had asked for at once"),
  PEAK_ALLOCATED_BYTES(INTEGER, "maximum that blocks handed out took, after rounding"),
  PEAK_ACTIVE_BYTES(INTEGER, "the same with blocks that await their free"),
  PEAK_RESERVED_BYTES(INTEGER, "maximum that was held from the GPU"),
  PEAK_DEVICE_BYTES(INTEGER, "the same in whole pages of the GPU"),
  UTILISATION_RATIO(REAL, "peak of allocated over peak of reserved bytes"),
  AT_PEAK_INTERNAL_BYTES(
      INTEGER,
      "lost to rounding inside active blocks when reserved bytes first reached their peak"),
  AT_PEAK_INACTIVE_BYTES(INTEGER, "reserved and not active at that moment"),
  AT_END_RESERVED_BYTES(INTEGER, "reserved bytes after the last request"),
  AT_END_INACTIVE_BYTES(INTEGER, "reserved and not active after the last request"),
  AT_END_LARGEST_INACTIVE_BLOCK_BYTES(INTEGER, "largest inactive block after it"),
  AT_END_EXTERNAL_FRAGMENTATION_RATIO(
      REAL, "1 - largest inactive block / inactive bytes after it; none without any"),
  ALLOC_RETRIES(INTEGER, "requests that were tried again after the cache was released"),
  SYNC_ALL_STREAMS(INTEGER, "how often the allocator waited for all streams"),
  DRIVER_CALLS(INTEGER, "calls of the driver of all kinds"),
  DRIVER_ALLOCATE_CALLS(DriverCall.ALLOCATE),
  DRIVER_FREE_CALLS(DriverCall.FREE),
  DRIVER_ADDRESS_RESERVE_CALLS(DriverCall.ADDRESS_RESERVE),
  DRIVER_ADDRESS_FREE_CALLS(DriverCall.ADDRESS_FREE),
  DRIVER_CREATE_CALLS(DriverCall.CREATE),
  DRIVER_MAP_CALLS(DriverCall.MAP),
  DRIVER_SET_ACCESS_CALLS(DriverCall.SET_ACCESS),
  DRIVER_UNMAP_CALLS(DriverCall.UNMAP),
  DRIVER_RELEASE_CALLS(DriverCall.RELEASE),
  DRIVER_ALLOCATE_ASYNC_CALLS(DriverCall.ALLOCATE_ASYNC),
  DRIVER_FREE_ASYNC_CALLS(DriverCall.FREE_ASYNC),
  DRIVER_TRIM_POOL_CALLS(DriverCall.TRIM_POOL),
  DRIVER_NANOS(INTEGER, "modelled time of these calls; waiting for the GPU is not in it"),
  SIMULATED_NANOS(
      INTEGER, "modelled time of the whole program; none where the trace holds no work"),
  SECONDS(REAL, "wall time of the run; differs from run to run, all other columns do not");

  /** Name and version of this set of columns. It changes with their names, order or meaning. */
  public static final String SCHEMA = "allocsim-sweep-3";

  private static final List<SweepColumn> ALL = List.of(values());

  private final RowTable.Type type;
  private final String meaning;
  private final @Nullable DriverCall call;

  SweepColumn(RowTable.Type type, String meaning) {
    this.type = type;
    this.meaning = meaning;
    call = null;
  }

  SweepColumn(DriverCall call) {
    type = INTEGER;
    meaning = "calls of " + call.function();
    this.call = call;
  }

  /** All columns in their order. */
  public static List<SweepColumn> all() {
    return ALL;
  }

  /** The name in files. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What its values are. */
  public RowTable.Type type() {
    return type;
  }

  /** What its values say. */
  public String meaning() {
    return meaning;
  }

  /** Whether the same run always has the same value. */
  public boolean isReproducible() {
    return this != SECONDS;
  }

  /** The calls that it counts, where it counts one kind. */
  Optional<DriverCall> call() {
    return Optional.ofNullable(call);
  }

  /** The names of all columns in their order. */
  static String[] labels() {
    return Arrays.stream(values()).map(SweepColumn::label).toArray(String[]::new);
  }

  /** A value as CSV has it. */
  @Nullable Object parse(String cell) {
    if (cell.isEmpty() && type != TEXT) {
      return null;
    }
    return switch (type) {
      case TEXT, OPTIONAL_TEXT -> cell;
      case INTEGER -> Long.valueOf(cell);
      case REAL -> finite(Double.parseDouble(cell));
      case BOOLEAN ->
          switch (cell) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("'" + cell + "' is not true or false");
          };
    };
  }

  private static Double finite(double number) {
    if (!Double.isFinite(number)) {
      throw new IllegalArgumentException("it is not a finite number");
    }
    return number;
  }

  boolean takes(@Nullable Object value) {
    return switch (type) {
      case TEXT -> value instanceof String;
      case OPTIONAL_TEXT -> value == null || value instanceof String text && !text.isEmpty();
      case INTEGER -> value == null || value instanceof Long;
      case REAL -> value == null || value instanceof Double number && Double.isFinite(number);
      case BOOLEAN -> value == null || value instanceof Boolean;
    };
  }
}
