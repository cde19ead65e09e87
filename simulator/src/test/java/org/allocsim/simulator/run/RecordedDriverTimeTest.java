package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.effect.EffectLog;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

/** Times are compared with those of the same calls on a device of any size. */
class RecordedDriverTimeTest {
  private static final long MIB = 1 << 20;
  private static final DeviceProfile PROFILE = DeviceProfiles.ofCapacity(MIB);
  private static final DriverCosts COSTS = PROFILE.costs();

  private final AllocationTrace.Builder program = new AllocationTrace.Builder();
  private final EffectLog effects = new EffectLog();
  private final SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 40));
  private long spentNanos;

  private int allocate(long bytes) {
    return program.allocate(bytes, 0, PoolId.DEFAULT);
  }

  private void effect(EffectKind kind, long address, long bytes) {
    effects.add(kind, address, bytes, 0);
  }

  /** What the calls on the device took since the last question. */
  private long spent() {
    long nanos = device.driverNanos() - spentNanos;
    spentNanos = device.driverNanos();
    assertNotEquals(0, nanos);
    return nanos;
  }

  private void assertNanos(long... expected) {
    assertArrayEquals(
        expected, RecordedDriverTime.byRow(program.build(StackTable.empty()), 0, effects, PROFILE));
  }

  @Test
  void aRequestHasTheCallsUpToItsAnswer() {
    allocate(MIB);
    program.endPrologue();
    int first = allocate(20 * MIB);
    effect(EffectKind.SEGMENT_ALLOC, 7, 20 * MIB);
    effect(EffectKind.ALLOC, 7, 20 * MIB);
    program.free(first);
    effect(EffectKind.FREE_REQUESTED, 7, 20 * MIB);
    effect(EffectKind.FREE_COMPLETED, 7, 20 * MIB);
    allocate(0);
    program.at(1, 0, 0);
    allocate(5 * MIB);
    program.at(0, 0, 0);
    allocate(40 * MIB);
    effect(EffectKind.SEGMENT_FREE, 7, 20 * MIB);
    effect(EffectKind.SEGMENT_FREE, 12345, MIB); // made before the recording
    effect(EffectKind.SEGMENT_ALLOC, 8, 40 * MIB);
    effect(EffectKind.ALLOC, 8, 40 * MIB);
    allocate(MIB);
    effect(EffectKind.OOM, 0, MIB);
    allocate(2 * MIB);
    effect(EffectKind.SEGMENT_ALLOC, 9, 2 * MIB);
    effect(EffectKind.ALLOC, 9, 2 * MIB);
    allocate(2 * MIB); // the recording has ended

    long address = device.allocate(20 * MIB);
    final long firstNanos = spent();
    device.free(address, 20 * MIB);
    device.allocate(40 * MIB);
    final long secondNanos = spent();
    device.allocate(2 * MIB);
    assertNanos(0, firstNanos, 0, 0, 0, secondNanos, 0, spent(), 0);
  }

  @Test
  void emptyingTheCacheHasTheReleasesThatFollowEachOther() {
    int first = allocate(20 * MIB);
    effect(EffectKind.SEGMENT_ALLOC, 7, 20 * MIB);
    effect(EffectKind.SEGMENT_ALLOC, 8, 20 * MIB);
    effect(EffectKind.ALLOC, 7, 20 * MIB);
    program.free(first);
    effect(EffectKind.FREE_REQUESTED, 7, 20 * MIB);
    effect(EffectKind.FREE_COMPLETED, 7, 20 * MIB);
    program.emptyCache();
    effect(EffectKind.SEGMENT_FREE, 7, 20 * MIB);
    effect(EffectKind.SNAPSHOT, 0, 0);
    program.emptyPool(PoolId.DEFAULT);
    effect(EffectKind.SEGMENT_FREE, 8, 20 * MIB);
    program.emptyCache();
    effect(EffectKind.SEGMENT_ALLOC, 9, 20 * MIB);
    allocate(20 * MIB);
    effect(EffectKind.ALLOC, 9, 20 * MIB);

    long address = device.allocate(20 * MIB);
    long other = device.allocate(20 * MIB);
    final long firstNanos = spent();
    device.free(address, 20 * MIB);
    final long emptied = spent();
    device.free(other, 20 * MIB);
    final long emptiedNext = spent();
    device.allocate(20 * MIB);
    assertNanos(firstNanos, 0, emptied, emptiedNext, 0, spent());
  }

  @Test
  void mappingsTakeTheTimeOfTheirHandles() {
    allocate(40 * MIB);
    effect(EffectKind.SEGMENT_MAP, 7, 40 * MIB);
    effect(EffectKind.ALLOC, 7, 40 * MIB);
    allocate(MIB);
    effect(EffectKind.SEGMENT_MAP, 8, 4 * MIB);
    effect(EffectKind.ALLOC, 8, MIB);
    program.emptyCache();
    effect(EffectKind.SEGMENT_UNMAP, 8, 4 * MIB);
    effect(EffectKind.SEGMENT_UNMAP, 7, 40 * MIB);
    assertNanos(
        COSTS.mappingNanos(40 * MIB, 20 * MIB),
        COSTS.mappingNanos(4 * MIB, 2 * MIB),
        COSTS.unmappingNanos(4 * MIB, 2 * MIB) + COSTS.unmappingNanos(40 * MIB, 20 * MIB));
  }
}
