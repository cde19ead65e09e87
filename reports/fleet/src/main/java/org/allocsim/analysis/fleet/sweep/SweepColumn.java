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
  FILE(TEXT, "name of the trace file, as given or found"),
  JOB(
      OPTIONAL_TEXT,
      "folder of the job that the file belongs to; empty unless the job has files of other ranks"),
  RANK(
      INTEGER,
      "rank within the job, taken from the file name; within its host if the name" + " gives one"),
  HOST(OPTIONAL_TEXT, "host, taken from the file name"),
  SHA256(
      OPTIONAL_TEXT,
      "digest of the stored file, or of the program's name; empty if the file could not be read"),
  FILE_BYTES(INTEGER, "size of the file as stored"),
  FORMAT(OPTIONAL_TEXT, "file format; see 'allocsim list formats'"),
  DEVICE_INDEX(INTEGER, "device of the trace whose requests were replayed"),
  RECORDED_OOMS(
      INTEGER,
      "requests that failed in the recording; empty if the format does not record" + " failures"),
  DEMAND_BYTES(
      INTEGER,
      "peak of requested memory, whether or not it is served; no smaller GPU can run the program"),
  OUTCOME(
      TEXT,
      "passed: every request was served; oom: a request failed; not_run: the allocator cannot serve"
          + " the trace; unreadable: the file is not a trace"),
  ERROR(OPTIONAL_TEXT, "why the run was skipped, or why the file could not be read"),
  POLICY(OPTIONAL_TEXT, "allocator; see 'allocsim list policies'"),
  CONF(
      TEXT,
      "PYTORCH_CUDA_ALLOC_CONF of policy pytorch; empty for its defaults and for all"
          + " other policies"),
  OPTIONS(TEXT, "other options of the policy, name=value, separated by semicolons"),
  TORCH_VERSION(OPTIONAL_TEXT, "PyTorch release that policy pytorch modelled"),
  IS_RECORDED_CONF(
      BOOLEAN,
      "whether conf is the setting of the recording, or PyTorch's default if the format records"
          + " no settings; empty for other policies"),
  DEVICE(OPTIONAL_TEXT, "simulated GPU profile, or 'capacity' for a given size"),
  CAPACITY_BYTES(INTEGER, "free memory of the GPU before the first allocation"),
  LIMIT_BYTES(INTEGER, "the allocator's memory limit; empty if only the GPU limits it"),
  OOM(BOOLEAN, "whether a request failed"),
  OOMS(INTEGER, "number of requests that failed"),
  FIRST_OOM_REQUEST_INDEX(INTEGER, "index of the first failed allocation request, counted from 0"),
  FIRST_OOM_REQUESTED_BYTES(INTEGER, "size of that request"),
  REQUESTS(INTEGER, "allocation requests replayed"),
  EVENTS(INTEGER, "requests of all kinds replayed"),
  PEAK_REQUESTED_BYTES(INTEGER, "peak of requested memory"),
  PEAK_ALLOCATED_BYTES(INTEGER, "peak of allocated memory: requested memory after rounding"),
  PEAK_ACTIVE_BYTES(
      INTEGER, "peak of active memory: allocated memory plus blocks waiting to be" + " freed"),
  PEAK_RESERVED_BYTES(INTEGER, "peak of memory reserved from the GPU"),
  PEAK_DEVICE_BYTES(INTEGER, "the same, in whole GPU pages"),
  UTILISATION_RATIO(REAL, "peak allocated bytes divided by peak reserved bytes"),
  AT_PEAK_INTERNAL_BYTES(
      INTEGER, "lost to rounding inside active blocks when reserved memory first peaked"),
  AT_PEAK_INACTIVE_BYTES(INTEGER, "reserved but inactive at that moment"),
  AT_END_RESERVED_BYTES(INTEGER, "reserved memory after the last request"),
  AT_END_INACTIVE_BYTES(INTEGER, "reserved but inactive after the last request"),
  AT_END_LARGEST_INACTIVE_BLOCK_BYTES(INTEGER, "largest inactive block after the last request"),
  AT_END_EXTERNAL_FRAGMENTATION_RATIO(
      REAL,
      "1 - largest inactive block / inactive bytes, after the last request; empty without"
          + " inactive bytes"),
  ALLOC_RETRIES(INTEGER, "requests retried after the cache was released"),
  SYNC_ALL_STREAMS(INTEGER, "times the allocator waited for all streams"),
  DRIVER_CALLS(INTEGER, "driver calls of all kinds"),
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
  DRIVER_NANOS(INTEGER, "modelled time of these calls, excluding waits for the GPU"),
  SIMULATED_NANOS(
      INTEGER, "modelled time of the whole program; empty if the trace records no GPU work"),
  SECONDS(REAL, "wall-clock time of the simulation; the only column that differs from run to run");

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
