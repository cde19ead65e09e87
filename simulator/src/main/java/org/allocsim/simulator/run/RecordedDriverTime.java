package org.allocsim.simulator.run;

import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.AllocationTrace;

/**
 * How much of a recording's time its allocator spent in driver calls: what is left is the program's
 * own, which it keeps under any other allocator. The recorded calls are made once more on a
 * simulated device; no allocator is run.
 */
public final class RecordedDriverTime {
  /** No recorded device is larger. */
  private static final long AMPLE_BYTES = 1L << 44;

  /** Handles of the small pool of expandable segments (PyTorch 2.11). */
  private static final long SMALL_HANDLE_BYTES = 2L << 20;

  /** Handles of the large pool of expandable segments, unless set otherwise (PyTorch 2.11). */
  private static final long LARGE_HANDLE_BYTES = 20L << 20;

  private final AllocationTrace trace;
  private final EffectLog effects;
  private final SimulatedDevice device;
  private final DriverCosts costs;
  private final Map<Long, Segment> segments = new HashMap<>();
  private long mappingNanos;
  private int next;

  /** Memory of the simulated device; a damaged recording may free another size than it obtained. */
  private record Segment(long address, long bytes) {}

  private RecordedDriverTime(AllocationTrace trace, EffectLog effects, DeviceProfile profile) {
    this.trace = trace;
    this.effects = effects;
    costs = profile.costs();
    // No recorded call is refused, whatever the size of the device.
    device = new SimulatedDevice(DeviceProfiles.ofCapacity(AMPLE_BYTES).withCosts(costs));
  }

  /**
   * The time by row of the trace, in nanoseconds; waiting for the device is not in it.
   *
   * @param deviceIndex index of the device in the trace
   * @param effects what the recorded allocator of the device did
   * @param profile the device that the recording is taken to be from
   */
  public static long[] byRow(
      AllocationTrace trace, int deviceIndex, EffectLog effects, DeviceProfile profile) {
    RecordedDriverTime recorded = new RecordedDriverTime(trace, effects, profile);
    long[] nanos = new long[trace.eventCount()];
    for (int row = trace.prologueCount(); row < nanos.length; row++) {
      if (trace.device(row) == deviceIndex) {
        long before = recorded.nanos();
        recorded.follow(row);
        nanos[row] = recorded.nanos() - before;
      }
    }
    return nanos;
  }

  private long nanos() {
    return device.driverNanos() + mappingNanos;
  }

  /** Makes the calls of a row: those before the effect with which the row ends. */
  private void follow(int row) {
    switch (trace.kind(row)) {
      case ALLOCATE, RESTORE_BLOCK -> {
        if (trace.bytes(row) > 0) {
          followToAnswer();
        }
      }
      case EMPTY_CACHE, EMPTY_POOL -> followReleases();
      default -> {}
    }
  }

  private void followToAnswer() {
    while (next < effects.count()) {
      EffectKind kind = effects.kind(next);
      call(next++);
      if (kind == EffectKind.ALLOC || kind == EffectKind.OOM) {
        return;
      }
    }
  }

  /** Follows a run of releases, with the frees before it. */
  private void followReleases() {
    boolean released = false;
    while (next < effects.count()) {
      switch (effects.kind(next)) {
        case SEGMENT_FREE, SEGMENT_UNMAP -> released = true;
        case FREE_REQUESTED, FREE_COMPLETED, SNAPSHOT -> {
          if (released) {
            return;
          }
        }
        default -> {
          return;
        }
      }
      call(next++);
    }
  }

  private void call(int effect) {
    long address = effects.address(effect);
    long bytes = effects.bytes(effect);
    switch (effects.kind(effect)) {
      case SEGMENT_ALLOC -> {
        long given = device.allocate(bytes);
        if (given != DeviceMemory.REFUSED) {
          segments.put(address, new Segment(given, bytes));
        }
      }
      case SEGMENT_FREE -> {
        Segment segment = segments.remove(address);
        if (segment != null) {
          device.free(segment.address, segment.bytes);
        }
      }
      case SEGMENT_MAP -> mappingNanos += costs.mappingNanos(bytes, handleBytes(bytes));
      case SEGMENT_UNMAP -> mappingNanos += costs.unmappingNanos(bytes, handleBytes(bytes));
      default -> {}
    }
  }

  private static long handleBytes(long bytes) {
    return bytes % LARGE_HANDLE_BYTES == 0 ? LARGE_HANDLE_BYTES : SMALL_HANDLE_BYTES;
  }
}
