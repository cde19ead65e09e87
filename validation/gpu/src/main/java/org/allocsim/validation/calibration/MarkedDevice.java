package org.allocsim.validation.calibration;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.cost.AsyncCosts;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.cost.HandleCosts;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/**
 * A simulated device whose costs are marks: the time that it gives to a call shows the call's class
 * and the terms of the cost model that apply to it.
 */
final class MarkedDevice {
  private static final int CLASS_SHIFT = 40;
  private static final int TERM_BITS = 13;
  private static final long TERM_MASK = (1L << TERM_BITS) - 1;
  private static final long POOL_MARK = 1L << 50;

  private static final DriverCosts MARKS =
      new DriverCosts(
          mark(1),
          mark(2),
          1,
          mark(3),
          1, //
          mark(1),
          mark(2),
          1,
          mark(3),
          1, //
          0,
          HandleCosts.NONE,
          new AsyncCosts(
              POOL_MARK, mark(1), mark(2), mark(3), mark(4), 1, //
              mark(5), 1, term(1), term(2), //
              mark(6), 1, term(1), mark(7), 1, term(1), //
              mark(1), mark(1), 1));

  private static final CallClass[] ALLOCATIONS = {
    CallClass.ALLOCATE_SHARED, CallClass.ALLOCATE, CallClass.ALLOCATE_RESERVING
  };
  private static final CallClass[] FREES = {
    CallClass.FREE_SHARED, CallClass.FREE, CallClass.FREE_RESERVATION
  };
  private static final CallClass[] POOL_ALLOCATIONS = {
    CallClass.ASYNC_OWN,
    CallClass.ASYNC_SHARED,
    CallClass.ASYNC_OTHER,
    CallClass.ASYNC_MERGED,
    CallClass.ASYNC_MAPPING,
    CallClass.ASYNC_REFUSED,
    CallClass.ASYNC_REFUSED_RELEASING
  };

  private final SimulatedDevice device;
  private final long[] seen = new long[DriverCall.values().length];

  MarkedDevice(DeviceProfile profile) {
    device = new SimulatedDevice(profile.withCosts(MARKS));
  }

  private static long mark(int number) {
    return (long) number << CLASS_SHIFT;
  }

  private static long term(int number) {
    return 1L << number * TERM_BITS;
  }

  SimulatedDevice device() {
    return device;
  }

  /** Leaves the calls of a kind so far unrecorded. */
  void forget(DriverCall call) {
    seen[call.ordinal()] = device.driverNanos(call);
  }

  /** Records the last call of a kind with its measured time. */
  void record(DriverCall call, double nanos, ObservationSet into) {
    long total = device.driverNanos(call);
    long marks = total - seen[call.ordinal()];
    seen[call.ordinal()] = total;
    if (marks >= POOL_MARK) {
      // A pool is made once, so that the rest of the call does not matter.
      into.of(CallClass.CREATE_POOL).add(nanos);
      return;
    }
    int number = (int) (marks >>> CLASS_SHIFT) - 1;
    CallClass found =
        switch (call) {
          case ALLOCATE -> ALLOCATIONS[number];
          case FREE -> FREES[number];
          case ALLOCATE_ASYNC -> POOL_ALLOCATIONS[number];
          case FREE_ASYNC -> CallClass.ASYNC_FREE;
          case TRIM_POOL -> CallClass.TRIM;
          default -> throw new IllegalArgumentException(call + " has no marks");
        };
    long rest = marks & (1L << CLASS_SHIFT) - 1;
    if (found.parameters().size() == 2) {
      into.of(found).add(nanos, rest);
    } else {
      into.of(found)
          .add(
              nanos,
              rest & TERM_MASK,
              rest >>> TERM_BITS & TERM_MASK,
              rest >>> 2 * TERM_BITS & TERM_MASK);
    }
  }
}
