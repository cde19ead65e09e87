package org.allocsim.simulator.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.trace.AllocationTrace;

/** Sends random requests to a policy and to a naive model of it, which must agree in every step. */
public final class NaiveComparison {
  private final SplittableRandom random;
  private final UpwardDevice device;
  private final UpwardDevice modelDevice;
  private final AllocatorPolicy policy;
  private final AllocatorPolicy model;
  private final int streams;
  private final long maxBytes;

  /**
   * A comparison on two devices of the same capacity.
   *
   * @param maxBytes size of the largest requests
   */
  public NaiveComparison(
      int seed,
      int streams,
      long capacityBytes,
      long maxBytes,
      Function<DeviceMemory, AllocatorPolicy> policy,
      Function<DeviceMemory, AllocatorPolicy> model) {
    random = new SplittableRandom(seed);
    device = new UpwardDevice(1 << 20, capacityBytes);
    modelDevice = new UpwardDevice(1 << 20, capacityBytes);
    this.policy = policy.apply(device);
    this.model = model.apply(modelDevice);
    this.streams = streams;
    this.maxBytes = maxBytes;
  }

  /** Runs the comparison; answers how many requests failed. */
  public int run(int steps) {
    List<Integer> live = new ArrayList<>();
    int allocations = 0;
    int failures = 0;
    for (int step = 0; step < steps; step++) {
      int action = random.nextInt(1000);
      if (action < 5) {
        policy.emptyCache();
        model.emptyCache();
      } else if (action < 25) {
        policy.synchronize();
        model.synchronize();
      } else if (action < 60) {
        int stream = random.nextInt(streams);
        policy.synchronizeStream(stream);
        model.synchronizeStream(stream);
      } else if (action < 200 && !live.isEmpty()) {
        use(live.get(random.nextInt(live.size())), step);
      } else if (action < 560 - live.size() && !live.isEmpty() || live.size() > 200) {
        int index = random.nextInt(live.size());
        int id = live.set(index, live.getLast());
        live.removeLast();
        policy.free(id);
        model.free(id);
        if (random.nextInt(4) == 0) {
          policy.useComplete(id, AllocationTrace.ANY_STREAM);
          model.useComplete(id, AllocationTrace.ANY_STREAM);
        }
      } else {
        long bytes = bytes();
        int stream = random.nextInt(streams);
        long expected = model.allocate(allocations, bytes, stream, 0);
        assertEquals(
            expected, policy.allocate(allocations, bytes, stream, 0), "request of step " + step);
        failures += expected == AllocatorPolicy.OUT_OF_MEMORY ? 1 : 0;
        live.add(allocations++);
      }
      assertEquals(modelDevice.newCalls(), device.newCalls(), "calls of step " + step);
    }
    return failures;
  }

  private void use(int id, int step) {
    int stream = random.nextInt(streams);
    if (random.nextInt(3) == 0) {
      policy.useComplete(id, stream);
      model.useComplete(id, stream);
    } else {
      policy.useStream(id, stream, step);
      model.useStream(id, stream, step);
    }
  }

  private long bytes() {
    return switch (random.nextInt(4)) {
      case 0 -> 1 + random.nextLong(2048);
      case 1 -> 512L << random.nextInt(6);
      default -> 1 + (long) (maxBytes * Math.pow(random.nextDouble(), 6));
    };
  }
}
