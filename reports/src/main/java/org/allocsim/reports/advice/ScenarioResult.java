package org.allocsim.reports.advice;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.allocsim.simulator.device.DriverCall;

/**
 * What a replay under a {@link Scenario} came to.
 *
 * @param scenario the circumstances
 * @param stats PyTorch's 122 statistics when it ended
 * @param allocatedAtPeakBytes allocated bytes when reserved memory first reached its peak
 * @param requests allocation requests behind the prologue that were sent
 * @param firstOom the first request that failed
 * @param ooms number of requests that failed
 * @param driverCalls calls of the driver by kind
 * @param driverNanos least time that these calls take; the waiting for the device is not in it
 * @param stepNanos the part of it in every whole step that was replayed; empty without steps
 */
public record ScenarioResult(
    Scenario scenario,
    SortedMap<String, Long> stats,
    long allocatedAtPeakBytes,
    long requests,
    Optional<RequestFailure> firstOom,
    long ooms,
    Map<DriverCall, Long> driverCalls,
    long driverNanos,
    List<Long> stepNanos) {

  /** Keeps its own copies. */
  public ScenarioResult {
    stats = Collections.unmodifiableSortedMap(new TreeMap<>(stats));
    stepNanos = List.copyOf(stepNanos);
    driverCalls = Collections.unmodifiableMap(new EnumMap<>(driverCalls));
  }

  /** Whether every request was served. */
  public boolean passes() {
    return ooms == 0;
  }

  /** Most memory that was held from the device. */
  public long peakReservedBytes() {
    return stats.get("reserved_bytes.all.peak");
  }

  /** Most memory that the program held. */
  public long peakAllocatedBytes() {
    return stats.get("allocated_bytes.all.peak");
  }

  /** Reserved and not allocated when reserved memory first reached its peak. */
  public long slackAtPeakBytes() {
    return peakReservedBytes() - allocatedAtPeakBytes;
  }

  /** Calls of the driver of all kinds. */
  public long driverCallCount() {
    return driverCalls.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * How often the host had to wait for the device: releases of the whole cache, and every segment
   * or run of pages that was returned ({@code cudaFree} waits for the device; before pages are
   * unmapped PyTorch waits for their stream, 2.11).
   */
  public long forcedSynchronizations() {
    return stats.get("num_sync_all_streams") + stats.get("num_device_free");
  }

  /** Mean of the driver's time in a step, −1 without steps. */
  public long nanosPerStep() {
    return stepNanos.isEmpty()
        ? -1
        : stepNanos.stream().mapToLong(Long::longValue).sum() / stepNanos.size();
  }

  /** Whether the allocator did the same under other settings, as far as its statistics tell. */
  public boolean isSameAs(ScenarioResult other) {
    SortedMap<String, Long> mine = new TreeMap<>(stats);
    SortedMap<String, Long> others = new TreeMap<>(other.stats);
    // These only say where the split limit lies, not what was done.
    for (SortedMap<String, Long> each : List.of(mine, others)) {
      each.keySet().removeIf(key -> key.equals("max_split_size") || key.startsWith("oversize_"));
    }
    return mine.equals(others)
        && driverCalls.equals(other.driverCalls)
        && driverNanos == other.driverNanos
        && firstOom.map(RequestFailure::event).equals(other.firstOom.map(RequestFailure::event));
  }
}
