package org.allocsim.validation.gpu.cuda;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.HandleMemory;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.workloads.io.EarlyEnd;

/**
 * A real GPU behind the port that policies use. It keeps books of everything it takes from the
 * driver and gives all of it back when it is closed, or when the process is asked to end; it
 * changes no setting of the GPU and uses no managed memory.
 *
 * <p>Streams are made when their number is first used. A request beyond the bound of memory is
 * refused as if the driver had refused it, without asking it.
 *
 * <p>One thread at a time; the end of the process waits for the call in progress.
 */
public final class CudaDevice implements DeviceMemory, StreamOrderedMemory, AutoCloseable {
  private final CudaCalls cuda;
  private final GpuBounds bounds;
  private final DriverCallListener listener;
  private final long pageBytes;
  private final long totalBytes;
  private final long freeBytesAtStart;
  private final long startNanos = System.nanoTime();
  private final Map<Long, Long> blocks = new LinkedHashMap<>();
  private final Map<Long, Long> ranges = new LinkedHashMap<>();

  /** Handles that are mapped nowhere and keep memory from everybody. */
  private final List<Long> heldBack = new ArrayList<>();

  private final CudaHandles handles;
  private final EarlyEnd.Part part;
  private final Map<Long, Long> asyncBlocks = new LinkedHashMap<>();

  /** Pinned host memory. */
  private final List<Long> hostBlocks = new ArrayList<>();

  private long[] streams = new long[4];
  private long pool;
  private long ownPool;
  private long thresholdBefore = -1;
  private long threshold;
  private boolean opportunistic = true;
  private boolean internalDependencies = true;
  private long unusableBytes = DeviceProfile.UNUSABLE_BYTES;
  private long refusedByBound;
  private boolean touched;
  private boolean closed;

  private static final int WARM_UP_ROUNDS = 400;

  /**
   * The pool's calls take less than a microsecond, so that the code around them must be the best
   * that Java makes, after 5 000 calls, for them to be measured rather than it.
   */
  private static final int POOL_WARM_UP_ROUNDS = 20_000;

  /** More than were ever found. */
  private static final long MAX_UNUSABLE_PAGES = 64;

  /** Largest handle that {@link #holdBack} takes. */
  private static final long HELD_HANDLE_BYTES = 8L << 30;

  /** What {@link #open} found. */
  public record Identity(String name, int driverVersion, long totalBytes, long freeBytesAtStart) {}

  /**
   * A GPU that is reached through these calls, which it closes with itself.
   *
   * @param bounds what may be taken of it
   * @param listener hears every call of the driver
   */
  public CudaDevice(CudaCalls cuda, GpuBounds bounds, DriverCallListener listener) {
    this.cuda = cuda;
    this.bounds = bounds;
    this.listener = listener;
    pageBytes = cuda.granularityBytes();
    totalBytes = cuda.totalBytes();
    freeBytesAtStart = cuda.freeBytes();
    handles = new CudaHandles(this, cuda);
    part = EarlyEnd.part(this::closeEarly);
  }

  /**
   * Opens a GPU.
   *
   * @param index its number, from 0
   * @throws CudaException where there is no driver or no such GPU
   */
  public static CudaDevice open(int index, GpuBounds bounds, DriverCallListener listener) {
    return new CudaDevice(new NativeCuda(index), bounds, listener);
  }

  /** Name, driver and memory of the GPU. */
  public Identity identity() {
    return new Identity(cuda.deviceName(), cuda.driverVersion(), totalBytes, freeBytesAtStart);
  }

  /** Size of the pages in which memory is taken. */
  public long pageBytes() {
    return pageBytes;
  }

  /** Whether the bound refuses requests that the driver would serve. */
  public boolean isBounded() {
    return bounds.maxBytes() <= freeBytesAtStart - pageBytes;
  }

  /** Makes every kind of call often enough for Java to have compiled it, with a page at a time. */
  public synchronized void warmUp() {
    long[] one = new long[1];
    for (int round = 0; round < WARM_UP_ROUNDS; round++) {
      long block = allocate(pageBytes);
      if (block != REFUSED) {
        free(block, pageBytes);
      }
      long range = reserve(pageBytes, pageBytes, 0);
      if (map(range, pageBytes, pageBytes)) {
        unmap(range, pageBytes, pageBytes);
      }
      if (handles.create(one, 0, 1, pageBytes)) {
        handles.map(range, one, 0, 1, pageBytes);
        handles.unmap(range, one, 0, 1, pageBytes);
        handles.release(one, 0, 1, pageBytes);
      }
      unreserve(range, pageBytes);
      poolReservedBytes();
      freeBytes();
    }
    for (int round = 0; round < POOL_WARM_UP_ROUNDS; round++) {
      long pooled = allocateAsync(pageBytes, 0);
      if (pooled != REFUSED) {
        freeAsync(pooled, pageBytes, 0);
      }
    }
  }

