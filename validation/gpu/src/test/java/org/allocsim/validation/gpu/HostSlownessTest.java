package org.allocsim.validation.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.junit.jupiter.api.Test;

class HostSlownessTest {
  private static final long MIB = 1L << 20;

  private static List<LoggedCall> calls(SimulatedDevice device) {
    List<LoggedCall> log = new ArrayList<>();
    TimedCalls.on(new RecordingDevice(device, new GpuValidation.SimulatedProbe(device), log));
    return log;
  }

  private static List<LoggedCall> predicted() {
    return calls(new SimulatedDevice(DeviceProfiles.defaultProfile()));
  }

  /** The same calls on a host on which each takes some factor longer. */
  private static List<LoggedCall> measured(
      List<LoggedCall> predicted, ToDoubleFunction<LoggedCall> factor) {
    return predicted.stream()
        .map(call ->
            new LoggedCall(
                call.kind(),
                call.bytes(),
                call.address(),
                call.region(),
                call.isRefused(),
                call.freeBytes(),
                call.reservedBytes(),
                call.usedBytes(),
                Math.round(call.nanos() * factor.applyAsDouble(call))))
        .toList();
  }

  private static void assertSlowness(
      double blocks, double handles, double pool, HostSlowness slowness) {
    assertEquals(blocks, slowness.blocks(), 0.001);
    assertEquals(handles, slowness.handles(), 0.001);
    assertEquals(pool, slowness.pool(), 0.001);
  }

  @Test
  void eachKindOfCallHasAFigureOfItsOwn() {
    List<LoggedCall> predicted = predicted();
    List<LoggedCall> measured =
        measured(
            predicted,
            call ->
                switch (call.kind()) {
                  case ALLOCATE, FREE -> 2;
                  case ALLOCATE_ASYNC, FREE_ASYNC, TRIM_POOL -> 0.5;
                  default -> 1.5;
                });
    HostSlowness slowness = HostSlowness.of(predicted, measured, predicted.size());
    assertSlowness(2, 1.5, 0.5, slowness);
    assertEquals(2, slowness.of(DriverCall.FREE), 0.001);
    assertEquals(1.5, slowness.of(DriverCall.SET_ACCESS), 0.001);
    assertEquals(0.5, slowness.of(DriverCall.ALLOCATE_ASYNC), 0.001);
    assertEquals(slowness.of(DriverCall.ALLOCATE), slowness.of(PortCall.ALLOCATE), 0);
    assertEquals(slowness.of(DriverCall.MAP), slowness.of(PortCall.MAP), 0);
    assertEquals(slowness.of(DriverCall.FREE_ASYNC), slowness.of(PortCall.FREE_ASYNC), 0);
  }

  @Test
  void aFewInterruptedCallsDoNotMatter() {
    List<LoggedCall> predicted = predicted();
    int[] number = {0};
    List<LoggedCall> measured = measured(predicted, _ -> number[0]++ % 20 == 0 ? 1_000 : 1.25);
    assertSlowness(1.25, 1.25, 1.25, HostSlowness.of(predicted, measured, predicted.size()));
  }

  @Test
  void whatWasNotMeasuredIsAsFastAsTheProfileSays() {
    List<LoggedCall> predicted = predicted();
    assertSlowness(1, 1, 1, HostSlowness.of(predicted, predicted, 0));
    List<LoggedCall> blocks =
        predicted.stream().filter(call -> call.kind() == PortCall.ALLOCATE).toList();
    assertSlowness(3, 1, 1, HostSlowness.of(blocks, measured(blocks, _ -> 3), blocks.size()));
  }

  @Test
  void whatHoldsDuringACaseIsTheMeanOfBeforeAndAfter() {
    assertSlowness(1.5, 1.25, 3, new HostSlowness(1, 1, 2).and(new HostSlowness(2, 1.5, 4)));
  }

  @Test
  void theTimedCallsAreOfAllKindsAndGiveEverythingBack() {
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.defaultProfile());
    long freeBytes = device.freeBytes();
    Set<PortCall> kinds = EnumSet.noneOf(PortCall.class);
    calls(device).forEach(call -> kinds.add(call.kind()));
    assertEquals(freeBytes, device.freeBytes());
    assertTrue(
        kinds.containsAll(
            EnumSet.of(
                PortCall.ALLOCATE,
                PortCall.FREE,
                PortCall.RESERVE,
                PortCall.MAP,
                PortCall.UNMAP,
                PortCall.UNRESERVE,
                PortCall.ALLOCATE_ASYNC,
                PortCall.FREE_ASYNC,
                PortCall.TRIM_POOL)));
  }

  @Test
  void aDeviceWithHardlyAnyMemoryRefusesSomeAndGetsTheRestBack() {
    SimulatedDevice device =
        new SimulatedDevice(DeviceProfiles.defaultProfile().withCapacity(100 * MIB));
    long freeBytes = device.freeBytes();
    assertTrue(calls(device).stream().anyMatch(LoggedCall::isRefused));
    assertEquals(freeBytes, device.freeBytes());
  }

  @Test
  void timesArePredictedForTheHostAsItWas() {
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.defaultProfile());
    List<LoggedCall> predicted = calls(device);
    List<LoggedCall> measured = measured(predicted, _ -> 1.7);
    DriverMeasure real = new DriverMeasure();
    for (DriverCall call : DriverCall.values()) {
      long nanos = Math.round(device.driverNanos(call) * 1.7);
      real.called(call, 0, nanos, false);
    }
    DriverTime time =
        DriverTime.of(
            device,
            real,
            HostSlowness.of(predicted, measured, predicted.size()),
            predicted,
            measured,
            predicted.size());
    assertEquals(device.driverNanos(), time.profileNanos());
    assertEquals(1, time.ratio(), 0.001);
    assertEquals(1, time.lowRatio(), 0.001);
    assertEquals(1, time.highRatio(), 0.001);
    assertEquals(1.7, time.slowness(), 0.001);
  }
}
