package org.allocsim.validation.calibration;

import java.util.Arrays;
import java.util.Optional;
import org.allocsim.simulator.device.ComputeProfile;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DriverCall;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.device.StreamOrderedMemory;

/** A device whose calls take exactly the times of its profile. */
final class SimulatedTarget implements CalibrationTarget {
  private final SimulatedDevice device;

  SimulatedTarget(DeviceProfile profile) {
    device = new SimulatedDevice(profile);
  }

  @Override
  public String cardName() {
    return "Simulated Card";
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
    ComputeProfile compute = device.profile().compute();
    return Optional.of(
        new CopyTimer() {
          @Override
          public long pinNanos(long bytes) {
            return compute.pinNanos() + (bytes >> 20) * compute.pinMebibyteNanos();
          }

          @Override
          public long[] copyNanos(long bytes, boolean pinned, boolean toDevice, int times) {
            long rate =
                pinned ? compute.pinnedCopyBytesPerSecond() : compute.pageableCopyBytesPerSecond();
            long[] nanos = new long[times];
            long moved = bytes < 1 << 20 ? 0 : Math.round(bytes * 1e9 / rate);
            Arrays.fill(nanos, compute.copyNanos() + moved);
            return nanos;
          }

          @Override
          public long[] launchNanos(int times) {
            long[] nanos = new long[times];
            Arrays.fill(nanos, compute.launchNanos());
            return nanos;
          }
        });
  }
}
