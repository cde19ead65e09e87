package org.allocsim.validation.gpu;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.PoolView;
import org.allocsim.simulator.device.StreamOrderedMemory;

/**
 * Passes every call on to a device and keeps what came of it. Of the pool of stream-ordered memory
 * it shows totals only, as a real driver does, so that a policy does the same on either device.
 */
final class RecordingDevice implements DeviceMemory {
  private final DeviceMemory device;
  private final Probe probe;
  private final List<LoggedCall> log;
  private final BitSet streams = new BitSet();
  private final long freeBytesAtStart;

  /** What only one kind of device can report or must be given. */
  interface Probe {
    /** The program does something else before its next call. */
    void pause();

    /** Time in the driver so far. */
    long driverNanos();

    /** Start of the driver's reservation around a segment, or 0. */
    long region(long address);

    /** A stream is used for the first time. */
    void streamCreated();

    /** Fills a block of the program with zeros. */
    void touch(long address, long bytes, int stream);
  }

  RecordingDevice(DeviceMemory device, Probe probe, List<LoggedCall> log) {
    this.device = device;
    this.probe = probe;
    this.log = log;
    freeBytesAtStart = device.freeBytes();
  }

  /** Free bytes before the first call. */
  long freeBytesAtStart() {
    return freeBytesAtStart;
  }

  private void use(int stream) {
    if (!streams.get(stream)) {
      streams.set(stream);
      probe.streamCreated();
    }
  }

  void touch(long address, long bytes, int stream) {
    use(stream);
    probe.touch(address, bytes, stream);
  }

  /** Time in the driver before a call. */
  private long begin() {
    probe.pause();
    return probe.driverNanos();
  }

  private void add(PortCall kind, long bytes, long address, boolean refused, long nanosBefore) {
    long nanos = probe.driverNanos() - nanosBefore;
    boolean places = kind == PortCall.ALLOCATE && !refused;
    long region = places ? probe.region(address) : 0;
    log.add(new LoggedCall(kind, bytes, address, region, refused, device.freeBytes(), 0, 0, nanos));
  }

  @Override
  public long allocate(long bytes) {
    long before = begin();
    long address = device.allocate(bytes);
    add(PortCall.ALLOCATE, bytes, address, address == REFUSED, before);
    return address;
  }

  @Override
  public void free(long address, long bytes) {
    long before = begin();
    device.free(address, bytes);
    add(PortCall.FREE, bytes, address, false, before);
  }

  @Override
  public long reserve(long bytes, long pageBytes, int stream) {
    long before = begin();
    long address = device.reserve(bytes, pageBytes, stream);
    add(PortCall.RESERVE, bytes, address, address == REFUSED, before);
    return address;
  }

  @Override
  public void unreserve(long address, long bytes) {
    long before = begin();
    device.unreserve(address, bytes);
    add(PortCall.UNRESERVE, bytes, address, false, before);
  }

  @Override
  public boolean map(long address, long bytes, long pageBytes) {
    long before = begin();
    boolean mapped = device.map(address, bytes, pageBytes);
    add(PortCall.MAP, bytes, address, !mapped, before);
    return mapped;
  }

  @Override
  public void unmap(long address, long bytes, long pageBytes) {
    long before = begin();
    device.unmap(address, bytes, pageBytes);
    add(PortCall.UNMAP, bytes, address, false, before);
  }

  @Override
  public Optional<HandleMemory> handleMemory() {
    return device.handleMemory().map(Handles::new);
  }

  @Override
  public Optional<StreamOrderedMemory> streamOrdered() {
    return device.streamOrdered().map(Pool::new);
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
    private final HandleMemory memory;

    Handles(HandleMemory memory) {
      this.memory = memory;
    }

    @Override
    public boolean create(long[] handles, int from, int count, long handleBytes) {
      long before = begin();
      boolean created = memory.create(handles, from, count, handleBytes);
      add(PortCall.CREATE_HANDLES, count * handleBytes, 0, !created, before);
      return created;
    }

    @Override
    public void map(long address, long[] handles, int from, int count, long handleBytes) {
      long before = begin();
      memory.map(address, handles, from, count, handleBytes);
      add(PortCall.MAP_HANDLES, count * handleBytes, address, false, before);
    }

    @Override
    public void unmap(long address, long[] handles, int from, int count, long handleBytes) {
      long before = begin();
      memory.unmap(address, handles, from, count, handleBytes);
      add(PortCall.UNMAP_HANDLES, count * handleBytes, address, false, before);
    }

    @Override
    public void release(long[] handles, int from, int count, long handleBytes) {
      long before = begin();
      memory.release(handles, from, count, handleBytes);
      add(PortCall.RELEASE_HANDLES, count * handleBytes, 0, false, before);
    }
  }

  private final class Pool implements StreamOrderedMemory {
    private final StreamOrderedMemory pool;

    Pool(StreamOrderedMemory pool) {
      this.pool = pool;
    }

    private void add(PortCall kind, long bytes, long address, boolean refused, long nanosBefore) {
      long nanos = probe.driverNanos() - nanosBefore;
      long reserved = pool.poolReservedBytes();
      long used = pool.poolUsedBytes();
      log.add(
          new LoggedCall(
              kind, bytes, address, 0, refused, device.freeBytes(), reserved, used, nanos));
    }

    @Override
    public long allocateAsync(long bytes, int stream) {
      use(stream);
      long before = begin();
      long address = pool.allocateAsync(bytes, stream);
      add(PortCall.ALLOCATE_ASYNC, bytes, address, address == DeviceMemory.REFUSED, before);
      return address;
    }

    @Override
    public void freeAsync(long address, long bytes, int stream) {
      use(stream);
      long before = begin();
      pool.freeAsync(address, bytes, stream);
      add(PortCall.FREE_ASYNC, bytes, address, false, before);
    }

    @Override
    public void synchronizeStream(int stream) {
      use(stream);
      long before = begin();
      pool.synchronizeStream(stream);
      add(PortCall.SYNCHRONIZE_STREAM, stream, 0, false, before);
    }

    @Override
    public void synchronizeDevice() {
      long before = begin();
      pool.synchronizeDevice();
      add(PortCall.SYNCHRONIZE_DEVICE, 0, 0, false, before);
    }

    @Override
    public void trimPool(long keptBytes) {
      long before = begin();
      pool.trimPool(keptBytes);
      add(PortCall.TRIM_POOL, keptBytes, 0, false, before);
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
      return Optional.empty();
    }
  }
}
