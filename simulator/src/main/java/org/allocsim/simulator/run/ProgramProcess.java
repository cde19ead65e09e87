package org.allocsim.simulator.run;

import java.util.stream.IntStream;
import org.allocsim.simulator.device.AddressHistory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.RowHead;
import org.allocsim.simulator.trace.Work;
import org.jspecify.annotations.Nullable;

/**
 * What a program's process requests from the driver in addition to its allocator's segments: it
 * decides where these lie, and so which of two equally large free blocks is taken. It is so under
 * every policy, since the program is the same.
 *
 * <p>NCCL takes memory for the messages of ranks, whatever framework sends them ({@link
 * CommunicatorMemory}). Nothing else is known of programs that do not run on PyTorch ({@link
 * AllocationTrace#isOfPyTorch}). PyTorch makes the streams of its pool when a program first asks
 * for one. All else is taken from the process's recorded history. Without one, the process is taken
 * to be as the recorded ones of transformers are (PyTorch 2.11, CUDA 13.0, driver 580, H100 and
 * H200):
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
final class ProgramProcess {
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

  private static final int ALLOCATE = RequestKind.ALLOCATE.ordinal();
  private static final int RESTORE_BLOCK = RequestKind.RESTORE_BLOCK.ordinal();
  private static final int FREE = RequestKind.FREE.ordinal();
  private static final int LAUNCH = RequestKind.LAUNCH.ordinal();

  private final AllocationTrace trace;
  private final int deviceKey;
  private final SimulatedDevice memory;
  private final AddressHistory history;

  /** Whether the history has all that the process does, or nothing is to be added to it. */
  private final boolean known;

  /** The first row that was not looked at yet. */
  private int from;

  /** Whether PyTorch has its streams, or the program never asks for one. */
  private boolean streamsMade;

  /** Null where the ranks of a trace, if there are any, send each other nothing. */
  private final @Nullable CommunicatorMemory communicators;

  private boolean kernelsRun;
  private boolean filled;
  private boolean handleMade;

  /** Number of the request that the next allocation is. */
  private long request;

  /** Changes of the history that the driver was notified of. */
  private int changes;

  private long firstKernelRequest;

  /** Whether anything but its requests is known about a trace's process. */
  static boolean isKnown(AllocationTrace trace) {
    return trace.isOfPyTorch() || CommunicatorMemory.isNeeded(trace);
  }

  /** A fresh process whose allocator takes memory from a device. */
  ProgramProcess(AllocationTrace trace, int device, SimulatedDevice memory) {
    this.trace = trace;
    deviceKey = RowHead.deviceKey(device);
    this.memory = memory;
    boolean ofPyTorch = trace.isOfPyTorch();
    history = ofPyTorch ? memory.profile().history() : AddressHistory.UNKNOWN;
    known = history.isKnown() || !ofPyTorch;
    streamsMade =
        !ofPyTorch
            || IntStream.range(0, trace.streamCount())
                .allMatch(each -> trace.streamHandle(each) == 0);
    communicators =
        CommunicatorMemory.isNeeded(trace)
            ? new CommunicatorMemory(memory.profile().compute())
            : null;
  }

  /**
   * Does what happens right before a row of the trace.
   *
   * @param passBegins whether the rows after the prologue come once more, this one first
   * @return the first row before which something happens next; this must be called before it, and
   *     may be called before others
   */
  int before(int row, boolean passBegins) {
    if (isOver()) {
      return Integer.MAX_VALUE;
    }
    if (passBegins) {
      from = row;
    }
    while (from <= row) {
      act(from++);
    }
    while (from < trace.eventCount() && !acts(from)) {
      request += isRequest(from, kind(from)) ? 1 : 0;
      from++;
    }
    return from < trace.eventCount() ? from : Integer.MAX_VALUE;
  }

  /** Whether nothing happens any more, whatever rows come. */
  private boolean isOver() {
    return known && streamsMade && communicators == null && changes == history.count();
  }

  /** Ordinal of a row's kind, and that of none for a row of another device. */
  private int kind(int row) {
    return RowHead.kindOn(trace.head(row), deviceKey);
  }

  /** PyTorch's history has a restored block as an allocation. */
  private boolean isRequest(int row, int kind) {
    return known
        ? (kind == ALLOCATE || kind == RESTORE_BLOCK) && row >= trace.prologueCount()
        : kind == ALLOCATE;
  }

  private boolean acts(int row) {
    int kind = kind(row);
    if (kind == FREE) {
      return !known && !kernelsRun;
    }
    if (kind == LAUNCH) {
      return communicators != null && trace.workOf(row) instanceof Work.Collective;
    }
    return needsStreams(row, kind)
        || isRequest(row, kind)
            && (known
                ? changes < history.count() && history.request(changes) <= request
                : fillsWithRequest() || trace.bytes(row) == WORKSPACE_BYTES);
  }

  private void act(int row) {
    int kind = kind(row);
    if (needsStreams(row, kind)) {
      streamsMade = true;
      memory.createStreams(STREAM_POOL);
    }
    if (kind == FREE && !known && !kernelsRun) {
      runKernels();
    } else if (communicators != null && communicators.send(trace, deviceKey, row)) {
      memory.holdForCollectives(communicators.bytes());
    } else if (isRequest(row, kind)) {
      if (known) {
        followHistory();
      } else {
        allocateForLibraries(row);
      }
    }
  }

  private boolean needsStreams(int row, int kind) {
    return kind == ALLOCATE && !streamsMade && trace.streamHandle(trace.stream(row)) != 0;
  }

  private void followHistory() {
    memory.advanceTo(request++);
    while (changes < history.count() && history.request(changes) < request) {
      changes++;
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

  /** Whether the place of the local memory is used up with the next request. */
  private boolean fillsWithRequest() {
    return kernelsRun && !filled && request + 1 - firstKernelRequest >= REQUESTS_UNTIL_FILLED;
  }

  private void allocateForLibraries(int row) {
    if (fillsWithRequest()) {
      filled = true;
      memory.fillLocalMemory();
    }
    request++;
    if (trace.bytes(row) == WORKSPACE_BYTES) {
      memory.takeHiddenPages(HANDLE_PAGES);
      memory.takeHiddenPages(1);
      for (int block = 0; block < LIBRARY_BLOCKS && !handleMade; block++) {
        memory.takeHiddenPages(LIBRARY_PAGES);
      }
      handleMade = true;
    }
  }
}
