package org.allocsim.reports.cli;

import java.util.Optional;
import org.allocsim.reports.answer.gpu.CalibrateAnswer;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.validation.calibration.Calibration;
import org.allocsim.validation.calibration.CalibrationBounds;
import org.allocsim.validation.calibration.CalibrationTarget;

/** What {@code calibrate} says of a GPU that is itself simulated. */
final class SimulatedCalibration implements CalibrationTarget {
  private static final long MAX_BYTES = 16L << 30;
  private static final int ROUNDS = 3;

  private final SimulatedDevice device = new SimulatedDevice(DeviceProfiles.defaultProfile());

  private SimulatedCalibration() {}

  static CalibrateAnswer answer() {
    return new CalibrateAnswer(
        Calibration.of(
            new SimulatedCalibration(),
            DeviceProfiles.defaultProfile(),
            new CalibrationBounds(MAX_BYTES, Long.MAX_VALUE, ROUNDS, false),
            _ -> {}));
  }

  @Override
  public String cardName() {
    return "Simulated GPU";
  }

  @Override
  public int cudaVersion() {
    return 13_000;
  }

  @Override
  public DeviceMemory memory() {
    return device;
  }

  @Override
  public StreamOrderedMemory pool() {
    return device.streamOrdered().orElseThrow();
  }

  @Override
  public void createStreams(int count) {
    device.createStreams(count);
  }

  @Override
  public long nanos(DriverCall call) {
    return device.driverNanos(call);
  }

  @Override
  public long synchronizeNanos() {
    pool().synchronizeDevice();
    return device.profile().costs().synchronizeNanos();
  }

  @Override
  public void warmUp() {}

  @Override
  public Optional<CopyTimer> copies() {
    return Optional.empty();
  }
}