  /** Requests that were refused because of the bound, not by the driver. */
  public long refusedByBound() {
    return refusedByBound;
  }

  /**
   * Takes memory that has no address until only this much is free, so that the driver itself
   * refuses what goes beyond; the memory comes back when the device is closed. What is left differs
   * from the wish by less than a page.
   *
   * @throws CudaException where less is free
   */
  public synchronized void holdBack(long leftBytes) {
    requireOpen();
    long surplus = (cuda.freeBytes() - leftBytes) & -pageBytes;
    if (surplus < 0) {
      throw new CudaException(
          "only %d bytes of the GPU are free, but %d were requested"
              .formatted(cuda.freeBytes(), leftBytes));
    }
    while (surplus > 0) {
      long bytes = Math.min(surplus, HELD_HANDLE_BYTES);
      long handle = cuda.create(bytes);
      if (handle == REFUSED) {
        throw new CudaException("another program is using the GPU's memory; try again");
      }
      heldBack.add(handle);
      surplus -= bytes;
    }
    unusableBytes = findUnusable();
  }

  /**
   * Bytes of the free memory that no call gets: what {@link #holdBack} found, else what is usual.
   */
  public long unusableBytes() {
    return unusableBytes;
  }

  /** Asks for all that is free, then for a page less, until the driver gives it. */
  private long findUnusable() {
    List<Long> aside = new ArrayList<>();
    while (cuda.freeBytes() > HELD_HANDLE_BYTES + MAX_UNUSABLE_PAGES * pageBytes) {
      long handle = cuda.create(HELD_HANDLE_BYTES);
      if (handle == REFUSED) {
        break;
      }
      aside.add(handle);
    }
    long free = cuda.freeBytes() & -pageBytes;
    long pages = 0;
    long handle = REFUSED;
    while (handle == REFUSED && pages <= MAX_UNUSABLE_PAGES && free > pages * pageBytes) {
      handle = cuda.create(free - pages * pageBytes);
      pages += handle == REFUSED ? 1 : 0;
    }
    if (handle != REFUSED) {
      cuda.release(handle);
    }
    aside.forEach(cuda::release);
    return pages * pageBytes;
  }

  /** {@inheritDoc} Blocks below a page share pages, so only the driver knows what they take. */
  @Override
  public synchronized long allocate(long bytes) {
    requireOpen();
    if (bytes >= pageBytes && isBeyondBound(bytes)) {
      return REFUSED;
    }
    long start = System.nanoTime();
    long address = cuda.allocate(bytes);
    called(DriverCall.ALLOCATE, bytes, start, address == REFUSED);
    if (address != REFUSED && bytes < pageBytes && isBeyondBound(0)) {
      cuda.free(address);
      return REFUSED;
    }
    if (address != REFUSED) {
      blocks.put(address, bytes);
    }
    return address;
  }

  @Override
  public synchronized void free(long address, long bytes) {
    requireOpen();
    if (blocks.remove(address) == null) {
      throw unknown("block", address);
    }
    long start = System.nanoTime();
    cuda.free(address);
    called(DriverCall.FREE, bytes, start, false);
  }

  @Override
  public synchronized long reserve(long bytes, long handleBytes, int stream) {
    requireOpen();
    long start = System.nanoTime();
    long address = cuda.reserve(bytes);
    called(DriverCall.ADDRESS_RESERVE, bytes, start, address == REFUSED);
    if (address != REFUSED) {
      ranges.put(address, bytes);
    }
    return address;
  }

  @Override
  public synchronized void unreserve(long address, long bytes) {
    requireOpen();
    if (ranges.remove(address) == null) {
      throw unknown("range", address);
    }
    long start = System.nanoTime();
    cuda.unreserve(address, bytes);
    called(DriverCall.ADDRESS_FREE, bytes, start, false);
  }

  @Override
  public synchronized boolean map(long address, long bytes, long handleBytes) {
    requireOpen();
    return handles.createMapped(address, bytes, handleBytes);
  }

  @Override
  public synchronized void unmap(long address, long bytes, long handleBytes) {
    requireOpen();
    handles.removeMapped(address, bytes, handleBytes);
  }

  @Override
  public Optional<HandleMemory> handleMemory() {
    return Optional.of(handles);
  }

  /** Memory that is being filled must not be unmapped. */
  void awaitTouches() {
    if (touched) {
      cuda.synchronizeContext();
    }
  }

