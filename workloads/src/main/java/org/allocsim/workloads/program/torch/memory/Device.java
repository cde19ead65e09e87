package org.allocsim.workloads.program.torch.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.Precision;
import org.allocsim.simulator.trace.StackTable;
import org.allocsim.simulator.trace.Work;
import org.jspecify.annotations.Nullable;

/** What a program asks of its GPU, written into a trace in the order in which it asks. */
public final class Device {
  /** Time between two rows; the engine computes times from the work that rows state. */
  private static final long ROW_NANOS = 1_000;

  /**
   * Host time of PyTorch's eager mode for each kernel beside its launch: Python, dispatcher,
   * autograd. A GPT-2 training step under autocast for which the GPU waits took 18.6 ms with 639
   * kernels (PyTorch 2.11, transformers 5, the host of an NVIDIA H200); launches are 1.3 us of
   * these 29.
   */
  public static final long HOST_NANOS_PER_KERNEL = 27_800;

  /**
   * Host time of the first run of a kind of operation, for which the driver loads kernels: the
   * median over 18 programs of the medians of their pauses above 1.5 ms (PyTorch 2.11 on H200,
   * validation/attribution).
   */
  private static final long FIRST_RUN_NANOS = 7_200_000;

  /** Kernels whose host time becomes one row, so that traces stay small. */
  private static final int KERNELS_PER_HOST_ROW = 8;

  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private final long hostNanosPerKernel;
  private long pendingHostNanos;
  private long stream;
  private PoolId pool = PoolId.DEFAULT;
  private int gpuEvents;
  private @Nullable List<Work.Kernel> captured;
  private final StackTable.Builder stacks = new StackTable.Builder();

  /** Frames of the code that runs, the outermost first. */
  private final List<Integer> frames = new ArrayList<>();

  private int stack = StackTable.NONE;
  private final AllocatedBytes allocated = new AllocatedBytes();

  /** A device whose programs cost the host nothing. */
  public Device() {
    this(0);
  }

  /**
   * @param hostNanosPerKernel host time before each kernel beside its launch; written as one row
   *     for some kernels, ahead of the last of them
   */
  public Device(long hostNanosPerKernel) {
    this.hostNanosPerKernel = hostNanosPerKernel;
  }

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

  public int allocate(long bytes) {
    int allocation = next().allocate(bytes, stream, pool);
    allocated.add(allocation, bytes);
    return allocation;
  }

  public void free(int allocation) {
    allocated.remove(allocation);
    next().free(allocation, stream);
  }

  /** {@code torch.cuda.memory_allocated()}, in blocks of 512 bytes. */
  public long allocatedBytes() {
    return allocated.currentBytes();
  }

  /** {@code torch.cuda.max_memory_allocated()}, in blocks of 512 bytes. */
  public long peakAllocatedBytes() {
    return allocated.peakBytes();
  }

  /** {@code torch.cuda.reset_peak_memory_stats()}. */
  public void resetPeak() {
    allocated.resetPeak();
  }

  /** A function is called: rows have it on their stack until {@link #leave}. */
  public void enter(String file, String function) {
    frames.add(stacks.frame(file, 0, function));
    restack();
  }

  /** The function that was called last returns. */
  public void leave() {
    frames.removeLast();
    restack();
  }

  private void restack() {
    stack = stacks.stack(frames.reversed().stream().mapToInt(Integer::intValue).toArray());
  }

  public void useStream(int allocation, long handle) {
    next().useStream(allocation, handle, 0);
  }

  /** From now on kernels are recorded and not run ({@code cudaStreamBeginCapture}). */
  public void beginCapture() {
    captured = new ArrayList<>();
  }

  /** Ends the recording of kernels and returns them in order. */
  public List<Work.Kernel> endCapture() {
    List<Work.Kernel> graph = Objects.requireNonNull(captured, "a capture is in progress");
    captured = null;
    return graph;
  }

  /** Queues the kernels of a graph, which cost the host a launch each and no more. */
  public void replay(List<Work.Kernel> graph) {
    passHostTime();
    for (Work.Kernel kernel : graph) {
      next().launch(kernel, stream);
    }
  }

