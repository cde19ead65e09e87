package org.allocsim.validation.calibration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.cost.AsyncCosts;
import org.allocsim.simulator.device.cost.DriverCosts;
import org.allocsim.simulator.device.cost.HandleCosts;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.apache.commons.math3.random.Well19937c;
import org.junit.jupiter.api.Test;

class CalibrationTest {
  private static final long GIB = 1L << 30;

  /** No two figures are equal, so that a mix-up shows. */
  private static final DriverCosts COSTS =
      new DriverCosts(
          4_301,
          47_002,
          303,
          50_004,
          155,
          5_106,
          37_007,
          538,
          41_009,
          510,
          1_911,
          new HandleCosts(
              9_012, 213, 1_114, 15, 3_016, 14_044, 21_017, 318, 18_019, 120, 16_021, 122, 8_023,
              11_024),
          new AsyncCosts(
              9_900_025, 726, 1_127, 1_528, 3_029, 130, 9_031, 32_032, 41_033, 17_034, 51_035,
              23_036, 15_037, 70_038, 90_039, 80_040, 941, 2_042, 22_043));

  private static final DeviceProfile CARD = ShippedProfiles.named("h200").withCosts(COSTS);

  private static CalibrationResult calibrate(DeviceProfile card, int rounds, boolean fills) {
    return Calibration.of(
        new SimulatedTarget(card),
        DeviceProfiles.defaultProfile(),
        new CalibrationBounds(100 * GIB, 1L << 60, rounds, fills),
        _ -> {});
  }

  @Test
  void theParametersOfASimulatedDeviceAreFoundExactly() {
    CalibrationResult result = calibrate(CARD, 12, true);
    assertEquals(List.of(), result.undetermined());
    assertEquals(0, result.observations().otherAnswers());
    assertTrue(result.observations().answers() > 10_000);
    DeviceProfile found = result.profile();
    assertEquals(COSTS, found.costs());
    assertEquals(CARD.totalBytes(), found.totalBytes());
    assertEquals(CARD.contextBytes(), found.contextBytes());
    assertEquals(CARD.unusableBytes(), found.unusableBytes());
    assertEquals(CARD.pageBytes(), found.pageBytes());
    assertEquals(CARD.reservationBytes(), found.reservationBytes());
    assertEquals(CARD.arenaAddress(), found.arenaAddress());
    assertEquals(CARD.topAddress(), result.placement().topAddress());
    assertEquals(DeviceProfiles.defaultProfile().topAddress(), found.topAddress());
    assertEquals(CARD.rangeAddress(), result.placement().rangeAddress());
    assertEquals(DeviceProfiles.defaultProfile().rangeAddress(), found.rangeAddress());
    assertEquals(32L << 20, result.placement().chunkBytes());
    assertEquals(512, result.placement().alignmentBytes());
    assertEquals((2L << 20) - 512, result.placement().largestSharedBytes());
    assertEquals(1, result.observations().slowness(95));
  }

  @Test
  void noisyTimesOfAHostWhoseSpeedChangesLeadCloseToTheParameters() {
    SimulatedTarget noisy = new SimulatedTarget(CARD, new Well19937c(9));
    CalibrationResult result =
        Calibration.of(
            noisy,
            DeviceProfiles.defaultProfile(),
            new CalibrationBounds(100 * GIB, 1L << 60, 12, false),
            _ -> {});
    DriverCosts found = result.profile().costs();
    assertTrue(result.observations().slowness(95) > 1.3);
    assertClose(COSTS.allocateNanos(), found.allocateNanos());
    assertClose(COSTS.freeNanos(), found.freeNanos());
    assertClose(COSTS.freePageNanos(), found.freePageNanos());
    assertClose(COSTS.handles().setAccessHandleNanos(), found.handles().setAccessHandleNanos());
    assertClose(COSTS.async().allocateOwnNanos(), found.async().allocateOwnNanos());
    assertClose(COSTS.async().newChunkNanos(), found.async().newChunkNanos());
    RobustFit.Estimate create = result.fits().get(CallClass.CREATE).estimate(0);
    assertTrue(create.low() < create.value() && create.value() < create.high());
  }

  private static void assertClose(long expected, long found) {
    assertEquals(expected, found, 0.07 * expected);
  }

  @Test
  void whatCannotBeDeterminedStaysAsOnTheBaseAndIsNamed() {
    CalibrationResult result = calibrate(CARD, 3, false);
    assertTrue(result.undetermined().contains("unusable_bytes"));
    assertTrue(result.undetermined().contains("costs.async.refuse_nanos"));
    assertEquals(DeviceProfile.UNUSABLE_BYTES, result.profile().unusableBytes());
    assertEquals(
        DriverCosts.H100.async().refuseNanos(), result.profile().costs().async().refuseNanos());
  }

  @Test
  void theDeviceIsEmptyAfterwards() {
    SimulatedTarget target = new SimulatedTarget(CARD);
    long before = target.memory().freeBytes();
    Calibration.of(
        target,
        DeviceProfiles.defaultProfile(),
        new CalibrationBounds(10 * GIB, 1L << 60, 2, true),
        _ -> {});
    long streamBytes = 2L << 20;
    assertEquals(before - streamBytes, target.memory().freeBytes());
    assertEquals(0, target.pool().poolReservedBytes());
  }

  @Test
  void noMoreMemoryIsTakenThanAllowed() {
    SimulatedTarget target = new SimulatedTarget(CARD);
    Calibration.of(
        target,
        DeviceProfiles.defaultProfile(),
        new CalibrationBounds(6 * GIB, 1L << 60, 6, false),
        _ -> {});
    long most = target.maxTakenBytes();
    assertTrue(most <= 6 * GIB, () -> "" + most);
    assertTrue(most > 3 * GIB, () -> "" + most);
  }

  @Test
  void aDeviceWithTooLittleFreeMemoryIsRefused() {
    CalibrationException error =
        assertThrows(
            CalibrationException.class,
            () ->
                Calibration.of(
                    new SimulatedTarget(DeviceProfiles.ofCapacity(5 * GIB)),
                    DeviceProfiles.defaultProfile(),
                    new CalibrationBounds(6 * GIB, 1, 1, false),
                    _ -> {}));
    assertTrue(error.getMessage().startsWith("only 5368709120 bytes of the device are free"));
    assertThrows(IllegalArgumentException.class, () -> new CalibrationBounds(1 << 20, 1, 1, false));
  }

  @Test
  void aDriverThatPlacesMemoryOtherwiseIsMeasuredWithThePlacesOfTheBase() {
    SimulatedTarget upwards = new SimulatedTarget(CARD).placing(address -> (1L << 47) - address);
    CalibrationResult result =
        Calibration.of(
            upwards,
            DeviceProfiles.defaultProfile(),
            new CalibrationBounds(10 * GIB, 1L << 60, 12, false),
            _ -> {});
    assertTrue(result.undetermined().contains("reservation_bytes"));
    assertEquals(DeviceProfiles.defaultProfile().arenaAddress(), result.profile().arenaAddress());
    assertEquals(COSTS.allocateNanos(), result.profile().costs().allocateNanos());
  }
}
