package org.allocsim.simulator.timing;

import java.util.Optional;
import java.util.TreeMap;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.PoolView;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/** A simulated device whose calls take the host's time and wait for the GPU where they have to. */
final class TimedMemory implements DeviceMemory {
  private final SimulatedDevice device;
  private final HostClock host;
  private final GpuTimeline gpu;
  private final PoolProgress progress;

  /** Streams of reserved address ranges, by where they start. */
  private final TreeMap<Long, Integer> rangeStreams = new TreeMap<>();

  private long chargedNanos;

  TimedMemory(SimulatedDevice device, HostClock host, GpuTimeline gpu, PoolProgress progress) {
    this.device = device;
    this.progress = progress;
    this.host = host;
    this.gpu = gpu;
    chargedNanos = device.driverNanos();
  }

  /** Driver time since the last charge passes on the host. */
  private void charge() {
    long nanos = device.driverNanos();
    host.spend(HostActivity.DRIVER_CALL, nanos - chargedNanos);
    chargedNanos = nanos;
  }

  @Override
  public long allocate(long bytes) {
    long address = device.allocate(bytes);
    charge();
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    host.waitUntil(HostActivity.ALLOCATOR_WAIT, gpu.finishAll());
    device.free(address, bytes);
    charge();
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    long address = device.reserve(bytes, pageBytes, stream);
    if (address != REFUSED) {
      rangeStreams.put(address, stream);
    }
    charge();
    return address;
  }

  @Override
  public void unreserve(long address, long bytes) {
    rangeStreams.remove(address);
    device.unreserve(address, bytes);
    charge();
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    boolean mapped = device.map(address, bytes, pageBytes);
    charge();
    return mapped;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    int stream = rangeStreams.floorEntry(address).getValue();
    host.waitUntil(HostActivity.ALLOCATOR_WAIT, stream < 0 ? gpu.finishAll() : gpu.finish(stream));
    device.unmap(address, bytes, pageBytes);
    charge();
  }

  @Override
  public Optional<HandleMemory> handleMemory() {
    return device.handleMemory().map(Handles::new);
  }

  @Override
  public Optional<StreamOrderedMemory> streamOrdered() {
    return device.streamOrdered().map(StreamOrdered::new);
  }

  @Override
  public long freeBytes() {
    return device.freeBytes();
  }

  @Override
  public long totalBytes() {
    return device.totalBytes();
  }

  private final class Handles implements HandleMemory {
    private final HandleMemory handles;

    Handles(HandleMemory handles) {
      this.handles = handles;
    }

    @Override
    public boolean create(long[] made, int from, int count, long handleBytes) {
      boolean created = handles.create(made, from, count, handleBytes);
      charge();
      return created;
    }

    @Override
    public void map(long address, long[] mapped, int from, int count, long handleBytes) {
      handles.map(address, mapped, from, count, handleBytes);
      charge();
    }

    @Override
    public void unmap(long address, long[] unmapped, int from, int count, long handleBytes) {
      host.waitUntil(HostActivity.ALLOCATOR_WAIT, gpu.finishAll());
      handles.unmap(address, unmapped, from, count, handleBytes);
      charge();
    }

    @Override
    public void release(long[] released, int from, int count, long handleBytes) {
      handles.release(released, from, count, handleBytes);
      charge();
    }
  }

  private final class StreamOrdered implements StreamOrderedMemory {
    private final StreamOrderedMemory pool;

    StreamOrdered(StreamOrderedMemory pool) {
      this.pool = pool;
    }

    @Override
    public long allocateAsync(long bytes, int stream) {
      progress.catchUp(host.nowNanos());
      long address = pool.allocateAsync(bytes, stream);
      charge();
      return address;
    }

    @Override
    public void freeAsync(long address, long bytes, int stream) {
      progress.beforeFree(stream, host.nowNanos());
      pool.freeAsync(address, bytes, stream);
      progress.afterFree(stream, host.nowNanos());
      charge();
    }

    @Override
    public void synchronizeStream(int stream) {
      host.waitUntil(HostActivity.ALLOCATOR_WAIT, gpu.finish(stream));
      progress.catchUp(host.nowNanos());
      pool.synchronizeStream(stream);
      charge();
    }

    @Override
    public void synchronizeDevice() {
      host.waitUntil(HostActivity.ALLOCATOR_WAIT, gpu.finishAll());
      progress.catchUp(host.nowNanos());
      pool.synchronizeDevice();
      charge();
    }

    @Override
    public void trimPool(long keptBytes) {
      pool.trimPool(keptBytes);
      charge();
    }

    @Override
    public long poolReservedBytes() {
      return pool.poolReservedBytes();
    }

    @Override
    public long poolUsedBytes() {
      return pool.poolUsedBytes();
    }

    @Override
    public void setReleaseThreshold(long bytes) {
      pool.setReleaseThreshold(bytes);
    }

    @Override
    public void setPoolLimit(long bytes) {
      pool.setPoolLimit(bytes);
    }

    @Override
    public void setReuse(boolean opportunistic, boolean internalDependencies) {
      pool.setReuse(opportunistic, internalDependencies);
    }

    @Override
    public Optional<PoolView> view() {
      return pool.view();
    }
  }
}