  /** Queues a kernel on the current stream. */
  public void kernel(long operations, long memoryBytes, Precision precision) {
    pendingHostNanos += hostNanosPerKernel;
    if (pendingHostNanos >= KERNELS_PER_HOST_ROW * hostNanosPerKernel) {
      passHostTime();
    }
    Work.Kernel kernel = new Work.Kernel(operations, memoryBytes, precision);
    if (captured == null) {
      next().launch(kernel, stream);
    } else {
      captured.add(kernel);
    }
  }

  /** The host loads the kernels of an operation; no time where programs cost the host nothing. */
  public void loadKernels() {
    if (hostNanosPerKernel > 0) {
      hostWork(FIRST_RUN_NANOS);
    }
  }

  /** Queues a message among ranks on the current stream. */
  public void collective(Work.Collective message) {
    pendingHostNanos += hostNanosPerKernel;
    passHostTime();
    next().launch(message, stream);
  }

  /** Queues a copy between host and device on the current stream. */
  public void copy(long bytes, boolean toDevice, boolean pinned) {
    passHostTime();
    next().launch(new Work.Copy(bytes, toDevice, pinned), stream);
  }

  /** What is queued on {@code waiting} from now on waits for what is queued on {@code other}. */
  public void waitStream(long waiting, long other) {
    passHostTime();
    int event = gpuEvents++;
    next().recordEvent(event, other);
    next().waitEvent(event, waiting);
  }

  /** {@code stream.record_event()} of the current stream. */
  public int recordEvent() {
    passHostTime();
    next().recordEvent(gpuEvents, stream);
    return gpuEvents++;
  }

  /** {@code event.synchronize()}. */
  public void synchronizeEvent(int event) {
    passHostTime();
    next().synchronizeEvent(event);
  }

  /** {@code torch.cuda.synchronize()}. */
  public void synchronize() {
    passHostTime();
    next().synchronize();
  }

  /** {@code torch.cuda.empty_cache()}. */
  public void emptyCache() {
    passHostTime();
    next().emptyCache();
  }

  /** Lets a private pool go whose last user is gone. */
  public void releasePool(PoolId released) {
    next().releasePool(released);
  }

  /** Gives the free segments of a private pool back, whether or not anybody still uses the pool. */
  public void emptyPool(PoolId emptied) {
    next().emptyPool(emptied);
  }

  /** Marks the begin of a named span. */
  public void begin(String name) {
    passHostTime();
    next().markerBegin(name);
  }

  /** Marks the end of a named span. */
  public void end(String name) {
    passHostTime();
    next().markerEnd(name);
  }

  /** Host time that passes before the next request. */
  public void hostWork(long nanos) {
    passHostTime();
    next().hostWork(nanos);
  }

  /** Makes a data loader known; the number names it in {@link #loadBatch}. */
  public int declareLoader(org.allocsim.simulator.trace.Loader loader) {
    return trace.declareLoader(loader);
  }

  /** Takes the next batch of a data loader. */
  public void loadBatch(int loader) {
    passHostTime();
    next().loadBatch(loader);
  }

  /** Asks for page-locked host memory and returns its number. */
  public int allocateHost(long bytes) {
    return next().allocateHost(bytes);
  }

  /** Reports that a stream uses page-locked host memory. */
  public void useHost(int buffer, long handle) {
    next().useHostOnStream(buffer, handle);
  }

  /** Gives page-locked host memory back. */
  public void freeHost(int buffer) {
    next().freeHost(buffer);
  }

  /** Writes the host time of the kernels so far, where the order of times matters. */
  private void passHostTime() {
    if (pendingHostNanos > 0) {
      long nanos = pendingHostNanos;
      pendingHostNanos = 0;
      next().hostWork(nanos);
    }
  }

  private AllocationTrace.Builder next() {
    return trace.at(0, trace.eventCount() * ROW_NANOS, stack);
  }

  /** The finished trace; the device cannot be used afterwards. */
  public AllocationTrace trace() {
    return trace.build(stacks.build());
  }
}
