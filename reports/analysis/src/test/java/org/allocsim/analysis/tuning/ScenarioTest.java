package org.allocsim.analysis.tuning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import org.allocsim.simulator.run.FailedRequest;
import org.allocsim.simulator.run.Run;
import org.allocsim.simulator.run.RunResult;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

class ScenarioTest {
  private static final long MIB = SyntheticPrograms.MIB;
  private static final long GIB = SyntheticPrograms.GIB;

  private static Scenario scenario(String conf, long limitBytes, long capacityBytes) {
    return Scenario.of(
        conf, PyTorchVersion.V2_11, limitBytes, DeviceProfiles.ofCapacity(capacityBytes));
  }

  private static RunResult run(AllocationTrace trace, Scenario scenario, AfterOom afterOom) {
    return Run.of(scenario.setup(trace, 0, afterOom));
  }

  @Test
  void theFirstFailureIsTheVerdictWhereTheReplayStops() {
    AllocationTrace trace = SyntheticPrograms.keeping(3 * GIB, 3 * GIB, GIB, 3 * GIB);
    RunResult stopped = run(trace, scenario("", -1, 5 * GIB), AfterOom.STOP);
    assertEquals(1, stopped.failureCount());
    assertEquals(2, stopped.requests());
    FailedRequest first = stopped.firstFailure().orElseThrow();
    assertEquals(1, first.requestIndex());
    assertEquals(1, first.row());
    assertEquals(3 * GIB, first.requestedBytes());
    assertTrue(first.message().contains("Tried to allocate 3.00 GiB"), first.message());
    assertEquals(3 * GIB, stopped.peakReservedBytes());
  }

  @Test
  void laterRequestsAreServedWhereTheReplayGoesOn() {
    AllocationTrace trace = SyntheticPrograms.keeping(3 * GIB, 3 * GIB, GIB, 3 * GIB);
    RunResult all = run(trace, scenario("", -1, 5 * GIB), AfterOom.CONTINUE);
    assertEquals(2, all.failureCount());
    assertEquals(4, all.requests());
    assertEquals(1, all.firstFailure().orElseThrow().requestIndex());
    assertEquals(4 * GIB, all.peakReservedBytes());
  }

  @Test
  void whatConcernsAFailedRequestIsPassedOver() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    int failing = builder.allocate(6 * GIB, 0, PoolId.DEFAULT);
    builder.useStream(failing, 7, 0);
    builder.free(failing);
    builder.allocate(GIB, 0, PoolId.DEFAULT);
    RunResult result =
        run(builder.build(StackTable.empty()), scenario("", -1, 5 * GIB), AfterOom.CONTINUE);
    assertEquals(1, result.failureCount());
    assertEquals(GIB, result.stats().get("allocated_bytes.all.current"));
    assertEquals(0, result.stats().get("allocation.all.freed"));
  }

  @Test
  void failuresBeforeTheRecordingHaveNoIndex() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.allocate(6 * GIB, 0, PoolId.DEFAULT);
    builder.endPrologue();
    builder.allocate(GIB, 0, PoolId.DEFAULT);
    RunResult result =
        run(builder.build(StackTable.empty()), scenario("", -1, 5 * GIB), AfterOom.STOP);
    assertEquals(-1, result.firstFailure().orElseThrow().requestIndex());
  }

  @Test
  void theLimitOfTheSettingsHoldsUnlessOneIsGiven() {
    String conf = "per_process_memory_fraction:0.5";
    assertEquals(4 * GIB, scenario(conf, -1, 8 * GIB).limitBytes());
    assertEquals(4 * GIB, scenario(conf, -1, 8 * GIB).maxBytes());
    assertEquals(GIB, scenario(conf, GIB, 8 * GIB).limitBytes());
    assertEquals(8 * GIB, scenario("", -1, 8 * GIB).maxBytes());
  }

  @Test
  void waitingForTheDeviceIsCounted() {
    AllocationTrace.Builder builder = new AllocationTrace.Builder();
    builder.free(builder.allocate(30 * MIB, 0, PoolId.DEFAULT));
    builder.free(builder.allocate(50 * MIB, 0, PoolId.DEFAULT));
    builder.emptyCache();
    RunResult result = run(builder.build(StackTable.empty()), scenario("", -1, GIB), AfterOom.STOP);
    // One release of the cache, two cudaFree.
    assertEquals(3, result.forcedSynchronizations());
    assertEquals(2, result.driverCallsByKind().get(DriverCall.FREE));
    assertEquals(4, result.driverCalls());
    assertTrue(result.driverNanos() > 0);
  }

  @Test
  void slackIsThatOfTheMomentOfThePeak() {
    RunResult result = run(SyntheticPrograms.carvedUp(), scenario("", -1, 80 * GIB), AfterOom.STOP);
    assertEquals(16 * GIB, result.peakReservedBytes());
    assertEquals(5 * GIB, result.slackAtPeakBytes());
  }

  @Test
  void anotherAllocatorIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> scenario("backend:cudaMallocAsync", -1, GIB));
  }
}
