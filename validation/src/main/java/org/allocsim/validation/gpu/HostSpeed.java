package org.allocsim.validation.gpu;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;

/**
 * How long the driver's calls take on this host now, over what a profile says. The calls take the
 * time of the host's processor, whose clock changes within seconds (on hosts of H100 and H200 by a
 * factor of two), and hosts of the same GPU differ. Each kind of call has a figure of its own:
 * calls of blocks and of virtual memory wait for the kernel and the GPU, those of the pool for the
 * processor's caches.
 *
 * @param blocks measured over predicted time of {@code cuMemAlloc} and {@code cuMemFree}
 * @param handles the same of virtual memory
 * @param pool the same of the pool of stream-ordered memory
 */
public record HostSpeed(double blocks, double handles, double pool) {
  /** A host that is as fast as the profile says. */
  static final HostSpeed OF_PROFILE = new HostSpeed(1, 1, 1);

  private static final long SEED = 20_261_127;
  private static final long PAGE_BYTES = DeviceProfile.PAGE_BYTES;
  private static final int BLOCKS = 50;
  private static final int LARGEST_BLOCK_PAGES = 32;
  private static final int[] HANDLE_PAGES = {1, 10};
  private static final int MAPPINGS = 60;
  private static final int MOST_HANDLES = 4;

  /** Blocks in the pool, as programs have them. */
  private static final int STANDING = 500;

  private static final int POOL_CALLS = 3_000;
  private static final long LEAST_POOL_BYTES = 256;
  private static final long LARGEST_STANDING_BYTES = 64L << 10;
  private static final long LARGEST_POOL_BYTES = 16L << 20;

  /** Measured over predicted time of calls of a kind. */
  public double of(DriverCall call) {
    return switch (call) {
      case ALLOCATE, FREE -> blocks;
      case ALLOCATE_ASYNC, FREE_ASYNC, TRIM_POOL -> pool;
      default -> handles;
    };
  }

  /** The same of calls of the device port. */
  double of(PortCall call) {
    return isBlock(call) ? blocks : call.isStreamOrdered() ? pool : handles;
  }

  private static boolean isBlock(PortCall call) {
    return call == PortCall.ALLOCATE || call == PortCall.FREE;
  }

  /** The speed between two moments. */
  HostSpeed and(HostSpeed other) {
    return new HostSpeed(
        (blocks + other.blocks) / 2, (handles + other.handles) / 2, (pool + other.pool) / 2);
  }

  /**
   * What the times of the same calls on both devices say.
   *
   * @param calls how many of them agree
   */
  static HostSpeed of(List<LoggedCall> predicted, List<LoggedCall> measured, int calls) {
    return new HostSpeed(
        slowness(predicted, measured, calls, HostSpeed::isBlock),
        slowness(predicted, measured, calls, call -> !isBlock(call) && !call.isStreamOrdered()),
        slowness(predicted, measured, calls, PortCall::isStreamOrdered));
  }

  /**
   * Half of the predicted time belongs to calls that take longer over their prediction, half to
   * those that take less. A few calls during which the thread is interrupted do not matter so.
   */
  private static double slowness(
      List<LoggedCall> predicted, List<LoggedCall> measured, int calls, Predicate<PortCall> kind) {
    record Call(double slowness, long predictedNanos) {}

    List<Call> all = new ArrayList<>();
    long sum = 0;
    for (int call = 0; call < calls; call++) {
      long nanos = predicted.get(call).nanos();
      if (nanos > 0 && kind.test(predicted.get(call).kind())) {
        all.add(new Call((double) measured.get(call).nanos() / nanos, nanos));
        sum += nanos;
      }
    }
    all.sort(Comparator.comparingDouble(Call::slowness));
    long before = 0;
    for (Call call : all) {
      before += call.predictedNanos();
      if (2 * before >= sum) {
        return call.slowness() > 0 ? call.slowness() : 1;
      }
    }
    return 1;
  }

  /** Makes the calls that are timed, the same ones each time; everything is given back. */
  static DeviceRun.Outcome calls(RecordingDevice memory) {
    RandomGenerator random = new Well19937c(SEED);
    exchangeBlocks(memory, random);
    mapHandles(memory, random);
    memory.streamOrdered().ifPresent(pool -> usePool(pool, random));
    return new DeviceRun.Outcome(0, List.of());
  }

  private static void exchangeBlocks(DeviceMemory memory, RandomGenerator random) {
    long[] addresses = new long[BLOCKS];
    long[] sizes = new long[BLOCKS];
    for (int block = 0; block < BLOCKS; block++) {
      sizes[block] = logUniform(1, LARGEST_BLOCK_PAGES, random) * PAGE_BYTES;
      addresses[block] = memory.allocate(sizes[block]);
    }
    for (int left = BLOCKS; left > 0; left--) {
      int block = random.nextInt(left);
      if (addresses[block] != DeviceMemory.REFUSED) {
        memory.free(addresses[block], sizes[block]);
      }
      addresses[block] = addresses[left - 1];
      sizes[block] = sizes[left - 1];
    }
  }

  private static void mapHandles(DeviceMemory memory, RandomGenerator random) {
    for (int pages : HANDLE_PAGES) {
      long handleBytes = pages * PAGE_BYTES;
      long rangeBytes = MOST_HANDLES * handleBytes;
      long range = memory.reserve(rangeBytes, PAGE_BYTES, 0);
      if (range == DeviceMemory.REFUSED) {
        return;
      }
      for (int mapping = 0; mapping < MAPPINGS; mapping++) {
        long bytes = random.nextBoolean() ? handleBytes : rangeBytes;
        if (memory.map(range, bytes, handleBytes)) {
          memory.unmap(range, bytes, handleBytes);
        }
      }
      memory.unreserve(range, rangeBytes);
    }
  }

  private static void usePool(StreamOrderedMemory pool, RandomGenerator random) {
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    long[] addresses = new long[STANDING + POOL_CALLS];
    long[] sizes = new long[STANDING + POOL_CALLS];
    int count = 0;
    for (int call = 0; call < STANDING + POOL_CALLS; call++) {
      if (call < STANDING || count < STANDING || random.nextBoolean()) {
        long largest = call < STANDING ? LARGEST_STANDING_BYTES : LARGEST_POOL_BYTES;
        sizes[count] = logUniform(LEAST_POOL_BYTES, largest, random);
        addresses[count] = pool.allocateAsync(sizes[count], 0);
        count += addresses[count] == DeviceMemory.REFUSED ? 0 : 1;
      } else {
        int block = random.nextInt(count);
        pool.freeAsync(addresses[block], sizes[block], 0);
        count--;
        addresses[block] = addresses[count];
        sizes[block] = sizes[count];
      }
    }
    while (count > 0) {
      count--;
      pool.freeAsync(addresses[count], sizes[count], 0);
    }
    pool.synchronizeDevice();
    pool.trimPool(0);
  }

  private static long logUniform(long least, long most, RandomGenerator random) {
    double low = Math.log(least);
    double high = Math.log(most);
    return Math.clamp(Math.round(Math.exp(low + random.nextDouble() * (high - low))), least, most);
  }
}
