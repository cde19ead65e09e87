package org.allocsim.workloads.transform;

import java.util.Arrays;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.StackTable;
import org.jspecify.annotations.Nullable;

/**
 * Copies a trace row by row, so that rows can be left in another order, get another size or have
 * new ones between them. Streams, pools and stacks keep their numbers.
 */
final class TraceCopy {
  private final AllocationTrace source;
  private final AllocationTrace.Builder builder;

  /** What is added to device and event numbers, so that several sources have their own. */
  private final int firstDevice;

  private final int firstGpuEvent;
  private final int firstLoader;

  /** Numbers of the source's stacks in the copy; null where they are the same. */
  private final int @Nullable [] stacks;

  /** Ids in the copy by those in the source. */
  private final int[] ids;

  /** Host buffers in the copy by those in the source. */
  private final int[] hostBuffers;

  /** Device of the last row. */
  private int device;

  private boolean prologueEnded;

  TraceCopy(AllocationTrace source) {
    this(
        source,
        new AllocationTrace.Builder(source.eventCount()).ofPyTorch(source.isOfPyTorch()),
        0,
        0,
        null);
  }

  /**
   * A copy after others in one trace.
   *
   * @param firstDevice number of the source's device 0 there
   * @param firstGpuEvent number of its event 0
   * @param stacks numbers of its stacks; null where they stay
   */
  TraceCopy(
      AllocationTrace source,
      AllocationTrace.Builder builder,
      int firstDevice,
      int firstGpuEvent,
      int @Nullable [] stacks) {
    this.source = source;
    this.builder = builder;
    this.firstDevice = firstDevice;
    this.firstGpuEvent = firstGpuEvent;
    this.stacks = stacks;
    ids = new int[source.allocationCount()];
    Arrays.fill(ids, AllocationTrace.NO_ALLOCATION);
    for (int stream = 0; stream < source.streamCount(); stream++) {
      builder.declareStream(source.streamHandle(stream));
    }
    for (int pool = 0; pool < source.poolCount(); pool++) {
      builder.declarePool(source.poolId(pool), source.poolOptions(pool));
    }
    int loaders = 0;
    for (int loader = 0; loader < source.loaderCount(); loader++) {
      int number = builder.declareLoader(source.loader(loader));
      loaders = loader == 0 ? number : loaders;
    }
    firstLoader = loaders;
    hostBuffers = new int[source.hostBufferCount()];
  }

  /** Appends a row as it is. */
  void row(int event) {
    row(event, source.bytes(event), source.timeNanos(event));
  }

  /**
   * Appends a row with this size and time.
   *
   * @param bytes of an ALLOCATE row; other rows keep theirs
   */
  void row(int event, long bytes, long timeNanos) {
    if (event >= source.prologueCount()) {
      endPrologue();
    }
    append(event, bytes, timeNanos);
  }

  /** Appends a row of the source to the copy's prologue, wherever it stood. */
  void prologueRow(int event) {
    if (prologueEnded) {
      throw new IllegalStateException("the prologue has ended");
    }
    append(event, source.bytes(event), source.timeNanos(event));
  }

  private void append(int event, long bytes, long timeNanos) {
    device = firstDevice + source.device(event);
    int stack = source.stack(event);
    builder.at(device, timeNanos, stackInCopy(stack));
    int allocation = source.allocation(event);
    switch (source.kind(event)) {
      case ALLOCATE ->
          ids[allocation] =
              builder.allocate(bytes, handle(event), source.poolId(source.pool(event)));
      case RESTORE_BLOCK -> restoreBlock(event);
      case FREE -> free(event);
      case USE_STREAM -> useStream(event);
      case USE_COMPLETE -> useComplete(event);
      case SYNCHRONIZE -> builder.synchronize();
      case SYNCHRONIZE_STREAM -> builder.synchronizeStream(handle(event));
      case EMPTY_CACHE -> builder.emptyCache();
      case RELEASE_POOL -> builder.releasePool(source.poolId(source.pool(event)));
      case EMPTY_POOL -> builder.emptyPool(source.poolId(source.pool(event)));
      case CHANGE_SETTINGS -> builder.changeSettings(source.settings(event));
      case CHANGE_LIMIT -> builder.changeLimit(source.bytes(event));
      case MARKER_BEGIN -> builder.markerBegin(source.markerName(allocation));
      case MARKER_END -> builder.markerEnd(source.markerName(allocation));
      case SNAPSHOT -> builder.snapshot();
      case LAUNCH -> builder.launch(source.work(allocation), handle(event));
      case RECORD_EVENT -> builder.recordEvent(firstGpuEvent + allocation, handle(event));
      case WAIT_EVENT -> builder.waitEvent(firstGpuEvent + allocation, handle(event));
      case SYNCHRONIZE_EVENT -> builder.synchronizeEvent(firstGpuEvent + allocation);
      case HOST_WORK -> builder.hostWork(bytes);
      case LOAD_BATCH -> builder.loadBatch(firstLoader + allocation);
      case HOST_ALLOCATE -> hostBuffers[allocation] = builder.allocateHost(bytes);
      case HOST_FREE -> builder.freeHost(hostBuffers[allocation]);
      case HOST_USE_STREAM -> builder.useHostOnStream(hostBuffers[allocation], handle(event));
    }
  }