  @Override
  public synchronized long freeBytes() {
    requireOpen();
    return Math.max(0, Math.min(cuda.freeBytes(), boundLeft()));
  }

  @Override
  public long totalBytes() {
    return totalBytes;
  }

  @Override
  public Optional<StreamOrderedMemory> streamOrdered() {
    return Optional.of(this);
  }

  @Override
  public synchronized long allocateAsync(long bytes, int stream) {
    requireOpen();
    long handle = stream(stream);
    long from = pool();
    if (bounds.maxBytes() != Long.MAX_VALUE
        && isBeyondBound(bytes - poolReservedBytes() + poolUsedBytes())) {
      return REFUSED;
    }
    long start = System.nanoTime();
    long address = cuda.allocateAsync(bytes, from, handle);
    called(DriverCall.ALLOCATE_ASYNC, bytes, start, address == REFUSED);
    if (address != REFUSED && isBeyondBound(0)) {
      cuda.freeAsync(address, handle);
      cuda.synchronizeStream(handle);
      cuda.trimPool(from, 0);
      return REFUSED;
    }
    if (address != REFUSED) {
      asyncBlocks.put(address, bytes);
    }
    return address;
  }

  @Override
  public synchronized void freeAsync(long address, long bytes, int stream) {
    requireOpen();
    if (asyncBlocks.remove(address) == null) {
      throw unknown("stream-ordered block", address);
    }
    long handle = stream(stream);
    long start = System.nanoTime();
    cuda.freeAsync(address, handle);
    called(DriverCall.FREE_ASYNC, bytes, start, false);
  }

  @Override
  public synchronized void synchronizeStream(int stream) {
    requireOpen();
    cuda.synchronizeStream(stream(stream));
  }

  @Override
  public synchronized void synchronizeDevice() {
    requireOpen();
    cuda.synchronizeContext();
  }

  @Override
  public synchronized void trimPool(long keptBytes) {
    requireOpen();
    long from = pool();
    long start = System.nanoTime();
    cuda.trimPool(from, keptBytes);
    called(DriverCall.TRIM_POOL, keptBytes, start, false);
  }

  @Override
  public synchronized long poolReservedBytes() {
    requireOpen();
    return cuda.poolAttribute(pool(), CudaCalls.PoolAttribute.RESERVED_BYTES);
  }

  @Override
  public synchronized long poolUsedBytes() {
    requireOpen();
    return cuda.poolAttribute(pool(), CudaCalls.PoolAttribute.USED_BYTES);
  }

  @Override
  public synchronized void setReleaseThreshold(long bytes) {
    requireOpen();
    threshold = bytes;
    if (thresholdBefore < 0 && ownPool == 0) {
      thresholdBefore = cuda.poolAttribute(pool(), CudaCalls.PoolAttribute.RELEASE_THRESHOLD);
    }
    cuda.setPoolAttribute(
        pool(), CudaCalls.PoolAttribute.RELEASE_THRESHOLD, bytes == KEEP_ALL ? -1 : bytes);
  }

  /**
   * {@inheritDoc} The default pool has no limit, so a pool of its own takes its place, with the
   * same settings.
   */
  @Override
  public synchronized void setPoolLimit(long bytes) {
    requireOpen();
    if (!asyncBlocks.isEmpty()) {
      throw new IllegalStateException("a pool that is in use cannot get a limit");
    }
    if (ownPool != 0) {
      cuda.destroyPool(ownPool);
    }
    ownPool = cuda.createPool(bytes);
    setReleaseThreshold(threshold);
    setReuse(opportunistic, internalDependencies);
  }

  @Override
  public synchronized void setReuse(boolean opportunistic, boolean internalDependencies) {
    requireOpen();
    this.opportunistic = opportunistic;
    this.internalDependencies = internalDependencies;
    cuda.setPoolAttribute(
        pool(), CudaCalls.PoolAttribute.REUSE_OPPORTUNISTIC, opportunistic ? 1 : 0);
    cuda.setPoolAttribute(
        pool(), CudaCalls.PoolAttribute.REUSE_INTERNAL_DEPENDENCIES, internalDependencies ? 1 : 0);
  }

  /** Fills memory with zeros on a stream, so that it is really used. */
  public synchronized void touch(long address, long bytes, int stream) {
    requireOpen();
    touched = true;
    cuda.fill(address, bytes, stream(stream));
  }

  /** Makes streams with the numbers below {@code count}, as a program does that asks for them. */
  public synchronized void createStreams(int count) {
    requireOpen();
    for (int stream = 0; stream < count; stream++) {
      stream(stream);
    }
  }

