package org.allocsim.workloads.program.torch;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;

/** What a program asks of its GPU, written into a trace in the order in which it asks. */
public final class Device {
  /** Time between two rows; the engine computes times from the work that rows state. */
  private static final long ROW_NANOS = 1_000;

  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private long stream;
  private PoolId pool = PoolId.DEFAULT;
  private int gpuEvents;

  /** Handle of the stream that is current. */
  public long stream() {
    return stream;
  }

  /** Makes a stream current ({@code torch.cuda.stream}) and returns the one that was. */
  public long setStream(long handle) {
    long before = stream;
    stream = handle;
    return before;
  }

  /** Sends requests to a private pool from now on and returns the pool that was current. */
  public PoolId setPool(PoolId pool) {
    PoolId before = this.pool;
    this.pool = pool;
    return before;
  }

  int allocate(long bytes) {
    return next().allocate(bytes, stream, pool);
  }

  void free(int allocation) {
    next().free(allocation, stream);
  }

  void useStream(int allocation, long handle) {
    next().useStream(allocation, handle, 0);
  }

  /** Queues a kernel on the current stream. */
  public void kernel(long operations, long memoryBytes, Precision precision) {
    next().launch(new Work.Kernel(operations, memoryBytes, precision), stream);
  }

  /** Queues a copy between host and device on the current stream. */
  public void copy(long bytes, boolean toDevice, boolean pinned) {
    next().launch(new Work.Copy(bytes, toDevice, pinned), stream);
  }

  /** What is queued on {@code waiting} from now on waits for what is queued on {@code other}. */
  public void waitStream(long waiting, long other) {
    int event = gpuEvents++;
    next().recordEvent(event, other);
    next().waitEvent(event, waiting);
  }

  /** {@code torch.cuda.synchronize()}. */
  public void synchronize() {
    next().synchronize();
  }

  /** {@code torch.cuda.empty_cache()}. */
  public void emptyCache() {
    next().emptyCache();
  }

  /** Lets a private pool go whose last user is gone. */
  public void releasePool(PoolId released) {
    next().releasePool(released);
  }

  /** Marks the begin of a named span. */
  public void begin(String name) {
    next().markerBegin(name);
  }

  /** Marks the end of a named span. */
  public void end(String name) {
    next().markerEnd(name);
  }

  /** Host time that passes before the next request. */
  public void hostWork(long nanos) {
    next().hostWork(nanos);
  }

  /** Makes a data loader known; the number names it in {@link #loadBatch}. */
  public int declareLoader(org.allocsim.simulator.trace.Loader loader) {
    return trace.declareLoader(loader);
  }

  /** Takes the next batch of a data loader. */
  public void loadBatch(int loader) {
    next().loadBatch(loader);
  }

  /** Asks for page-locked host memory and returns its number. */
  public int allocateHost(long bytes) {
    return next().allocateHost(bytes);
  }

  /** Tells that a stream uses page-locked host memory. */
  public void useHost(int buffer, long handle) {
    next().useHostOnStream(buffer, handle);
  }

  /** Gives page-locked host memory back. */
  public void freeHost(int buffer) {
    next().freeHost(buffer);
  }

  private AllocationTrace.Builder next() {
    return trace.at(0, trace.eventCount() * ROW_NANOS, 0);
  }

  /** Number of rows so far. */
  public int rows() {
    return trace.eventCount();
  }

  /** The finished trace; the device cannot be used afterwards. */
  public AllocationTrace trace() {
    return trace.build(new StackTable.Builder().build());
  }
}
