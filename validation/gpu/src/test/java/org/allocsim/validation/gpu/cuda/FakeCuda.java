package org.allocsim.validation.gpu.cuda;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;

/** A driver without a GPU: the simulated device answers, and everything that is open is known. */
public final class FakeCuda implements CudaCalls {
  private final SimulatedDevice device;
  private final StreamOrderedMemory pool;
  private final Map<Long, Long> blocks = new HashMap<>();
  private final Map<Long, Long> asyncBlocks = new HashMap<>();
  private final Map<Long, Long> ranges = new HashMap<>();
  private final Map<Long, Handle> handles = new HashMap<>();
  private final Map<Long, Long> mappedHandles = new HashMap<>();
  private final Map<Long, Integer> streams = new HashMap<>();
  private final Map<PoolAttribute, Long> attributes = new EnumMap<>(PoolAttribute.class);
  private final List<Long> pools = new ArrayList<>();
  final List<Long> hostBlocks = new ArrayList<>();

  /** Physical memory, which goes when it is released and mapped nowhere. */
  private static final class Handle {
    private final long bytes;
    private boolean released;
    private int mappings;

    Handle(long bytes) {
      this.bytes = bytes;
    }
  }

  private static final long PAGE_BYTES = 2L << 20;

  private int allocations;
  private int streamsMade;
  private long handleBytes;
  private long next = 1;

  /** Name of the call that is to fail, or null. */
  String failingCall;

  /** Index of the cuMemAlloc that is refused though there is memory, or −1. */
  public int failingAllocation = -1;

  /** Pool whose attribute was changed last. */
  long changedPool;

  public boolean isClosed;

  public FakeCuda(long capacityBytes) {
    this(DeviceProfiles.ofCapacity(capacityBytes));
  }

  public FakeCuda(DeviceProfile profile) {
    device = new SimulatedDevice(profile);
    pool = device.streamOrdered().orElseThrow();
    attributes.put(PoolAttribute.RELEASE_THRESHOLD, 0L);
  }

  /** Everything that was taken and not given back. */
  String open() {
    return "blocks %d, stream-ordered %d, ranges %d, handles %d, mapped %d, streams %d, pools %d"
        .formatted(
            blocks.size(),
            asyncBlocks.size(),
            ranges.size(),
            handles.size(),
            mappedHandles.size(),
            streams.size(),
            pools.size());
  }

  long attribute(PoolAttribute attribute) {
    return attributes.get(attribute);
  }

  private void call(String name) {
    if (isClosed) {
      throw new AssertionError(name + " after the end");
    }
    if (name.equals(failingCall)) {
      throw new CudaException(name + " failed with CUDA_ERROR_UNKNOWN (999)");
    }
  }

  @Override
  public String deviceName() {
    return "fake";
  }

  @Override
  public int driverVersion() {
    return 13_000;
  }

  @Override
  public void useContext() {
    call("cuCtxSetCurrent");
  }

  @Override
  public long freeBytes() {
    // What the context took for streams goes with it.
    long streamBytes = isClosed ? streamsMade / 2 * PAGE_BYTES : 0;
    return device.freeBytes() - handleBytes + streamBytes;
  }

  @Override
  public long totalBytes() {
    return device.totalBytes();
  }

  @Override
  public long granularityBytes() {
    return 2L << 20;
  }