  /** Takes pinned host memory ({@code cuMemAllocHost}); answers its address. */
  public synchronized long allocateHost(long bytes) {
    requireOpen();
    long address = cuda.allocateHost(bytes);
    if (address != REFUSED) {
      hostBlocks.add(address);
    }
    return address;
  }

  /** Gives pinned host memory back ({@code cuMemFreeHost}). */
  public synchronized void freeHost(long address) {
    requireOpen();
    if (!hostBlocks.remove(address)) {
      throw unknown("pinned host memory", address);
    }
    cuda.freeHost(address);
  }

  /**
   * Copies to the device and waits ({@code cuMemcpyHtoD}).
   *
   * @param host address in this process, pinned or not, of at least so many bytes
   */
  public synchronized void copyToDevice(long address, long host, long bytes) {
    requireOpen();
    cuda.copyToDevice(address, host, bytes);
  }

  /** Copies to the host and waits ({@code cuMemcpyDtoH}). */
  public synchronized void copyToHost(long host, long address, long bytes) {
    requireOpen();
    cuda.copyToHost(host, address, bytes);
  }

  private long stream(int number) {
    if (number >= streams.length) {
      streams = Arrays.copyOf(streams, Math.max(number + 1, streams.length * 2));
    }
    if (streams[number] == 0) {
      streams[number] = cuda.createStream();
    }
    return streams[number];
  }

  private long pool() {
    if (ownPool != 0) {
      return ownPool;
    }
    if (pool == 0) {
      pool = cuda.defaultPool();
    }
    return pool;
  }

  boolean isBeyondBound(long bytes) {
    if (bounds.maxBytes() == Long.MAX_VALUE) {
      return false;
    }
    boolean beyond = bytes > boundLeft();
    if (beyond) {
      refusedByBound++;
    }
    return beyond;
  }

  private long boundLeft() {
    return bounds.maxBytes() == Long.MAX_VALUE
        ? Long.MAX_VALUE
        : bounds.maxBytes() - (freeBytesAtStart - cuda.freeBytes());
  }

  void called(DriverCall call, long bytes, long startedNanos, boolean refused) {
    listener.called(call, bytes, System.nanoTime() - startedNanos, refused);
  }

  void requireOpen() {
    if (closed) {
      throw new CudaException("the GPU was released because the program is ending");
    }
    if (System.nanoTime() - startNanos > bounds.maxNanos()) {
      throw new CudaException(
          "the GPU was used for longer than the allowed %.0f s; allow more or run less"
              .formatted(bounds.maxNanos() / 1e9));
    }
  }

  static IllegalStateException unknown(String what, long address) {
    return new IllegalStateException(
        "%s 0x%x was not taken from this GPU".formatted(what, address));
  }

  private synchronized void closeEarly() {
    if (!closed) {
      cuda.useContext();
      freeAll();
    }
  }

  /** Gives everything back that was taken from the driver. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    part.close();
    freeAll();
  }

  /** Goes on after a call that fails, so that one failure leaves nothing else behind. */
  private void freeAll() {
    closed = true;
    Cleanup cleanup = new Cleanup();
    cleanup.attempt(cuda::synchronizeContext);
    long any = streams[0];
    asyncBlocks.keySet().forEach(address -> cleanup.attempt(() -> cuda.freeAsync(address, any)));
    blocks.keySet().forEach(address -> cleanup.attempt(() -> cuda.free(address)));
    handles.freeAll(cleanup);
    heldBack.forEach(handle -> cleanup.attempt(() -> cuda.release(handle)));
    hostBlocks.forEach(address -> cleanup.attempt(() -> cuda.freeHost(address)));
    ranges.forEach((address, bytes) -> cleanup.attempt(() -> cuda.unreserve(address, bytes)));
    cleanup.attempt(cuda::synchronizeContext);
    if (ownPool != 0) {
      cleanup.attempt(() -> cuda.destroyPool(ownPool));
    }
    if (pool != 0) {
      cleanup.attempt(() -> cuda.trimPool(pool, 0));
      if (thresholdBefore >= 0) {
        cleanup.attempt(() ->
            cuda.setPoolAttribute(
                pool, CudaCalls.PoolAttribute.RELEASE_THRESHOLD, thresholdBefore));
      }
    }
    for (long stream : streams) {
      if (stream != 0) {
        cleanup.attempt(() -> cuda.destroyStream(stream));
      }
    }
    cleanup.attempt(cuda::close);
    asyncBlocks.clear();
    blocks.clear();
    heldBack.clear();
    hostBlocks.clear();
    ranges.clear();
    cleanup.finish();
  }
}
