package org.allocsim.reports.advice;

import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;

/**
 * What a PyTorch process asks of the driver beside its allocator's segments, which decides where
 * these lie: the streams of its pool and, where the address space of the process is not known from
 * a recording, what usually happens in it:
 *
 * <ul>
 *   <li>The first kernel makes the driver move its local memory. A program that loads a model
 *       allocates and copies only; that blocks are freed shows that kernels run.
 *   <li>cuBLAS takes memory when its handle is created, right before PyTorch allocates the
 *       workspace of that handle.
 * </ul>
 */
final class PyTorchProcess {
  /** Streams in a pool of PyTorch (c10/cuda/CUDAStream.cpp, 2.11). */
  private static final int STREAM_POOL = 32;

  /**
   * Workspace of a cuBLAS handle on Hopper (PyTorch 2.11, aten/src/ATen/cuda/CublasHandlePool.cpp).
   */
  private static final long WORKSPACE_BYTES = 32L << 20;

  /** Pages of a cuBLAS handle in one block, and one more (CUDA 13.0, seen on H100 and H200). */
  private static final int HANDLE_PAGES = 32;

  private final AllocationTrace trace;
  private final SimulatedDevice memory;
  private final boolean known;
  private boolean streamsMade;
  private boolean kernelsRun;
  private long request; boolean first; long kr;

  /** A fresh process whose allocator takes memory from a device. */
  PyTorchProcess(AllocationTrace trace, SimulatedDevice memory) {
    this.trace = trace;
    this.memory = memory;
    known = memory.profile().history().isKnown();
  }

  /** Does what happens right before a row of the trace; to be called for every row. */
  void before(int event) {
    switch (trace.kind(event)) {
      case ALLOCATE -> beforeAllocation(event);
      case FREE -> {
        if (!known && !kernelsRun && Integer.getInteger("grow",1)==1) {
          kernelsRun = true; kr = request;
          memory.runKernels();
        }
      }
      default -> {}
    }
  }

  private void beforeAllocation(int event) {
    if (!streamsMade && trace.streamHandle(trace.stream(event)) != 0) {
      streamsMade = true;
      memory.createStreams(STREAM_POOL);
    }
    if (event >= trace.prologueCount()) {
      memory.advanceTo(request++); if (kernelsRun && kr + Integer.getInteger("gap", 1000000000) == request) memory.fillGap();
    }
    if (!known && trace.bytes(event) == WORKSPACE_BYTES) {
      int n = Integer.getInteger("handle", 0);
      if (n >= 1) memory.takeHiddenPages(HANDLE_PAGES);
      if (n == 2 || (n == 3 && !first)) memory.takeHiddenPages(1);
      if (!first) for (int i = 0; i < Integer.getInteger("units", 0); i++) memory.takeHiddenPages(16);
      first = true;
    }
  }
}
