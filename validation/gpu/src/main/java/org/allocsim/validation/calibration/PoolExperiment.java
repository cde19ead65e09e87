package org.allocsim.validation.calibration;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;

/** Random stream-ordered calls on one or three streams, with waits and trims between. */
final class PoolExperiment {
  static final int STREAMS = 3;
  private static final long LARGEST_BYTES = 256L << 20;
  private static final long MIN_BYTES = 256;

  /** A block may begin and end in chunks that it shares. */
  private static final long MARGIN_BYTES = 64L << 20;

  /**
   * Blocks at first: calls take longer the more there are (a free on an H200 0.9 µs with 4, 1.1
   * with 64, 1.4 with 4 096), and programs have some hundred to thousand.
   */
  private static final int STANDING = 1_000;

  private static final long LARGEST_STANDING_BYTES = 64L << 10;

  private final LockstepRun run;
  private final StreamOrderedMemory pool;
  private final StreamOrderedMemory simulated;
  private final LiveBlocks live = new LiveBlocks();

  PoolExperiment(LockstepRun run) {
    this.run = run;
    pool = run.pool();
    simulated = run.marked().device().streamOrdered().orElseThrow();
  }

  void cycle(int calls) {
    long threshold = run.random().nextInt(3) == 0 ? 0 : StreamOrderedMemory.KEEP_ALL;
    pool.setReleaseThreshold(threshold);
    simulated.setReleaseThreshold(threshold);
    int streams = run.random().nextBoolean() ? 1 : STREAMS;
    // Reserved memory can exceed what is used by far where ranges are scattered.
    long height =
        run.logUniform(Math.min(64 * run.pageBytes(), run.maxBytes() / 4), run.maxBytes() / 4);
    for (int block = 0; block < STANDING; block++) {
      allocate(run.logUniform(MIN_BYTES, LARGEST_STANDING_BYTES), 0, height);
    }
    for (int call = 0; call < calls; call++) {
      boolean shrinks = call > calls * 3 / 4;
      double allocates = shrinks ? 0.2 : call < calls / 4 ? 0.8 : 0.5;
      int stream = run.random().nextInt(streams);
      double kind = run.random().nextDouble();
      if (kind < 0.01) {
        synchronize(run.random().nextInt(streams + 1), streams);
      } else if (kind < 0.013) {
        trim(run.random().nextBoolean() ? 0 : run.logUniform(1, run.maxBytes()));
      } else if (live.count() == 0 || run.random().nextDouble() < allocates) {
        allocate(run.logUniform(MIN_BYTES, LARGEST_BYTES), stream, height);
      } else {
        int row = run.random().nextInt(live.count());
        free(row, run.random().nextInt(5) == 0 ? stream : (int) live.number(row));
      }
    }
    empty();
  }

  /** Gives everything back, so that the pool holds nothing. */
  void empty() {
    while (live.count() > 0) {
      free(live.count() - 1, (int) live.number(live.count() - 1));
    }
    synchronize(STREAMS, STREAMS);
    trim(0);
  }

  /**
   * Calls of which some are refused, until both devices differ or all are made.
   *
   * @param leftBytes memory that the device has left
   */
  void nearlyFull(int calls, long leftBytes) {
    long threshold = run.random().nextBoolean() ? 0 : StreamOrderedMemory.KEEP_ALL;
    pool.setReleaseThreshold(threshold);
    simulated.setReleaseThreshold(threshold);
    boolean same = true;
    for (int call = 0; call < calls && same; call++) {
      double kind = run.random().nextDouble();
      if (kind < 0.01) {
        synchronize(0, 1);
      } else if (live.count() == 0 || kind < 0.55) {
        same = allocateIfServed(run.logUniform(MIN_BYTES, leftBytes / 3));
      } else {
        free(run.random().nextInt(live.count()), 0);
      }
    }
    empty();
  }

  private boolean allocateIfServed(long bytes) {
    long[] address = new long[1];
    double nanos =
        run.timed(DriverCall.ALLOCATE_ASYNC, () -> address[0] = pool.allocateAsync(bytes, 0));
    long twin = simulated.allocateAsync(bytes, 0);
    boolean served = address[0] != DeviceMemory.REFUSED;
    if (served != (twin != DeviceMemory.REFUSED)) {
      run.marked().forget(DriverCall.ALLOCATE_ASYNC);
      if (served) {
        pool.freeAsync(address[0], bytes, 0);
      } else {
        simulated.freeAsync(twin, bytes, 0);
        run.marked().forget(DriverCall.FREE_ASYNC);
      }
      compare();
      return false;
    }
    run.marked().record(DriverCall.ALLOCATE_ASYNC, nanos, run.observations());
    if (served) {
      live.add(address[0], twin, bytes, 0);
    }
    compare();
    return true;
  }

  private void synchronize(int stream, int streams) {
    if (stream == streams) {
      pool.synchronizeDevice();
      simulated.synchronizeDevice();
    } else {
      pool.synchronizeStream(stream);
      simulated.synchronizeStream(stream);
    }
    compare();
  }

  private void trim(long keptBytes) {
    double nanos = run.timed(DriverCall.TRIM_POOL, () -> pool.trimPool(keptBytes));
    simulated.trimPool(keptBytes);
    run.marked().record(DriverCall.TRIM_POOL, nanos, run.observations());
    compare();
  }

  void allocate(long bytes, int stream, long height) {
    if (live.bytes() + bytes > height
        || simulated.poolReservedBytes() + bytes + MARGIN_BYTES > run.maxBytes()) {
      return;
    }
    long[] address = new long[1];
    double nanos =
        run.timed(DriverCall.ALLOCATE_ASYNC, () -> address[0] = pool.allocateAsync(bytes, stream));
    long twin = simulated.allocateAsync(bytes, stream);
    run.marked().record(DriverCall.ALLOCATE_ASYNC, nanos, run.observations());
    if (address[0] == DeviceMemory.REFUSED || twin == DeviceMemory.REFUSED) {
      throw new CalibrationException(
          "the pool unexpectedly failed to allocate %d bytes with %d in use; allow more memory"
              .formatted(bytes, live.bytes()));
    }
    live.add(address[0], twin, bytes, stream);
    compare();
  }

  private void free(int row, int stream) {
    double nanos =
        run.timed(
            DriverCall.FREE_ASYNC, () -> pool.freeAsync(live.real(row), live.bytes(row), stream));
    simulated.freeAsync(live.simulated(row), live.bytes(row), stream);
    run.marked().record(DriverCall.FREE_ASYNC, nanos, run.observations());
    live.remove(row);
    compare();
  }

  private void compare() {
    run.observations().compare(simulated.poolReservedBytes(), pool.poolReservedBytes());
  }
}
