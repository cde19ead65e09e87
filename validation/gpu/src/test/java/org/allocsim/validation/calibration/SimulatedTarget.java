package org.allocsim.validation.calibration;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongUnaryOperator;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.ComputeProfile;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.apache.commons.math3.random.RandomGenerator;

/** A device whose calls take the times of its profile, exactly or with noise. */
final class SimulatedTarget implements CalibrationTarget {
  private final SimulatedDevice device;

  private final RandomGenerator noise;
  private final Map<DriverCall, Long> exact = new EnumMap<>(DriverCall.class);
  private final Map<DriverCall, Long> noisy = new EnumMap<>(DriverCall.class);
  private DeviceMemory memory;
  private int waits;
  private long maxTakenBytes;

  SimulatedTarget(DeviceProfile profile) {
    this(profile, null);
  }

  /** Times are off by some percent, now and then by far, and all are longer for a while. */
  SimulatedTarget(DeviceProfile profile, RandomGenerator noise) {
    device = new SimulatedDevice(profile);
    memory = device;
    this.noise = noise;
  }

  /**
   * Its blocks have other addresses.
   *
   * @param place gives the address outside for the one inside, and the other way round
   */
  SimulatedTarget placing(LongUnaryOperator place) {
    memory =
        (DeviceMemory)
            Proxy.newProxyInstance(
                DeviceMemory.class.getClassLoader(),
                new Class<?>[] {DeviceMemory.class},
                (_, method, arguments) ->
                    switch (method.getName()) {
                      case "allocate" -> {
                        long address = device.allocate((long) arguments[0]);
                        yield address == DeviceMemory.REFUSED
                            ? address
                            : place.applyAsLong(address);
                      }
                      case "free" -> {
                        device.free(place.applyAsLong((long) arguments[0]), (long) arguments[1]);
                        yield null;
                      }
                      default -> method.invoke(device, arguments);
                    });
    return this;
  }

  long maxTakenBytes() {
    return maxTakenBytes;
  }

  private double factor() {
    double slow = waits / 400 % 3 == 1 ? 1.6 : 1;
    double interrupted = noise.nextInt(50) == 0 ? 10 : 1;
    return slow * interrupted * (1 + 0.1 * noise.nextDouble() - 0.05);
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
    return memory;
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
    maxTakenBytes = Math.max(maxTakenBytes, device.profile().capacityBytes() - device.freeBytes());
    long now = device.driverNanos(call);
    if (noise == null) {
      return now;
    }
    long more = now - exact.getOrDefault(call, 0L);
    exact.put(call, now);
    return noisy.merge(call, Math.round(more * factor()), Long::sum);
  }

  @Override
  public long synchronizeNanos() {
    pool().synchronizeDevice();
    waits++;
    long nanos = device.profile().costs().synchronizeNanos();
    return noise == null ? nanos : Math.round(nanos * factor());
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
