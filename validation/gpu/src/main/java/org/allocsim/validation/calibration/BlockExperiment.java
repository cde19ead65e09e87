package org.allocsim.validation.calibration;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/**
 * Random {@code cuMemAlloc} and {@code cuMemFree}: memory grows to a random height, is exchanged
 * for a while and shrinks to nothing, so that calls meet fresh and used pages, new and old
 * reservations.
 */
final class BlockExperiment {
  private static final long LARGEST_BYTES = 2L << 30;

  private final LockstepRun run;
  private final DeviceMemory memory;
  private final SimulatedDevice simulated;
  private final LiveBlocks live = new LiveBlocks();

  BlockExperiment(LockstepRun run) {
    this.run = run;
    memory = run.memory();
    simulated = run.marked().device();
  }

  void cycle(int calls) {
    long height = run.logUniform(64 * run.pageBytes(), run.maxBytes() - 4 * run.pageBytes());
    double smallShare = run.random().nextDouble() * 0.6;
    long largest = run.logUniform(2 * run.pageBytes(), Math.min(LARGEST_BYTES, height));
    for (int call = 0; call < calls; call++) {
      boolean shrinks = call > calls * 3 / 4;
      double allocates = shrinks ? 0.2 : call < calls / 4 ? 0.9 : 0.5;
      if (live.count() == 0 || run.random().nextDouble() < allocates) {
        allocate(
            run.random().nextDouble() < smallShare
                ? run.logUniform(256, run.pageBytes() - 1)
                : run.logUniform(run.pageBytes(), largest),
            height);
      } else {
        free(run.random().nextInt(live.count()));
      }
    }
    while (live.count() > 0) {
      free(live.count() - 1);
    }
  }

  private void allocate(long bytes, long height) {
    if (live.bytes() + bytes > height) {
      return;
    }
    long[] address = new long[1];
    double nanos = run.timed(DriverCall.ALLOCATE, () -> address[0] = memory.allocate(bytes));
    if (address[0] == DeviceMemory.REFUSED) {
      throw new CalibrationException(
          "the device has less memory than at the start; end other programs that use it");
    }
    long twin = simulated.allocate(bytes);
    run.marked().record(DriverCall.ALLOCATE, nanos, run.observations());
    live.add(address[0], twin, bytes, 0);
    run.compareFree();
  }

  private void free(int row) {
    double nanos = run.timed(DriverCall.FREE, () -> memory.free(live.real(row), live.bytes(row)));
    simulated.free(live.simulated(row), live.bytes(row));
    run.marked().record(DriverCall.FREE, nanos, run.observations());
    live.remove(row);
    run.compareFree();
  }
}
