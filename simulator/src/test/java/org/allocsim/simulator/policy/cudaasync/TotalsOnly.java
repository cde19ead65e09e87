package org.allocsim.simulator.policy.cudaasync;

import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;

/** A device whose pool reports totals only, as a real driver's does. */
final class TotalsOnly extends OtherDevice {
  private final StreamOrderedMemory pool;

  TotalsOnly(DeviceMemory device) {
    super(device);
    pool = device.streamOrdered().orElseThrow();
  }

  @Override
  public Optional<StreamOrderedMemory> streamOrdered() {
    return Optional.of(new Pool(pool));
  }

  private record Pool(StreamOrderedMemory inner) implements StreamOrderedMemory {
    @Override
    public long allocateAsync(long bytes, int stream) {
      return inner.allocateAsync(bytes, stream);
    }

    @Override
    public void freeAsync(long address, long bytes, int stream) {
      inner.freeAsync(address, bytes, stream);
    }

    @Override
    public void synchronizeStream(int stream) {
      inner.synchronizeStream(stream);
    }

    @Override
    public void synchronizeDevice() {
      inner.synchronizeDevice();
    }

    @Override
    public void trimPool(long keptBytes) {
      inner.trimPool(keptBytes);
    }

    @Override
    public long poolReservedBytes() {
      return inner.poolReservedBytes();
    }

    @Override
    public long poolUsedBytes() {
      return inner.poolUsedBytes();
    }

    @Override
    public void setReleaseThreshold(long bytes) {
      inner.setReleaseThreshold(bytes);
    }

    @Override
    public void setPoolLimit(long bytes) {
      inner.setPoolLimit(bytes);
    }

    @Override
    public void setReuse(boolean opportunistic, boolean internalDependencies) {
      inner.setReuse(opportunistic, internalDependencies);
    }
  }
}
