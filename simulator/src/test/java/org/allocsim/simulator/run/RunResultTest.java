package org.allocsim.simulator.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.AllocatorConfig;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.api.Test;

class RunResultTest {
  private static final RunSetup SETUP =
      new RunSetup(
          new AllocationTrace.Builder().build(StackTable.empty()),
          0,
          PolicyChoice.parse("direct"),
          -1,
          DeviceProfiles.ofCapacity(1 << 30));

  private static RunResult result(
      RunSetup setup,
      Map<String, Long> stats,
      List<Integer> failedRows,
      Map<DriverCall, Long> calls,
      Map<DriverCall, Long> nanos) {
    return new RunResult(
        setup,
        null,
        new TreeMap<>(stats),
        new RunResult.Moment(10, 20, 35, 60),
        3,
        9,
        64,
        40,
        20,
        failedRows.stream()
            .map(row -> new FailedRequest(row, row, row, 0, 1, 1, 1, null, "no"))
            .toList(),
        failedRows.size(),
        calls,
        nanos,
        8,
        null,
        -1);
  }

  private static RunResult result(Map<String, Long> stats) {
    return result(SETUP, stats, List.of(), Map.of(), Map.of());
  }

  @Test
  void figuresAreThoseOfTheStatistics() {
    RunResult result =
        result(
            Map.of(
                "reserved_bytes.all.peak", 60L,
                "allocated_bytes.all.peak", 45L,
                "requested_bytes.all.peak", 30L,
                "num_sync_all_streams", 3L,
                "num_device_free", 4L));
    assertEquals(60, result.peakReservedBytes());
    assertEquals(45, result.peakAllocatedBytes());
    assertEquals(30, result.peakRequestedBytes());
    assertEquals(40, result.slackAtPeakBytes());
    assertEquals(0.75, result.utilisation());
    assertEquals(7, result.forcedSynchronizations());
    assertEquals(5, result.eventsPerSecond());
    assertEquals(25, result.atPeak().internalBytes());
    assertEquals(25, result.atPeak().externalBytes());
    assertEquals("direct", result.choice().label());
    assertThrows(NullPointerException.class, () -> result.stat("num_ooms"));
    assertThrows(UnsupportedOperationException.class, () -> result.stats().clear());
  }

  @Test
  void nothingReservedHasNoUtilisation() {
    assertTrue(Double.isNaN(result(Map.of()).utilisation()));
  }

  @Test
  void onlyAChosenPolicyHasAChoice() {
    RunPolicy parsed = RunPolicy.pytorch(AllocatorConfig.DEFAULT, PyTorchVersion.DEFAULT);
    RunResult result = result(SETUP.with(parsed), Map.of(), List.of(), Map.of(), Map.of());
    assertThrows(IllegalStateException.class, result::choice);
  }

  @Test
  void streamOrderedFunctionsAreListedWhereTheyWereCalled() {
    Map<DriverCall, Long> calls =
        Map.of(DriverCall.FREE, 0L, DriverCall.FREE_ASYNC, 0L, DriverCall.ALLOCATE_ASYNC, 2L);
    RunResult result = result(SETUP, Map.of(), List.of(), calls, Map.of());
    assertEquals(Set.of("cuMemFree", "cuMemAllocAsync"), result.driverCallsByFunction().keySet());
    assertEquals(2, result.driverCallsByFunction().get("cuMemAllocAsync"));
    assertThrows(UnsupportedOperationException.class, () -> result.driverCallsByKind().clear());
  }

  @Test
  void driverTimeIsKnownOfASimulatedDeviceOnly() {
    Map<DriverCall, Long> nanos = Map.of(DriverCall.FREE, 4L, DriverCall.MAP, 5L);
    RunResult simulated = result(SETUP, Map.of(), List.of(), Map.of(), nanos);
    assertTrue(simulated.hasDriverTime());
    assertEquals(9, simulated.driverNanos());
    RunSetup given =
        SETUP.with(new MemorySource.Given(new SimulatedDevice(DeviceProfiles.ofCapacity(1))));
    RunResult other = result(given, Map.of(), List.of(), Map.of(), nanos);
    assertFalse(other.hasDriverTime());
    assertEquals(-1, other.driverNanos());
  }

  @Test
  void aRunStopsOnlyAtAFailureAndOnlyIfItIsTo() {
    RunSetup stopping = SETUP.with(AfterOom.STOP);
    assertTrue(result(stopping, Map.of(), List.of(4), Map.of(), Map.of()).isStopped());
    assertFalse(result(stopping, Map.of(), List.of(), Map.of(), Map.of()).isStopped());
    assertFalse(result(SETUP, Map.of(), List.of(4), Map.of(), Map.of()).isStopped());
  }

  @Test
  void twoRunsAreTheSameButForWhereTheSplitLimitLies() {
    RunResult one = result(Map.of("num_ooms", 1L));
    assertTrue(
        one.isSameAs(
            result(Map.of("num_ooms", 1L, "max_split_size", 5L, "oversize_segments.peak", 1L))));
    assertFalse(one.isSameAs(result(Map.of("num_ooms", 2L))));
    Map<String, Long> stats = Map.of("num_ooms", 1L);
    Map<DriverCall, Long> calls = Map.of(DriverCall.FREE, 1L);
    assertFalse(one.isSameAs(result(SETUP, stats, List.of(), calls, Map.of())));
    assertFalse(one.isSameAs(result(SETUP, stats, List.of(), Map.of(), calls)));
    RunResult failed = result(SETUP, stats, List.of(4, 7), Map.of(), Map.of());
    assertFalse(one.isSameAs(failed));
    assertFalse(failed.isSameAs(result(SETUP, stats, List.of(5, 7), Map.of(), Map.of())));
    assertTrue(failed.isSameAs(result(SETUP, stats, List.of(4, 8), Map.of(), Map.of())));
  }

  @Test
  void callsAndTimesOfOneRunJoinTheAnswersOfAnother() {
    Map<DriverCall, Long> calls = Map.of(DriverCall.FREE, 1L);
    RunResult timed = result(SETUP, Map.of("num_ooms", 1L), List.of(), calls, calls);
    RunResult recorded =
        result(SETUP.repeated(2), Map.of("num_ooms", 2L), List.of(4), Map.of(), Map.of());
    RunResult joined = timed.answeredAs(recorded);
    assertEquals(calls, joined.driverCallsByKind());
    assertEquals(calls, joined.driverNanosByKind());
    assertEquals(1, joined.setup().course().passes());
    assertEquals(recorded.stats(), joined.stats());
    assertEquals(recorded.failures(), joined.failures());
    assertEquals(1, joined.failureCount());
    assertTrue(joined.isRun());
  }
}
