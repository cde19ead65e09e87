package org.allocsim.analysis.suite;

import java.util.List;
import java.util.Objects;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.timing.TimeResult;
import org.jspecify.annotations.Nullable;

/**
 * What a variant came to.
 *
 * @param variant what was run
 * @param result figures of the whole run
 * @param moments memory at every marker, in order
 * @param atFirstFailure memory when the first request failed; null where none did
 * @param end memory after the last request that was sent
 * @param meanReservedBytes mean of reserved memory over the requests
 */
public record Outcome(
    Variant variant,
    RunResult result,
    List<Moment> moments,
    @Nullable Moment atFirstFailure,
    Moment end,
    double meanReservedBytes) {

  /** Keeps its own copies. */
  public Outcome {
    moments = List.copyOf(moments);
  }

  /** Whether every request was served. */
  public boolean passes() {
    return result.passes();
  }

  /**
   * Memory at a marker, the last one of that name.
   *
   * @throws IllegalArgumentException where the run did not come to it
   */
  public Moment at(String marker) {
    for (int i = moments.size() - 1; i >= 0; i--) {
      if (moments.get(i).name().equals(marker)) {
        return moments.get(i);
      }
    }
    throw new IllegalArgumentException(variant.label() + " did not reach '" + marker + "'");
  }

  /** Whether the run came to a marker. */
  public boolean reached(String marker) {
    return moments.stream().anyMatch(moment -> moment.name().equals(marker));
  }

  /** Maximum memory that was held from the device. */
  public long peakReservedBytes() {
    return result.peakReservedBytes();
  }

  /** Maximum memory that the program held, in blocks. */
  public long peakAllocatedBytes() {
    return result.peakAllocatedBytes();
  }

  /** Maximum memory that the program held, as it asked for it. */
  public long peakRequestedBytes() {
    return result.peakRequestedBytes();
  }

  /** Memory when the first request failed; one did. */
  public Moment atFailure() {
    return Objects.requireNonNull(atFirstFailure, "a failed request");
  }

  /** One of PyTorch's statistics at the end. */
  public long stat(String key) {
    return result.stat(key);
  }

  /**
   * What the run took in simulated time.
   *
   * @throws IllegalStateException where the program has no work to do
   */
  public TimeResult time() {
    if (result.time() == null) {
      throw new IllegalStateException(variant.label() + " was not run with timing");
    }
    return result.time();
  }

  /** Simulated time of the whole run in seconds. */
  public double seconds() {
    return time().endNanos() / 1e9;
  }

  /** Number of calls of one kind. */
  public long calls(DriverCall call) {
    return result.driverCallsByKind().getOrDefault(call, 0L);
  }

  /** Number of calls that take memory from the device or return it. */
  public long memoryCalls() {
    return calls(DriverCall.ALLOCATE)
        + calls(DriverCall.FREE)
        + calls(DriverCall.MAP)
        + calls(DriverCall.UNMAP);
  }

  /**
   * The first request that failed.
   *
   * @throws IllegalStateException where none did
   */
  public FailedRequest firstFailure() {
    if (result.failures().isEmpty()) {
      throw new IllegalStateException(variant.label() + ": no request failed");
    }
    return result.failures().getFirst();
  }
}
