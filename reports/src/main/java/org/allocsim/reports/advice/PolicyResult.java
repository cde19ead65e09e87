package org.allocsim.reports.advice;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.timing.TimeResult;

/**
 * What came of one policy on one trace.
 *
 * @param choice the policy and its options
 * @param notRunBecause why it was not run, "needs …" or what is wrong with an option; null where it
 *     was run, and all else is meaningful only then
 * @param stats PyTorch's statistics when it ended, under PyTorch's names
 * @param atPeak memory when the reserved bytes first reached their peak
 * @param parts what the reserved bytes were made of then; null where nobody looked
 * @param peakDeviceBytes most memory that was taken from the device, in whole pages
 * @param events requests that were sent, of all kinds
 * @param requests allocation requests among them
 * @param failures the first requests that failed
 * @param failureCount number of requests that failed
 * @param driverCalls number of calls of the driver
 * @param driverNanos least time that these calls take
 * @param driverNanosByCall the same by kind of call, those that take time
 * @param seconds wall time of the replay
 * @param time what the run took in simulated time; null where it was not run in time
 */
public record PolicyResult(
    PolicyChoice choice,
    String notRunBecause,
    SortedMap<String, Long> stats,
    Moment atPeak,
    ReservedParts parts,
    long peakDeviceBytes,
    long events,
    long requests,
    List<RequestFailure> failures,
    long failureCount,
    long driverCalls,
    long driverNanos,
    Map<DriverCall, Long> driverNanosByCall,
    double seconds,
    TimeResult time) {

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
  public PolicyResult {
    stats = Collections.unmodifiableSortedMap(new TreeMap<>(stats));
    failures = List.copyOf(failures);
    Map<DriverCall, Long> byCall = new EnumMap<>(DriverCall.class);
    byCall.putAll(driverNanosByCall);
    driverNanosByCall = Collections.unmodifiableMap(byCall);
  }

  /** The same, with what reserved memory was made of at its peak. */
  public PolicyResult with(ReservedParts partsAtPeak) {
    return new PolicyResult(
        choice,
        notRunBecause,
        stats,
        atPeak,
        partsAtPeak,
        peakDeviceBytes,
        events,
        requests,
        failures,
        failureCount,
        driverCalls,
        driverNanos,
        driverNanosByCall,
        seconds,
        time);
  }

  /** A policy that was not run. */
  static PolicyResult notRun(PolicyChoice choice, String reason) {
    return new PolicyResult(
        choice,
        reason,
        new TreeMap<>(),
        new Moment(0, 0, 0, 0),
        null,
        0,
        0,
        0,
        List.of(),
        0,
        0,
        0,
        Map.of(),
        Double.NaN,
        null);
  }

  /** Whether the policy was run. */
  public boolean isRun() {
    return notRunBecause == null;
  }

  /** Whether it was run and served every request. */
  public boolean passes() {
    return isRun() && failureCount == 0;
  }

  /** Most memory that was held from the device. */
  public long peakReservedBytes() {
    return stats.getOrDefault("reserved_bytes.all.peak", 0L);
  }

  /** Most memory that blocks in use took. */
  public long peakAllocatedBytes() {
    return stats.getOrDefault("allocated_bytes.all.peak", 0L);
  }

  /** Most memory that the program had asked for at once. */
  public long peakRequestedBytes() {
    return stats.getOrDefault("requested_bytes.all.peak", 0L);
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
}