  @Override
  public long allocate(long bytes) {
    call("cuMemAlloc");
    long wholeBytes = (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    if (handleBytes > 0 && wholeBytes > freeBytes() - device.profile().unusableBytes()
        || allocations++ == failingAllocation) {
      return REFUSED;
    }
    long address = device.allocate(bytes);
    if (address != REFUSED) {
      blocks.put(address, bytes);
    }
    return address;
  }

  @Override
  public void free(long address) {
    call("cuMemFree");
    device.free(address, blocks.remove(address));
  }

  @Override
  public long reserve(long bytes) {
    call("cuMemAddressReserve");
    long address = device.reserve(bytes, 2L << 20, 0);
    ranges.put(address, bytes);
    return address;
  }

  @Override
  public void unreserve(long address, long bytes) {
    call("cuMemAddressFree");
    device.unreserve(address, ranges.remove(address));
  }

  @Override
  public long create(long bytes) {
    call("cuMemCreate");
    if (bytes > freeBytes() - device.profile().unusableBytes()) {
      return REFUSED;
    }
    handleBytes += bytes;
    handles.put(next, new Handle(bytes));
    return next++;
  }

  @Override
  public void release(long handle) {
    call("cuMemRelease");
    Handle released = handles.get(handle);
    if (released == null || released.released) {
      throw new AssertionError("there is no handle " + handle);
    }
    released.released = true;
    removeIfUnused(handle);
  }

  @Override
  public void map(long address, long bytes, long handle) {
    call("cuMemMap");
    Handle mapped = handles.get(handle);
    if (mapped == null || mapped.released || mapped.bytes != bytes) {
      throw new AssertionError("there is no handle %d of %d bytes".formatted(handle, bytes));
    }
    if (mappedHandles.put(address, handle) != null) {
      throw new AssertionError("something is mapped there");
    }
    mapped.mappings++;
  }

  @Override
  public void setAccess(long address, long bytes) {
    call("cuMemSetAccess");
  }

  @Override
  public void unmap(long address, long bytes) {
    call("cuMemUnmap");
    Long handle = mappedHandles.remove(address);
    if (handle == null) {
      throw new AssertionError("nothing is mapped there");
    }
    handles.get(handle).mappings--;
    removeIfUnused(handle);
  }

  private void removeIfUnused(long handle) {
    Handle unused = handles.get(handle);
    if (unused.released && unused.mappings == 0) {
      handleBytes -= unused.bytes;
      handles.remove(handle);
    }
  }

  @Override
  public long createStream() {
    call("cuStreamCreate");
    device.createStreams(1);
    streamsMade++;
    streams.put(1000 + next, streams.size());
    return 1000 + next++;
  }

  @Override
  public void destroyStream(long stream) {
    call("cuStreamDestroy");
    streams.remove(stream);
  }

  @Override
  public void synchronizeStream(long stream) {
    call("cuStreamSynchronize");
    pool.synchronizeStream(streams.get(stream));
  }

  @Override
  public void synchronizeContext() {
    call("cuCtxSynchronize");
    pool.synchronizeDevice();
  }

  @Override
  public void fill(long address, long bytes, long stream) {
    call("cuMemsetD8Async");
  }

  @Override
  public long allocateHost(long bytes) {
    call("cuMemAllocHost");
    hostBlocks.add(next);
    return next++;
  }

  @Override
  public void freeHost(long address) {
    call("cuMemFreeHost");
    if (!hostBlocks.remove((Long) address)) {
      throw new AssertionError("no such host memory");
    }
  }

  @Override
  public void copyToDevice(long target, long host, long bytes) {
    call("cuMemcpyHtoD");
  }

  @Override
  public void copyToHost(long host, long source, long bytes) {
    call("cuMemcpyDtoH");
  }

  @Override
  public long defaultPool() {
    return 1;
  }

  @Override
  public long createPool(long maxBytes) {
    call("cuMemPoolCreate");
    pools.add(next);
    return next++;
  }

  @Override
  public void destroyPool(long destroyed) {
    call("cuMemPoolDestroy");
    pools.remove((Long) destroyed);
  }

  @Override
  public long allocateAsync(long bytes, long from, long stream) {
    call("cuMemAllocFromPoolAsync");
    long address = pool.allocateAsync(bytes, streams.get(stream));
    if (address != REFUSED) {
      asyncBlocks.put(address, bytes);
    }
    return address;
  }

  @Override
  public void freeAsync(long address, long stream) {
    call("cuMemFreeAsync");
    pool.freeAsync(address, asyncBlocks.remove(address), streams.get(stream));
  }

  @Override
  public void trimPool(long trimmed, long keptBytes) {
    call("cuMemPoolTrimTo");
    pool.trimPool(keptBytes);
  }

  @Override
  public long poolAttribute(long asked, PoolAttribute attribute) {
    return switch (attribute) {
      case RESERVED_BYTES -> pool.poolReservedBytes();
      case USED_BYTES -> pool.poolUsedBytes();
      default -> attributes.getOrDefault(attribute, 0L);
    };
  }

  @Override
  public void setPoolAttribute(long changed, PoolAttribute attribute, long value) {
    changedPool = changed;
    attributes.put(attribute, value);
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
