package org.allocsim.simulator.run;

import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What a PyTorch process asks of the driver beside its allocator's segments: it decides where these
 * lie, and so which of two equally large free blocks is taken.
 *
 * <p>PyTorch makes the streams of its pool when a program first asks for one. All else is taken
 * from the process's recorded history. Without one, the process is taken to be as the recorded ones
 * of transformers are (PyTorch 2.11, CUDA 13.0, driver 580, H100 and H200):
 *
 * <ul>
 *   <li>A program that loads a model allocates and copies only. The first block that is freed shows
 *       that kernels run: their code takes {@value #CODE_PAGES} single pages, and the driver moves
 *       its local memory.
 *   <li>cuBLAS takes a block of {@value #HANDLE_PAGES} pages and a single page when it is
 *       initialized, right before PyTorch allocates the workspace of the handle. After the first
 *       handle, {@value #LIBRARY_BLOCKS} blocks of {@value #LIBRARY_PAGES} pages follow.
 *   <li>The place of the old local memory is used up by others before long: of 18 recorded
 *       processes none got a segment there more than 150 requests after its first kernel.
 * </ul>
 */
final class PyTorchProcess {
  /** Streams in a pool of PyTorch (c10/cuda/CUDAStream.cpp, 2.11). */
  private static final int STREAM_POOL = 32;

  private static final int CODE_PAGES = 5;

  /**
   * Workspace of a cuBLAS handle on Hopper (PyTorch 2.11, aten/src/ATen/cuda/CublasHandlePool.cpp).
   */
  private static final long WORKSPACE_BYTES = 32L << 20;

  private static final int HANDLE_PAGES = 32;
  private static final int LIBRARY_BLOCKS = 2;
  private static final int LIBRARY_PAGES = 16;

  /** Requests after the first kernel from which on the place of the local memory is used up. */
  private static final int REQUESTS_UNTIL_FILLED = 256;

  private final AllocationTrace trace;
  private final SimulatedDevice memory;
  private final boolean known;
  private boolean streamsMade;
  private boolean kernelsRun;
  private boolean filled;
  private boolean handleMade;
  private long request;
  private long firstKernelRequest;

  /** A fresh process whose allocator takes memory from a device. */
  PyTorchProcess(AllocationTrace trace, SimulatedDevice memory) {
    this.trace = trace;
    this.memory = memory;
    known = memory.profile().history().isKnown();
  }

  /** Does what happens right before a row of the trace; to be called for every row. */
  void before(int event) {
    RequestKind kind = trace.kind(event);
    if (kind == RequestKind.ALLOCATE) {
      makeStreams(event);
      if (known) {
        followHistory(event);
      } else {
        allocateForLibraries(event);
      }
    } else if (kind == RequestKind.RESTORE_BLOCK && known) {
      // PyTorch's history has it as an allocation.
      followHistory(event);
    } else if (kind == RequestKind.FREE && !known && !kernelsRun) {
      runKernels();
    }
  }

  private void makeStreams(int event) {
    if (!streamsMade && trace.streamHandle(trace.stream(event)) != 0) {
      streamsMade = true;
      memory.createStreams(STREAM_POOL);
    }
  }

  private void followHistory(int event) {
    if (event >= trace.prologueCount()) {
      memory.advanceTo(request++);
    }
  }

  private void runKernels() {
    kernelsRun = true;
    firstKernelRequest = request;
    for (int page = 0; page < CODE_PAGES; page++) {
      memory.takeHiddenPages(1);
    }
    memory.runKernels();
  }

  private void allocateForLibraries(int event) {
    request++;
    if (kernelsRun && !filled && request - firstKernelRequest >= REQUESTS_UNTIL_FILLED) {
      filled = true;
      memory.fillLocalMemory();
    }
    if (trace.bytes(event) == WORKSPACE_BYTES) {
      memory.takeHiddenPages(HANDLE_PAGES);
      memory.takeHiddenPages(1);
      for (int block = 0; block < LIBRARY_BLOCKS && !handleMade; block++) {
        memory.takeHiddenPages(LIBRARY_PAGES);
      }
      handleMade = true;
    }
  }
}
