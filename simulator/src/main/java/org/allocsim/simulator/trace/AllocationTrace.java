package org.allocsim.simulator.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a program asked of its allocators, in order: an immutable table with one row per request.
 *
 * <p>Columns are primitive arrays, 30 bytes a row: kind, device, stream and allocation together,
 * pool, bytes, time, stack. Allocation ids are dense, 0 to {@link #allocationCount()} − 1, and each
 * id is allocated once. Streams are numbered by ascending unsigned handle, so that comparing
 * numbers compares handles. The rows of one device are in order; rows of different devices, whose
 * allocators know nothing of each other, need not be merged by time. The first {@link
 * #prologueCount()} rows allocate what already existed when the recording began; a policy that can
 * restore a layout starts after them.
 */
public final class AllocationTrace {
  /** Stream of a use whose stream the recording does not show. */
  public static final int UNKNOWN_STREAM = -1;

  /** Stream of a USE_COMPLETE row that concerns the uses on all streams. */
  public static final int ANY_STREAM = -1;

  /** Value of the allocation column where a row concerns no allocation. */
  public static final int NO_ALLOCATION = -1;

  /** Bytes of memory one row takes. */
  public static final int ROW_BYTES = 30;

  private final int eventCount;
  private final int prologueCount;
  private final int allocationCount;
  final long[] heads;

  /** Null where all rows are of the default pool. */
  final short @Nullable [] pools;

  final long[] bytes;
  private final long[] timesNanos;
  final int[] stacks;
  private final long[] streamHandles;
  private final List<PoolId> poolIds;

  /** By number, of the pools that are not plain. */
  private final Map<Integer, PoolOptions> poolOptions;

  /** Names of markers, and settings of CHANGE_SETTINGS rows. */
  private final List<String> markerNames;

  private final boolean changesAllocator;
  private final boolean ofPyTorch;
  private final long refusedBytes;
  private final StackTable stackTable;
  private final List<Work> works;
  private final List<Loader> loaders;
  private final int hostBufferCount;
  private final int gpuEventCount;
  private final int[] restoreEvents;
  final int[] anchors;

  /** Allocations that are anchors. */
  private final BitSet anchored;

  private final long[] anchorOffsetsBytes;

  @SuppressWarnings("NullAway") // the builder gives its columns up and is not used again
  private AllocationTrace(Builder b, StackTable stackTable) {
    eventCount = b.count;
    prologueCount = b.prologueCount;
    allocationCount = b.allocationCount;
    heads = cut(b.heads, b.count);
    b.heads = null;
    poolIds = List.copyOf(b.poolNumbers.keySet());
    poolOptions = Map.copyOf(b.poolOptions);
    pools = b.pools == null ? null : Arrays.copyOf(b.pools, b.count);
    b.pools = null;
    bytes = cut(b.bytes, b.count);
    b.bytes = null;
    timesNanos = cut(b.timesNanos, b.count);
    b.timesNanos = null;
    stacks = b.stacks.length == b.count ? b.stacks : Arrays.copyOf(b.stacks, b.count);
    b.stacks = null;
    streamHandles = b.sortedHandles();
    b.renumberStreams(heads, streamHandles);
    markerNames = List.copyOf(b.markerNumbers.keySet());
    changesAllocator = b.changesAllocator;
    ofPyTorch = b.ofPyTorch;
    refusedBytes = b.refusedBytes;
    works = List.copyOf(b.workNumbers.keySet());
    loaders = List.copyOf(b.loaders);
    hostBufferCount = b.hostBufferCount;
    gpuEventCount = b.gpuEventCount;
    restoreEvents = Arrays.copyOf(b.restoreEvents, b.restoreCount);
    anchors = Arrays.copyOf(b.anchors, b.restoreCount);
    anchorOffsetsBytes = Arrays.copyOf(b.anchorOffsetsBytes, b.restoreCount);
    anchored = allocationsOf(anchors);
    this.stackTable = stackTable;
  }

  /** A trace that has other columns than another one, with as many rows. */
  AllocationTrace(
      AllocationTrace source,
      long[] heads,
      short @Nullable [] pools,
      long[] bytes,
      int[] stacks,
      int[] anchors) {
    eventCount = source.eventCount;
    prologueCount = source.prologueCount;
    allocationCount = source.allocationCount;
    this.heads = heads;
    this.pools = pools;
    this.bytes = bytes;
    timesNanos = source.timesNanos;
    this.stacks = stacks;
    streamHandles = source.streamHandles;
    poolIds = source.poolIds;
    poolOptions = source.poolOptions;
    markerNames = source.markerNames;
    changesAllocator = source.changesAllocator;
    ofPyTorch = source.ofPyTorch;
    refusedBytes = source.refusedBytes;
    stackTable = source.stackTable;
    works = source.works;
    loaders = source.loaders;
    hostBufferCount = source.hostBufferCount;
    gpuEventCount = source.gpuEventCount;
    restoreEvents = source.restoreEvents;
    this.anchors = anchors;
    anchored = allocationsOf(anchors);
    anchorOffsetsBytes = source.anchorOffsetsBytes;
  }

  private static BitSet allocationsOf(int[] anchors) {
    BitSet allocations = new BitSet();
    for (int anchor : anchors) {
      if (anchor != NO_ALLOCATION) {
        allocations.set(anchor);
      }
    }
    return allocations;
  }

  private static long[] cut(long[] column, int rows) {
    return column.length == rows ? column : Arrays.copyOf(column, rows);
  }

  /** Number of rows. */
  public int eventCount() {
    return eventCount;
  }

  /** Number of leading rows that recreate what existed before the recording. */
  public int prologueCount() {
    return prologueCount;
  }

  /** Number of allocation ids. */
  public int allocationCount() {
    return allocationCount;
  }

  /**
   * Whether the program runs on PyTorch, whose process takes device memory beside its allocator's.
   * A trace built without {@link Builder#ofPyTorch} does; one read from a file does if its format
   * says so.
   */
  public boolean isOfPyTorch() {
    return ofPyTorch;
  }

  /**
   * How much the program could not have, by requests that failed when it was recorded: what was
   * live and what was asked for; the least of them, −1 where none failed.
   */
  public long refusedBytes() {
    return refusedBytes;
  }

  /** Number of streams over all devices. */
  public int streamCount() {
    return streamHandles.length;
  }

  /** Number of pools, the default pool (number 0) included. */
  public int poolCount() {
    return poolIds.size();
  }

  /** One more than the largest device index, at least 1. */
  public int deviceCount() {
    int most = 0;
    for (long head : heads) {
      most = Math.max(most, RowHead.device(head));
    }
    return most + 1;
  }

  /** Kind, device, stream and allocation of a row together; see {@link RowHead}. */
  public long head(int event) {
    return heads[event];
  }

  /** Kind of row {@code event}. */
  public RequestKind kind(int event) {
    return RequestKind.of((byte) heads[event]);
  }

  /** Device index of a row. */
  public int device(int event) {
    return RowHead.device(heads[event]);
  }

  /** Stream number of a row, or {@link #UNKNOWN_STREAM} or {@link #ANY_STREAM}. */
  public int stream(int event) {
    return RowHead.stream(heads[event]);
  }

  /** Pool number of a row; 0 is the default pool. */
  public int pool(int event) {
    return pools == null ? 0 : pools[event];
  }

  /**
   * Allocation id of a row, or {@link #NO_ALLOCATION}. Rows that concern something else keep its
   * number in the same column; see {@link #marker}, {@link #workNumber}, {@link #gpuEvent}, {@link
   * #loaderNumber} and {@link #hostBuffer}.
   */
  public int allocation(int event) {
    return RowHead.allocation(heads[event]);
  }

  /** Number of the marker of a MARKER_BEGIN or MARKER_END row. */
  public int marker(int event) {
    return allocation(event);
  }

  /** The settings of a CHANGE_SETTINGS row, as the program wrote them. */
  public String settings(int event) {
    return markerNames.get(allocation(event));
  }

  /** Whether the program changes settings or limit of its allocator. */
  public boolean changesAllocator() {
    return changesAllocator;
  }

  /** Number of the work that a LAUNCH row queues. */
  public int workNumber(int event) {
    return allocation(event);
  }

  /** Number of the event of a RECORD_EVENT, WAIT_EVENT or SYNCHRONIZE_EVENT row. */
  public int gpuEvent(int event) {
    return allocation(event);
  }

  /** Number of the loader of a LOAD_BATCH row. */
  public int loaderNumber(int event) {
    return allocation(event);
  }

  /** Number of the host buffer of a HOST_ALLOCATE, HOST_FREE or HOST_USE_STREAM row. */
  public int hostBuffer(int event) {
    return allocation(event);
  }

  /**
   * Bytes of an ALLOCATE, RESTORE_BLOCK or HOST_ALLOCATE row. USE_STREAM and HOST_WORK rows keep
   * their {@link #completionRank} and {@link #hostNanos} in the same column; others have 0.
   */
  public long bytes(int event) {
    return bytes[event];
  }

  /** Completion rank of a USE_STREAM row. */
  public long completionRank(int event) {
    return bytes(event);
  }

  /** For how many nanoseconds the host is busy in a HOST_WORK row. */
  public long hostNanos(int event) {
    return bytes(event);
  }

  /** Time of a row in nanoseconds of the recording's own clock. */
  public long timeNanos(int event) {
    return timesNanos[event];
  }

  /** Stack of a row, a number in {@link #stacks()}. */
  public int stack(int event) {
    return stacks[event];
  }

  /** Whether any row depends on where another allocation was placed. */
  public boolean hasAnchors() {
    return anchors.length > 0;
  }

  /** Whether the place of an allocation is the anchor of a RESTORE_BLOCK row. */
  public boolean isAnchor(int allocation) {
    return anchored.get(allocation);
  }

  /**
   * The allocation relative to whose address a RESTORE_BLOCK row is placed, or {@link
   * #NO_ALLOCATION} where {@link #anchorOffsetBytes} is the recorded address itself.
   */
  public int anchor(int event) {
    return anchors[Arrays.binarySearch(restoreEvents, event)];
  }

  /** Distance of a RESTORE_BLOCK row's place from its anchor; may be negative. */
  public long anchorOffsetBytes(int event) {
    return anchorOffsetsBytes[Arrays.binarySearch(restoreEvents, event)];
  }

  /** Handle of a stream as the recording has it; compare as unsigned. */
  public long streamHandle(int stream) {
    return streamHandles[stream];
  }

  /** Number of the stream with this handle, or −1. */
  public int streamOfHandle(long handle) {
    for (int i = 0; i < streamHandles.length; i++) {
      if (streamHandles[i] == handle) {
        return i;
      }
    }
    return -1;
  }

  /** Identity of a pool. */
  public PoolId poolId(int pool) {
    return poolIds.get(pool);
  }

  /** How the program made a pool. */
  public PoolOptions poolOptions(int pool) {
    return poolOptions.getOrDefault(pool, PoolOptions.PLAIN);
  }

  /** Name of a marker. */
  public String markerName(int marker) {
    return markerNames.get(marker);
  }

  /** Name of the marker of a MARKER_BEGIN or MARKER_END row. */
  public String markerNameOf(int event) {
    return markerNames.get(marker(event));
  }

  /** Work that LAUNCH rows queue, by its number. */
  public Work work(int number) {
    return works.get(number);
  }

  /** The work that a LAUNCH row queues. */
  public Work workOf(int event) {
    return works.get(workNumber(event));
  }

  /** Number of different pieces of work. */
  public int workCount() {
    return works.size();
  }

  /** A loader by its number. */
  public Loader loader(int number) {
    return loaders.get(number);
  }

  /** Number of loaders. */
  public int loaderCount() {
    return loaders.size();
  }

  /** Number of host buffers. */
  public int hostBufferCount() {
    return hostBufferCount;
  }

  /** One more than the largest number of a GPU event. */
  public int gpuEventCount() {
    return gpuEventCount;
  }

  /** The shared stack traces. */
  public StackTable stacks() {
    return stackTable;
  }

  /**
   * Appends rows. Rows that contradict each other (a free of an id that is not live, a second
   * allocation of one id, a negative size) are refused with an {@link IllegalArgumentException}.
   */
  public static final class Builder {
    private static final int MAX_STREAMS = 32_000;
    private static final int MAX_POOLS = 32_000;
    private static final int MAX_WORKS = 1 << 22;
    private static final int MAX_GPU_EVENTS = 1 << 24;

    private int count;
    private int prologueCount;
    private int allocationCount;
    private long[] heads;

    /** Null as long as all rows are of the default pool. */
    private short @Nullable [] pools;

    private long[] bytes;
    private long[] timesNanos;
    private int[] stacks;
    private final Map<Long, Integer> streamNumbers = new LinkedHashMap<>();
    private final Map<PoolId, Integer> poolNumbers = new LinkedHashMap<>();
    private final Map<Integer, PoolOptions> poolOptions = new HashMap<>();
    private final Map<String, Integer> markerNumbers = new LinkedHashMap<>();
    private boolean changesAllocator;
    private boolean ofPyTorch = true;
    private long refusedBytes = -1;
    private final Map<Work, Integer> workNumbers = new LinkedHashMap<>();
    private final List<Loader> loaders = new ArrayList<>();
    private final BitSet liveHostBuffers = new BitSet();
    private int hostBufferCount;
    private int gpuEventCount;
    private long[] live = new long[16];
    private int restoreCount;
    private int[] restoreEvents = new int[4];
    private int[] anchors = new int[4];
    private long[] anchorOffsetsBytes = new long[4];
    private int device;
    private long timeNanos;
    private int stack;

    // What the row before named, which most rows name again.
    private long lastHandle;
    private int lastStream = -1;
    private PoolId lastPoolId = PoolId.DEFAULT;
    private int lastPool;

    /** An empty trace with the default pool. */
    public Builder() {
      this(1024);
    }

    /** An empty trace with the default pool and, to begin with, room for a number of rows. */
    public Builder(int capacityRows) {
      heads = new long[capacityRows];
      bytes = new long[capacityRows];
      timesNanos = new long[capacityRows];
      stacks = new int[capacityRows];
      poolNumbers.put(PoolId.DEFAULT, 0);
    }

    /** Sets device, time and stack of the rows that follow. */
    public Builder at(int device, long timeNanos, int stack) {
      if (device < 0 || device > Byte.MAX_VALUE) {
        throw new IllegalArgumentException("device index " + device + " is outside 0..127");
      }
      this.device = device;
      this.timeNanos = timeNanos;
      this.stack = stack;
      return this;
    }

    /** Sets whether the program runs on PyTorch; without this it does. */
    public Builder ofPyTorch(boolean isOfPyTorch) {
      ofPyTorch = isOfPyTorch;
      return this;
    }

    /** Notes that a request failed that would have made so much live. */
    public void refuse(long bytes) {
      refusedBytes = refusedBytes < 0 ? bytes : Math.min(refusedBytes, bytes);
    }

    /** Makes a stream part of the trace even if no row should name it. */
    public void declareStream(long handle) {
      stream(handle);
    }

    /** Provisional number of a stream; the finished trace renumbers streams by handle. */
    private int stream(long handle) {
      if (handle != lastHandle || lastStream < 0) {
        lastStream = numberOfStream(handle);
        lastHandle = handle;
      }
      return lastStream;
    }

    private int numberOfStream(long handle) {
      Integer known = streamNumbers.get(handle);
      if (known != null) {
        return known;
      }
      if (streamNumbers.size() >= MAX_STREAMS) {
        throw new IllegalArgumentException("more than " + MAX_STREAMS + " streams");
      }
      streamNumbers.put(handle, streamNumbers.size());
      return streamNumbers.size() - 1;
    }

    /** Makes a pool part of the trace and returns its number. */
    public int declarePool(PoolId id) {
      return pool(id);
    }

    /**
     * As above for a pool that the program made in a certain way.
     *
     * @throws IllegalArgumentException for options of the default pool
     */
    public int declarePool(PoolId id, PoolOptions options) {
      int number = pool(id);
      if (!options.equals(PoolOptions.PLAIN)) {
        if (id.isDefault()) {
          throw new IllegalArgumentException("the default pool has no options");
        }
        poolOptions.put(number, options);
      }
      return number;
    }

    // Another object with the same name is looked up, which is slower and not wrong.
    @SuppressWarnings("ReferenceEquality")
    private int pool(PoolId id) {
      if (id != lastPoolId) {
        lastPool = numberOfPool(id);
        lastPoolId = id;
      }
      return lastPool;
    }

    private int numberOfPool(PoolId id) {
      Integer known = poolNumbers.get(id);
      if (known != null) {
        return known;
      }
      if (poolNumbers.size() >= MAX_POOLS) {
        throw new IllegalArgumentException("more than " + MAX_POOLS + " pools");
      }
      poolNumbers.put(id, poolNumbers.size());
      return poolNumbers.size() - 1;
    }

    /** Appends an ALLOCATE row and returns the new allocation's id. */
    public int allocate(long requestedBytes, long streamHandle, PoolId pool) {
      int id = newAllocation(requestedBytes);
      append(RequestKind.ALLOCATE, id, requestedBytes, stream(streamHandle), pool(pool));
      return id;
    }

    /**
     * Appends a RESTORE_BLOCK row and returns the new allocation's id.
     *
     * @param anchor see {@link AllocationTrace#anchor}
     */
    public int restoreBlock(
        long blockBytes, long streamHandle, PoolId pool, int anchor, long anchorOffsetBytes) {
      int id = newAllocation(blockBytes);
      if (restoreCount == restoreEvents.length) {
        restoreEvents = Arrays.copyOf(restoreEvents, restoreCount * 2);
        anchors = Arrays.copyOf(anchors, restoreCount * 2);
        anchorOffsetsBytes = Arrays.copyOf(anchorOffsetsBytes, restoreCount * 2);
      }
      restoreEvents[restoreCount] = count;
      anchors[restoreCount] = anchor;
      anchorOffsetsBytes[restoreCount++] = anchorOffsetBytes;
      append(RequestKind.RESTORE_BLOCK, id, blockBytes, stream(streamHandle), pool(pool));
      return id;
    }

    private int newAllocation(long requestedBytes) {
      if (requestedBytes < 0) {
        throw new IllegalArgumentException(
            "size " + Long.toUnsignedString(requestedBytes) + " is not below 2^63");
      }
      int id = allocationCount++;
      if ((id >> 6) >= live.length) {
        live = Arrays.copyOf(live, live.length + (live.length >> 1));
      }
      live[id >> 6] |= 1L << id;
      return id;
    }

    /** Appends a FREE row that does not say in the order of which stream's work it happens. */
    public void free(int allocation) {
      freeNumbered(allocation, UNKNOWN_STREAM);
    }

    /** Appends a FREE row in the order of a stream's work. */
    public void free(int allocation, long streamHandle) {
      freeNumbered(allocation, stream(streamHandle));
    }

    private void freeNumbered(int allocation, int stream) {
      if (!isLive(allocation)) {
        throw new IllegalArgumentException("allocation " + allocation + " is not live");
      }
      live[allocation >> 6] &= ~(1L << allocation);
      append(RequestKind.FREE, allocation, 0, stream, 0);
    }

    /** Appends a USE_STREAM row for a known stream. */
    public void useStream(int allocation, long streamHandle, long completionRank) {
      append(RequestKind.USE_STREAM, allocation, completionRank, stream(streamHandle), 0);
    }

    /** Appends a USE_STREAM row for a stream that the recording does not show. */
    public void useUnknownStream(int allocation, long completionRank) {
      append(RequestKind.USE_STREAM, allocation, completionRank, UNKNOWN_STREAM, 0);
    }

    /** Appends a USE_COMPLETE row for all streams. */
    public void useComplete(int allocation) {
      append(RequestKind.USE_COMPLETE, allocation, 0, ANY_STREAM, 0);
    }

    /** Appends a USE_COMPLETE row for one stream. */
    public void useComplete(int allocation, long streamHandle) {
      append(RequestKind.USE_COMPLETE, allocation, 0, stream(streamHandle), 0);
    }

    /** Appends a SYNCHRONIZE row. */
    public void synchronize() {
      append(RequestKind.SYNCHRONIZE, NO_ALLOCATION, 0, 0, 0);
    }

    /** Appends a SYNCHRONIZE_STREAM row. */
    public void synchronizeStream(long streamHandle) {
      append(RequestKind.SYNCHRONIZE_STREAM, NO_ALLOCATION, 0, stream(streamHandle), 0);
    }

    /** Appends an EMPTY_CACHE row. */
    public void emptyCache() {
      append(RequestKind.EMPTY_CACHE, NO_ALLOCATION, 0, 0, 0);
    }

    /** Appends a RELEASE_POOL row. */
    public void releasePool(PoolId pool) {
      append(RequestKind.RELEASE_POOL, NO_ALLOCATION, 0, 0, pool(pool));
    }

    /** Appends an EMPTY_POOL row. */
    public void emptyPool(PoolId pool) {
      append(RequestKind.EMPTY_POOL, NO_ALLOCATION, 0, 0, pool(pool));
    }

    /** Appends a SNAPSHOT row. */
    public void snapshot() {
      append(RequestKind.SNAPSHOT, NO_ALLOCATION, 0, 0, 0);
    }

    /** Appends a CHANGE_SETTINGS row. */
    public void changeSettings(String settings) {
      changesAllocator = true;
      append(RequestKind.CHANGE_SETTINGS, marker(settings), 0, 0, 0);
    }

    /**
     * Appends a CHANGE_LIMIT row.
     *
     * @param limitBytes what may be reserved, −1 without a limit
     */
    public void changeLimit(long limitBytes) {
      changesAllocator = true;
      append(RequestKind.CHANGE_LIMIT, NO_ALLOCATION, limitBytes, 0, 0);
    }

    /** Appends a MARKER_BEGIN row. */
    public void markerBegin(String name) {
      append(RequestKind.MARKER_BEGIN, marker(name), 0, 0, 0);
    }

    /** Appends a MARKER_END row. */
    public void markerEnd(String name) {
      append(RequestKind.MARKER_END, marker(name), 0, 0, 0);
    }

    /** Appends a LAUNCH row. */
    public void launch(Work work, long streamHandle) {
      Integer known = workNumbers.get(work);
      if (known == null) {
        if (workNumbers.size() >= MAX_WORKS) {
          throw new IllegalArgumentException(
              "more than " + MAX_WORKS + " different pieces of work");
        }
        known = workNumbers.size();
        workNumbers.put(work, known);
      }
      append(RequestKind.LAUNCH, known, 0, stream(streamHandle), 0);
    }

    /** Appends a RECORD_EVENT row. */
    public void recordEvent(int gpuEvent, long streamHandle) {
      append(RequestKind.RECORD_EVENT, gpuEvent(gpuEvent), 0, stream(streamHandle), 0);
    }

    /** Appends a WAIT_EVENT row; waiting for an event that was never recorded is no wait. */
    public void waitEvent(int gpuEvent, long streamHandle) {
      append(RequestKind.WAIT_EVENT, gpuEvent(gpuEvent), 0, stream(streamHandle), 0);
    }

    /** Appends a SYNCHRONIZE_EVENT row; waiting for an event never recorded is no wait. */
    public void synchronizeEvent(int gpuEvent) {
      append(RequestKind.SYNCHRONIZE_EVENT, gpuEvent(gpuEvent), 0, 0, 0);
    }

    private int gpuEvent(int number) {
      if (number < 0 || number >= MAX_GPU_EVENTS) {
        throw new IllegalArgumentException(
            "event number " + number + " is outside 0.." + (MAX_GPU_EVENTS - 1));
      }
      gpuEventCount = Math.max(gpuEventCount, number + 1);
      return number;
    }

    /** Appends a HOST_WORK row. */
    public void hostWork(long nanos) {
      if (nanos < 0) {
        throw new IllegalArgumentException("host work of " + nanos + " ns is negative");
      }
      append(RequestKind.HOST_WORK, NO_ALLOCATION, nanos, 0, 0);
    }

    /** Makes a loader part of the trace and returns its number. */
    public int declareLoader(Loader loader) {
      loaders.add(loader);
      return loaders.size() - 1;
    }

    /** Appends a LOAD_BATCH row. */
    public void loadBatch(int loader) {
      if (loader < 0 || loader >= loaders.size()) {
        throw new IllegalArgumentException("loader " + loader + " was not declared");
      }
      append(RequestKind.LOAD_BATCH, loader, 0, 0, 0);
    }

    /** Appends a HOST_ALLOCATE row and returns the new host buffer's number. */
    public int allocateHost(long requestedBytes) {
      if (requestedBytes < 0) {
        throw new IllegalArgumentException(
            "size " + Long.toUnsignedString(requestedBytes) + " is not below 2^63");
      }
      liveHostBuffers.set(hostBufferCount);
      append(RequestKind.HOST_ALLOCATE, hostBufferCount, requestedBytes, 0, 0);
      return hostBufferCount++;
    }

    /** Appends a HOST_FREE row. */
    public void freeHost(int hostBuffer) {
      requireLiveHost(hostBuffer);
      liveHostBuffers.clear(hostBuffer);
      append(RequestKind.HOST_FREE, hostBuffer, 0, 0, 0);
    }

    /** Appends a HOST_USE_STREAM row. */
    public void useHostOnStream(int hostBuffer, long streamHandle) {
      requireLiveHost(hostBuffer);
      append(RequestKind.HOST_USE_STREAM, hostBuffer, 0, stream(streamHandle), 0);
    }

    private void requireLiveHost(int hostBuffer) {
      if (hostBuffer < 0 || !liveHostBuffers.get(hostBuffer)) {
        throw new IllegalArgumentException("host buffer " + hostBuffer + " is not live");
      }
    }

    /** Declares that all rows so far recreate what existed before the recording. */
    public void endPrologue() {
      prologueCount = count;
    }

    /** Whether an allocation was made and not freed in the rows so far. */
    public boolean isLive(int allocation) {
      return allocation >= 0
          && allocation < allocationCount
          && (live[allocation >> 6] & (1L << allocation)) != 0;
    }

    /** Number of rows so far. */
    public int eventCount() {
      return count;
    }

    /** Number of different pieces of work so far. */
    public int workCount() {
      return workNumbers.size();
    }

    /** The finished trace; the builder cannot be used afterwards. */
    public AllocationTrace build(StackTable stackTable) {
      return new AllocationTrace(this, stackTable);
    }

    private int marker(String name) {
      return markerNumbers.computeIfAbsent(name, n -> markerNumbers.size());
    }

    private void append(RequestKind kind, int allocation, long value, int stream, int pool) {
      if (count == heads.length) {
        grow();
      }
      heads[count] = RowHead.of(kind.ordinal(), device, stream, allocation);
      if (pool != 0 && pools == null) {
        pools = new short[heads.length];
      }
      if (pools != null) {
        pools[count] = (short) pool;
      }
      bytes[count] = value;
      timesNanos[count] = timeNanos;
      stacks[count] = stack;
      count++;
    }

    private void grow() {
      int capacity = Math.addExact(count, (count >> 1) + 16);
      heads = Arrays.copyOf(heads, capacity);
      pools = pools == null ? null : Arrays.copyOf(pools, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      timesNanos = Arrays.copyOf(timesNanos, capacity);
      stacks = Arrays.copyOf(stacks, capacity);
    }

    private long[] sortedHandles() {
      return streamNumbers.keySet().stream()
          .sorted(Long::compareUnsigned)
          .mapToLong(Long::longValue)
          .toArray();
    }

    private void renumberStreams(long[] column, long[] sorted) {
      int[] renumbered = new int[sorted.length];
      for (int i = 0; i < sorted.length; i++) {
        renumbered[Objects.requireNonNull(streamNumbers.get(sorted[i]))] = i;
      }
      for (int i = 0; i < column.length; i++) {
        int stream = RowHead.stream(column[i]);
        if (stream >= 0 && sorted.length > 0) {
          column[i] = RowHead.withStream(column[i], renumbered[stream]);
        }
      }
    }
  }
}