  /** A number that the source's table lacks stands for no stack. */
  private int stackInCopy(int stack) {
    if (stacks == null) {
      return stack;
    }
    return stack < stacks.length ? stacks[stack] : StackTable.NONE;
  }

  private long handle(int event) {
    return source.streamHandle(source.stream(event));
  }

  /** A place that is relative to an allocation which the copy lacks is left to the allocator. */
  private void restoreBlock(int event) {
    int anchor = source.anchor(event);
    if (anchor != AllocationTrace.NO_ALLOCATION && ids[anchor] == AllocationTrace.NO_ALLOCATION) {
      ids[source.allocation(event)] =
          builder.allocate(source.bytes(event), handle(event), source.poolId(source.pool(event)));
      return;
    }
    ids[source.allocation(event)] =
        builder.restoreBlock(
            source.bytes(event),
            handle(event),
            source.poolId(source.pool(event)),
            anchor == AllocationTrace.NO_ALLOCATION ? anchor : ids[anchor],
            source.anchorOffsetBytes(event));
  }

  private void free(int event) {
    if (source.stream(event) == AllocationTrace.UNKNOWN_STREAM) {
      builder.free(ids[source.allocation(event)]);
    } else {
      builder.free(ids[source.allocation(event)], handle(event));
    }
  }

  private void useStream(int event) {
    int allocation = ids[source.allocation(event)];
    if (source.stream(event) == AllocationTrace.UNKNOWN_STREAM) {
      builder.useUnknownStream(allocation, source.bytes(event));
    } else {
      builder.useStream(allocation, handle(event), source.bytes(event));
    }
  }

  private void useComplete(int event) {
    int allocation = ids[source.allocation(event)];
    if (source.stream(event) == AllocationTrace.ANY_STREAM) {
      builder.useComplete(allocation);
    } else {
      builder.useComplete(allocation, handle(event));
    }
  }

  /** Whether an allocation of the source is in the copy. */
  boolean holds(int allocation) {
    return ids[allocation] != AllocationTrace.NO_ALLOCATION;
  }

  /** Whether an allocation of the source is in the copy and was not given back there. */
  boolean isLive(int allocation) {
    return holds(allocation) && builder.isLive(ids[allocation]);
  }

  /** Appends a row that the source does not have: an allocation is given back. */
  void freeNow(int allocation, int ofDevice, long timeNanos) {
    builder.at(ofDevice, timeNanos, StackTable.NONE).free(ids[allocation]);
  }

  /** Appends a row that the source does not have: a host buffer is given back. */
  void freeHostNow(int hostBuffer, int ofDevice, long timeNanos) {
    builder.at(ofDevice, timeNanos, StackTable.NONE).freeHost(hostBuffers[hostBuffer]);
  }

  /** Appends a row that the source does not have: the host waits for a device. */
  void synchronize(int ofDevice, long timeNanos) {
    builder.at(ofDevice, timeNanos, StackTable.NONE).synchronize();
  }

  /** What comes next is no part of the prologue; does nothing the second time. */
  void endPrologue() {
    if (!prologueEnded) {
      prologueEnded = true;
      builder.endPrologue();
    }
  }

  /** What comes next is no part of a prologue that another copy has ended. */
  void prologueIsOver() {
    prologueEnded = true;
  }

  /** Appends a row that the source does not have: an allocation's use on a stream is over. */
  void useComplete(int allocation, int stream, long timeNanos) {
    builder.at(device, timeNanos, StackTable.NONE);
    builder.useComplete(ids[allocation], source.streamHandle(stream));
  }

  /** Appends a row that the source does not have: cached memory is returned to the device. */
  void emptyCache(int device, long timeNanos) {
    endPrologue();
    builder.at(device, timeNanos, StackTable.NONE).emptyCache();
  }

  /** The finished copy. */
  AllocationTrace build() {
    endPrologue();
    return builder.build(source.stacks());
  }
}
