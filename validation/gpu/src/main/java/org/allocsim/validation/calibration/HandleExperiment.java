package org.allocsim.validation.calibration;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/**
 * Random mapping and unmapping of handles of 1 page to 512, several at a time, in ranges of
 * addresses. A handle size keeps its range during a cycle, as expandable segments do.
 */
final class HandleExperiment {
  private static final int[] HANDLE_PAGES = {1, 1, 1, 10, 10, 10, 16, 64, 512};
  private static final int MAX_HANDLES = 10;
  private static final int RUNS = 64;

  private final LockstepRun run;
  private final DeviceMemory memory;
  private final SimulatedDevice simulated;
  private final LiveBlocks live = new LiveBlocks();

  HandleExperiment(LockstepRun run) {
    this.run = run;
    memory = run.memory();
    simulated = run.marked().device();
  }

  void cycle(int calls) {
    long handleBytes = HANDLE_PAGES[run.random().nextInt(HANDLE_PAGES.length)] * run.pageBytes();
    long runBytes = handleBytes * MAX_HANDLES;
    long rangeBytes = runBytes * RUNS;
    long range = reserve(rangeBytes);
    long twin = simulated.reserve(rangeBytes, run.pageBytes(), 0);
    boolean[] taken = new boolean[RUNS];
    for (int call = 0; call < calls; call++) {
      double maps = call > calls / 2 ? 0.35 : 0.7;
      int place = run.random().nextInt(RUNS);
      int most = (int) Math.min(MAX_HANDLES, (run.maxBytes() - live.bytes()) / handleBytes);
      if ((live.count() == 0 || run.random().nextDouble() < maps) && most > 0 && !taken[place]) {
        taken[place] = true;
        // Programs mostly map one handle at a time.
        int handles = run.random().nextBoolean() ? 1 : 1 + run.random().nextInt(most);
        map(range + place * runBytes, twin + place * runBytes, handles, handleBytes, place);
      } else if (live.count() > 0) {
        int row = run.random().nextInt(live.count());
        taken[(int) live.number(row)] = false;
        unmap(row, handleBytes);
      }
    }
    while (live.count() > 0) {
      unmap(live.count() - 1, handleBytes);
    }
    double nanos = run.timed(DriverCall.ADDRESS_FREE, () -> memory.unreserve(range, rangeBytes));
    run.observations().of(CallClass.UNRESERVE).add(nanos);
    simulated.unreserve(twin, rangeBytes);
  }

  private long reserve(long bytes) {
    long[] range = new long[1];
    double nanos =
        run.timed(
            DriverCall.ADDRESS_RESERVE, () -> range[0] = memory.reserve(bytes, run.pageBytes(), 0));
    if (range[0] == DeviceMemory.REFUSED) {
      throw new CalibrationException("the driver returned no addresses; run the command again");
    }
    run.observations().of(CallClass.RESERVE).add(nanos);
    return range[0];
  }

  private void map(long address, long twin, int handles, long handleBytes, int place) {
    long bytes = handles * handleBytes;
    long pages = handleBytes / run.pageBytes();
    double[] nanos = new double[2];
    double access =
        run.timed(
            DriverCall.SET_ACCESS,
            () ->
                nanos[0] =
                    run.timed(
                        DriverCall.CREATE,
                        () ->
                            nanos[1] =
                                run.timed(
                                    DriverCall.MAP,
                                    () -> {
                                      if (!memory.map(address, bytes, handleBytes)) {
                                        throw new CalibrationException(
                                            "the device has less memory than at the start; end"
                                                + " other programs that use it");
                                      }
                                    })));
    simulated.map(twin, bytes, handleBytes);
    run.observations().of(CallClass.CREATE).add(nanos[0] / handles, pages);
    run.observations().of(CallClass.MAP).add(nanos[1] / handles, pages);
    run.observations()
        .of(CallClass.SET_ACCESS)
        .add(access, pages > 1 ? 1 : 0, handles, handles * pages);
    live.add(address, twin, bytes, place);
    run.compareFree();
  }

  private void unmap(int row, long handleBytes) {
    long bytes = live.bytes(row);
    double handles = (double) bytes / handleBytes;
    long pages = handleBytes / run.pageBytes();
    double[] nanos = new double[1];
    double release =
        run.timed(
            DriverCall.RELEASE,
            () ->
                nanos[0] =
                    run.timed(
                        DriverCall.UNMAP, () -> memory.unmap(live.real(row), bytes, handleBytes)));
    simulated.unmap(live.simulated(row), bytes, handleBytes);
    run.observations().of(CallClass.UNMAP).add(nanos[0] / handles, pages);
    run.observations().of(CallClass.RELEASE).add(release / handles, pages);
    live.remove(row);
    run.compareFree();
  }
}
