package org.allocsim.validation.gpu;

import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.apache.commons.math3.random.RandomGenerator;
import org.apache.commons.math3.random.Well19937c;

/** Calls of the driver of each kind, the same ones each time, that show how fast a host is. */
public final class TimedCalls {
  private static final long SEED = 20_261_127;
  private static final long PAGE_BYTES = DeviceProfile.PAGE_BYTES;
  private static final int BLOCKS = 50;
  private static final int LARGEST_BLOCK_PAGES = 32;
  private static final int[] HANDLE_PAGES = {1, 10};
  private static final int MAPPINGS = 60;
  private static final int MAX_HANDLES = 4;

  /** Blocks in the pool, as programs have them. */
  private static final int STANDING = 500;

  private static final int POOL_CALLS = 3_000;
  private static final long MIN_POOL_BYTES = 256;
  private static final long LARGEST_STANDING_BYTES = 64L << 10;
  private static final long LARGEST_POOL_BYTES = 16L << 20;

  private TimedCalls() {}

  /** Makes them; everything is given back. */
  static DeviceRun.Outcome on(RecordingDevice memory) {
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
      long rangeBytes = MAX_HANDLES * handleBytes;
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
        sizes[count] = logUniform(MIN_POOL_BYTES, largest, random);
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

  /** A whole number between two others, spread evenly over its magnitudes. */
  public static long logUniform(long least, long most, RandomGenerator random) {
    double low = Math.log(least);
    double high = Math.log(most);
    return Math.clamp(Math.round(Math.exp(low + random.nextDouble() * (high - low))), least, most);
  }
}
