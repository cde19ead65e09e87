package org.allocsim.simulator.run;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.timing.TimeResult;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run.
 *
 * @param setup what was run
 * @param notRunBecause why it was not run, "needs …" or what is wrong with an option; null where it
 *     was run, and all else is meaningful only then
 * @param stats PyTorch's 122 statistics when it ended, under PyTorch's names
 * @param atPeak memory at the peak: among the moments with the most reserved bytes, the first with
 *     the most allocated bytes
 * @param peakRow row after which that was, −1 before the first
 * @param lastRow row that was sent last, −1 where none was
 * @param peakDeviceBytes peak memory taken from the device between two requests, in whole pages; 0
 *     if the device was a recording
 * @param events rows that were sent
 * @param requests allocation requests after the prologue among them
 * @param failures the first requests that failed
 * @param failureCount number of requests that failed
 * @param driverCallsByKind calls of the driver
 * @param driverNanosByKind time that they take at least, without waiting for the device; those that
 *     take time; empty where times are not modelled
 * @param seconds wall time of the run
 * @param time what the run took in simulated time; null where it was not run in time
 * @param divergedRow recorded effect from which on the policy did something else than in the
 *     recording; −1 where it did the same or no recording was followed
 */
public record RunResult(
    RunSetup setup,
    @Nullable String notRunBecause,
    SortedMap<String, Long> stats,
    Moment atPeak,
    int peakRow,
    int lastRow,
    long peakDeviceBytes,
    long events,
    long requests,
    List<FailedRequest> failures,
    long failureCount,
    Map<DriverCall, Long> driverCallsByKind,
    Map<DriverCall, Long> driverNanosByKind,
    double seconds,
    @Nullable TimeResult time,
    long divergedRow) {

  /** Bytes at one moment. */
  public record Moment(
      long requestedBytes, long allocatedBytes, long activeBytes, long reservedBytes) {
    /** Lost to rounding inside blocks in use. */
    public long internalBytes() {
      return activeBytes - requestedBytes;
    }

    /** Held and not in use. */
    public long externalBytes() {
      return reservedBytes - activeBytes;
    }
  }

  /** Keeps its own copies. */
  public RunResult {
    stats = Collections.unmodifiableSortedMap(new TreeMap<>(stats));
    failures = List.copyOf(failures);
    driverCallsByKind = copy(driverCallsByKind);
    driverNanosByKind = copy(driverNanosByKind);
  }

  private static Map<DriverCall, Long> copy(Map<DriverCall, Long> map) {
    Map<DriverCall, Long> copy = new EnumMap<>(DriverCall.class);
    copy.putAll(map);
    return Collections.unmodifiableMap(copy);
  }

  /** A policy that was not run. */
  static RunResult notRun(RunSetup setup, String reason) {
    return new RunResult(
        setup,
        reason,
        new TreeMap<>(),
        new Moment(0, 0, 0, 0),
        -1,
        -1,
        0,
        0,
        0,
        List.of(),
        0,
        Map.of(),
        Map.of(),
        Double.NaN,
        null,
        -1);
  }

  /** The installed policy that was run, with its options. */
  public PolicyChoice choice() {
    if (setup.policy() instanceof ChosenPolicy(PolicyChoice choice)) {
      return choice;
    }
    throw new IllegalStateException("the policy is not one of those installed");
  }

  /**
   * The driver's calls and their times of this run, with all else of another.
   *
   * @param recorded a run of the same policy that followed a recording, in which calls have no time
   */
  public RunResult answeredAs(RunResult recorded) {
    return new RunResult(
        setup,
        null,
        recorded.stats,
        recorded.atPeak,
        recorded.peakRow,
        recorded.lastRow,
        peakDeviceBytes,
        recorded.events,
        recorded.requests,
        recorded.failures,
        recorded.failureCount,
        driverCallsByKind,
        driverNanosByKind,
        seconds,
        time,
        recorded.divergedRow);
  }

  /** Whether the policy was run. */
  public boolean isRun() {
    return notRunBecause == null;
  }

  /** Whether it was run and served every request. */
  public boolean passes() {
    return isRun() && failureCount == 0;
  }

  /** Whether the run ended at a failed request. */
  public boolean isStopped() {
    return setup.course().afterOom() == AfterOom.STOP && failureCount > 0;
  }

  /** The first request that failed. */
  public Optional<FailedRequest> firstFailure() {
    return failures.stream().findFirst();
  }

  /** Highest memory that was held from the device. */
  public long peakReservedBytes() {
    return stats.getOrDefault("reserved_bytes.all.peak", 0L);
  }

  /** Highest memory that blocks in use took. */
  public long peakAllocatedBytes() {
    return stats.getOrDefault("allocated_bytes.all.peak", 0L);
  }

  /** Highest memory that the program had asked for at once. */
  public long peakRequestedBytes() {
    return stats.getOrDefault("requested_bytes.all.peak", 0L);
  }

  /** Reserved and not allocated when reserved memory first reached its peak. */
  public long slackAtPeakBytes() {
    return peakReservedBytes() - atPeak.allocatedBytes();
  }

  /**
   * Peak of allocated over peak of reserved bytes, the ratio of GMLake and STAlloc; not a number
   * where nothing was reserved.
   */
  public double utilisation() {
    return peakReservedBytes() == 0
        ? Double.NaN
        : (double) peakAllocatedBytes() / peakReservedBytes();
  }

  /** Requests of all kinds served a second. */
  public double eventsPerSecond() {
    return events / seconds;
  }

  /** Calls of the driver by function; stream-ordered ones only where there are any. */
  public SortedMap<String, Long> driverCallsByFunction() {
    SortedMap<String, Long> functions = new TreeMap<>();
    driverCallsByKind.forEach((call, count) -> {
      if (count > 0 || !call.isStreamOrdered()) {
        functions.put(call.function(), count);
      }
    });
    return functions;
  }

  /** Calls of the driver of all kinds. */
  public long driverCalls() {
    return sum(driverCallsByKind);
  }

  /** Whether the time of driver calls is known. */
  public boolean hasDriverTime() {
    return setup.memory() instanceof MemorySource.Simulated
        || setup.memory() instanceof MemorySource.Shared;
  }

  /** Time that all driver calls take at least, −1 where it is not known. */
  public long driverNanos() {
    return hasDriverTime() ? sum(driverNanosByKind) : -1;
  }

  private static long sum(Map<DriverCall, Long> map) {
    return map.values().stream().mapToLong(Long::longValue).sum();
  }

  /** A statistic by PyTorch's key for it. */
  public long stat(String key) {
    return Objects.requireNonNull(stats.get(key), key);
  }

  /**
   * How often the host had to wait for the device: releases of the whole cache, and every segment
   * or run of pages that was returned ({@code cudaFree} waits for the device; before pages are
   * unmapped PyTorch waits for their stream, 2.11).
   */
  public long forcedSynchronizations() {
    return stat("num_sync_all_streams") + stat("num_device_free");
  }

  /** Whether the allocator did the same in another run, as far as its statistics tell. */
  public boolean isSameAs(RunResult other) {
    SortedMap<String, Long> mine = new TreeMap<>(stats);
    SortedMap<String, Long> others = new TreeMap<>(other.stats);
    // These only say where the split limit lies, not what was done.
    for (SortedMap<String, Long> each : List.of(mine, others)) {
      each.keySet().removeIf(key -> key.equals("max_split_size") || key.startsWith("oversize_"));
    }
    return mine.equals(others)
        && driverCallsByKind.equals(other.driverCallsByKind)
        && driverNanosByKind.equals(other.driverNanosByKind)
        && firstFailure()
            .map(FailedRequest::row)
            .equals(other.firstFailure().map(FailedRequest::row));
  }
}
