package org.allocsim.validation.calibration;

import java.lang.foreign.Arena;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.validation.gpu.cuda.CudaDevice;
import org.allocsim.validation.gpu.cuda.DriverCallListener;
import org.allocsim.validation.gpu.cuda.GpuBounds;

/** A real GPU that is calibrated; closing it gives everything back. */
public final class GpuTarget implements CalibrationTarget, AutoCloseable {
  private static final int FILL_BYTES = 4096;

  private final long[] nanos = new long[DriverCall.values().length];
  private final CudaDevice gpu;

  private GpuTarget(int index, GpuBounds bounds) {
    gpu = CudaDevice.open(index, bounds, listener());
  }

  /** Opens a GPU by its number, from 0. */
  public static GpuTarget open(int index, GpuBounds bounds) {
    return new GpuTarget(index, bounds);
  }

  private DriverCallListener listener() {
    return (call, bytes, callNanos, refused) -> nanos[call.ordinal()] += callNanos;
  }

  /** Name, driver and memory of the GPU. */
  public CudaDevice.Identity identity() {
    return gpu.identity();
  }

  @Override
  public String cardName() {
    return gpu.identity().name();
  }

  @Override
  public int cudaVersion() {
    return gpu.identity().driverVersion();
  }

  @Override
  public DeviceMemory memory() {
    return gpu;
  }

  @Override
  public StreamOrderedMemory pool() {
    return gpu;
  }

  @Override
  public void createStreams(int count) {
    gpu.createStreams(count);
  }

  @Override
  public long nanos(DriverCall call) {
    return nanos[call.ordinal()];
  }

  @Override
  public long synchronizeNanos() {
    long start = System.nanoTime();
    gpu.synchronizeDevice();
    return System.nanoTime() - start;
  }

  @Override
  public void warmUp() {
    gpu.warmUp();
  }

  @Override
  public Optional<CopyTimer> copies() {
    return Optional.of(new Copies());
  }

  @Override
  public void close() {
    gpu.close();
  }

  private final class Copies implements CopyTimer {
    @Override
    public long pinNanos(long bytes) {
      long start = System.nanoTime();
      long host = gpu.allocateHost(bytes);
      long taken = System.nanoTime() - start;
      require(host);
      gpu.freeHost(host);
      return taken;
    }

    @Override
    public long[] copyNanos(long bytes, boolean pinned, boolean toDevice, int times) {
      long device = gpu.allocate(bytes);
      require(device);
      try (Arena arena = Arena.ofConfined()) {
        long host = pinned ? gpu.allocateHost(bytes) : arena.allocate(bytes, 64).address();
        require(host);
        long[] taken = new long[times];
        for (int i = 0; i < times; i++) {
          long start = System.nanoTime();
          if (toDevice) {
            gpu.copyToDevice(device, host, bytes);
            // Small copies return before they arrive.
            gpu.synchronizeDevice();
          } else {
            gpu.copyToHost(host, device, bytes);
          }
          taken[i] = System.nanoTime() - start;
        }
        if (pinned) {
          gpu.freeHost(host);
        }
        return taken;
      } finally {
        gpu.free(device, bytes);
      }
    }

    @Override
    public long[] launchNanos(int times) {
      long device = gpu.allocate(FILL_BYTES);
      require(device);
      long[] taken = new long[times];
      for (int i = 0; i < times; i++) {
        long start = System.nanoTime();
        gpu.touch(device, FILL_BYTES, 0);
        taken[i] = System.nanoTime() - start;
        if (i % 64 == 0) {
          gpu.synchronizeDevice();
        }
      }
      gpu.synchronizeDevice();
      gpu.free(device, FILL_BYTES);
      return taken;
    }

    private static void require(long address) {
      if (address == DeviceMemory.REFUSED) {
        throw new CalibrationException("no memory left for copies; free some or allow more");
      }
    }
  }
}
