package org.allocsim.analysis.suite;

import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.Loader;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;

/** Writes a program's requests, one microsecond apart, on device 0. */
public final class Requests {
  /** Bytes of a mebibyte. */
  public static final long MIB = 1L << 20;

  /** Bytes of a gibibyte. */
  public static final long GIB = 1L << 30;

  private static final long ROW_NANOS = 1_000;

  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private int device;
  private long timeNanos;

  private AllocationTrace.Builder row() {
    return trace.at(device, timeNanos += ROW_NANOS, StackTable.NONE);
  }

  /** Bytes of a number of gibibytes, to the nearest multiple of 2 MiB, as segments are. */
  public static long gib(double gibibytes) {
    return Math.round(gibibytes * GIB / (2 * MIB)) * 2 * MIB;
  }

  /** Requests that follow are for another device. */
  public Requests on(int otherDevice) {
    device = otherDevice;
    return this;
  }

  /** Asks for memory on the default stream; answers the allocation's id. */
  public int allocate(long bytes) {
    return allocate(bytes, 0, PoolId.DEFAULT);
  }

  /** Asks for memory of a pool for a stream; answers the allocation's id. */
  public int allocate(long bytes, long stream, PoolId pool) {
    return row().allocate(bytes, stream, pool);
  }

  /** Gives memory back. */
  public void free(int allocation) {
    row().free(allocation);
  }

  /** Gives memory back, in this order. */
  public void freeAll(List<Integer> allocations) {
    allocations.forEach(this::free);
  }

  /** Asks for memory and gives it back at once. */
  public void use(long bytes) {
    free(allocate(bytes));
  }

  /** Another stream uses an allocation; PyTorch's {@code record_stream}. */
  public void useStream(int allocation, long stream) {
    row().useStream(allocation, stream, 0);
  }

  /** Returns cached memory to the device. */
  public void emptyCache() {
    row().emptyCache();
  }

  /** The host waits for the device. */
  public void synchronize() {
    row().synchronize();
  }

  /** The host waits for what an event was recorded after. */
  public void synchronizeEvent(int gpuEvent) {
    row().synchronizeEvent(gpuEvent);
  }

  /** Records an event after what is queued on a stream. */
  public void recordEvent(int gpuEvent, long stream) {
    row().recordEvent(gpuEvent, stream);
  }

  /** What is queued on a stream from now on waits for an event. */
  public void waitEvent(int gpuEvent, long stream) {
    row().waitEvent(gpuEvent, stream);
  }

  /** Queues work on the default stream. */
  public void launch(Work work) {
    launch(work, 0);
  }

  /** Queues work on a stream. */
  public void launch(Work work, long stream) {
    row().launch(work, stream);
  }

  /** The host is busy. */
  public void hostWork(long nanos) {
    row().hostWork(nanos);
  }

  /** Makes a data loader; answers its number. */
  public int loader(Loader loader) {
    return trace.declareLoader(loader);
  }

  /** Takes the next batch of a loader. */
  public void loadBatch(int loader) {
    row().loadBatch(loader);
  }

  /** Asks for pinned host memory; answers the buffer's number. */
  public int allocateHost(long bytes) {
    return row().allocateHost(bytes);
  }

  /** Gives pinned host memory back, which work on the default stream uses. */
  public void freeHost(int buffer) {
    row().useHostOnStream(buffer, 0);
    row().freeHost(buffer);
  }

  public void beginStep(String name) {
    row().markerBegin(name);
  }

  public void endStep(String name) {
    row().markerEnd(name);
  }

  /** A named moment, at which {@link Outcome#at} gives the figures. */
  public void mark(String name) {
    row().markerBegin(name);
    row().markerEnd(name);
  }

  /** The finished program. */
  public AllocationTrace build() {
    return trace.build(StackTable.empty());
  }
}
