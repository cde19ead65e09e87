package org.allocsim.validation.torch;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.StackTable;

/**
 * The requests of one device of a trace as far as a PyTorch process can be asked for them, and what
 * had to be left out, counted.
 *
 * <p>Every private pool is made as {@code torch.cuda.MemPool}, which returns its memory when it is
 * given up, so a RELEASE_POOL row is an EMPTY_POOL row, too. Markers, work and host memory ask this
 * allocator for nothing and go without being counted.
 */
public final class TorchRequests {
  /** Streams beside the default one that a process has: two pools of 32 (PyTorch 2.11). */
  static final int MAX_STREAMS = 64;

  private final AllocationTrace trace;
  private final boolean holds;
  private final boolean unknownUses;
  private final SortedMap<String, Integer> skipped;

  private TorchRequests(Conversion conversion) {
    trace = conversion.builder.build(new StackTable.Builder().build());
    holds = conversion.holds;
    unknownUses = conversion.unknownUses;
    skipped = conversion.skipped;
  }

  /** The requests of one device of a trace. */
  public static TorchRequests of(AllocationTrace trace, int device) {
    Conversion conversion = new Conversion(trace);
    for (int event = 0; event < trace.eventCount(); event++) {
      if (trace.device(event) == device) {
        conversion.row(event);
      }
    }
    return new TorchRequests(conversion);
  }

  /**
   * The same requests, with the ends of uses where a process shows them: while it served some
   * requests, all uses of blocks given back until then ended.
   *
   * @param served allocations during whose requests they ended, ascending
   */
  TorchRequests endingUses(List<Integer> served) {
    if (served.isEmpty()) {
      return this;
    }
    Conversion conversion = new Conversion(trace);
    conversion.declareStreams();
    Set<Integer> allocations = new HashSet<>(served);
    for (int event = 0; event < trace.eventCount(); event++) {
      conversion.row(event);
      if (trace.kind(event) == RequestKind.ALLOCATE
          && allocations.contains(trace.allocation(event))) {
        conversion.endPending();
      }
    }
    return new TorchRequests(conversion);
  }

  /** The requests that are sent, all of device 0. */
  public AllocationTrace trace() {
    return trace;
  }

  /** What is not sent, with the number of rows. */
  public Map<String, Integer> skipped() {
    return skipped;
  }

  /** Whether some use on another stream ends later than the next request. */
  boolean holds() {
    return holds;
  }

  /** Streams beside the default one. */
  int otherStreams() {
    int others = 0;
    for (int stream = 0; stream < trace.streamCount(); stream++) {
      others += trace.streamHandle(stream) == 0 ? 0 : 1;
    }
    return others;
  }

  /** Streams for uses whose stream is not known. */
  int spareStreams() {
    return !unknownUses ? 0 : holds ? Math.max(1, MAX_STREAMS - otherStreams()) : 1;
  }

  /** Writes the requests for the process, in the lines that its script documents. */
  void write(Path file) throws IOException {
    try (PrintWriter out =
        new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.US_ASCII))) {
      for (int event = 0; event < trace.eventCount(); event++) {
        int id = trace.allocation(event);
        int stream = trace.stream(event);
        int pool = trace.pool(event);
        String line =
            switch (trace.kind(event)) {
              case ALLOCATE -> "a " + id + ' ' + trace.bytes(event) + ' ' + stream + ' ' + pool;
              case FREE -> "f " + id;
              case USE_STREAM -> "u " + id + ' ' + stream;
              case USE_COMPLETE -> "c " + id + ' ' + stream;
              case SYNCHRONIZE -> "s";
              case SYNCHRONIZE_STREAM -> "w " + stream;
              case EMPTY_CACHE -> "e";
              case RELEASE_POOL -> "p " + pool;
              case SNAPSHOT -> "n";
              // The pool emptied itself when it was given up.
              case EMPTY_POOL -> null;
              default -> throw new IllegalStateException("row " + event + " cannot be sent");
            };
        if (line != null) {
          out.println(line);
        }
      }
      if (out.checkError()) {
        throw new IOException("the disk is full");
      }
    }
  }

  private static final class Conversion {
    private final AllocationTrace source;
    private final AllocationTrace.Builder builder = new AllocationTrace.Builder();
    private final SortedMap<String, Integer> skipped = new TreeMap<>();
    private final int[] ids;
    private final Set<Integer> freed = new HashSet<>();
    private final Set<Integer> released = new TreeSet<>();

    /** Allocations with uses that have not ended, and those of them that were given back. */
    private final Set<Integer> used = new HashSet<>();

    private final Set<Integer> pending = new LinkedHashSet<>();
    private boolean holds;
    private boolean unknownUses;

    Conversion(AllocationTrace source) {
      this.source = source;
      ids = new int[source.allocationCount()];
      Arrays.fill(ids, AllocationTrace.NO_ALLOCATION);
    }

    /** Streams that the source knows though no row names them. */
    void declareStreams() {
      for (int stream = 0; stream < source.streamCount(); stream++) {
        builder.declareStream(source.streamHandle(stream));
      }
    }

    void row(int event) {
      int allocation = source.allocation(event);
      switch (source.kind(event)) {
        case ALLOCATE -> allocate(event);
        case RESTORE_BLOCK -> leaveOut("blocks restored by CUDA graph trees");
        case FREE -> free(allocation);
        case USE_STREAM -> use(event);
        case USE_COMPLETE -> complete(event);
        case SYNCHRONIZE -> {
          used.clear();
          pending.clear();
          builder.synchronize();
        }
        case SYNCHRONIZE_STREAM -> builder.synchronizeStream(handle(event));
        case EMPTY_CACHE -> {
          used.removeAll(pending);
          pending.clear();
          builder.emptyCache();
        }
        case RELEASE_POOL -> release(source.pool(event));
        case EMPTY_POOL -> {
          if (!released.contains(source.pool(event))) {
            leaveOut("memory releases of pools with an owner");
          }
        }
        case SNAPSHOT -> builder.snapshot();
        case MARKER_BEGIN, MARKER_END -> {}
        // What takes time or host memory does not reach the allocator.
        default -> {}
      }
    }

    private void allocate(int event) {
      holds |= !pending.isEmpty();
      ids[source.allocation(event)] =
          builder.allocate(source.bytes(event), handle(event), source.poolId(source.pool(event)));
    }

    private void free(int allocation) {
      if (isLive(allocation)) {
        builder.free(ids[allocation]);
        freed.add(allocation);
        if (used.contains(allocation)) {
          pending.add(allocation);
        }
      } else {
        leaveOut("frees of omitted blocks");
      }
    }

    private void use(int event) {
      int allocation = source.allocation(event);
      if (!isLive(allocation)) {
        leaveOut("uses of blocks that were omitted or already freed");
      } else if (source.stream(event) == AllocationTrace.UNKNOWN_STREAM) {
        unknownUses = true;
        used.add(allocation);
        builder.useUnknownStream(ids[allocation], source.bytes(event));
      } else {
        used.add(allocation);
        builder.useStream(ids[allocation], handle(event), source.bytes(event));
      }
    }

    private void complete(int event) {
      int allocation = source.allocation(event);
      if (ids[allocation] == AllocationTrace.NO_ALLOCATION) {
        leaveOut("ends of uses of omitted blocks");
      } else if (source.stream(event) == AllocationTrace.ANY_STREAM) {
        used.remove(allocation);
        pending.remove(allocation);
        builder.useComplete(ids[allocation]);
      } else {
        // Other streams may still use it, which only costs a wait that was not needed.
        builder.useComplete(ids[allocation], handle(event));
      }
    }

    private void release(int pool) {
      PoolId id = source.poolId(pool);
      if (released.add(pool)) {
        for (int allocation : pending) {
          // The real allocator waits for the pool's uses, and streams work in order.
          leaveOut("times of uses that had not ended when a pool was released");
          builder.useComplete(ids[allocation]);
        }
        used.removeAll(pending);
        pending.clear();
        builder.releasePool(id);
        builder.emptyPool(id);
      } else {
        leaveOut("second releases of a pool");
      }
    }

    void endPending() {
      pending.forEach(allocation -> builder.useComplete(ids[allocation]));
      used.removeAll(pending);
      pending.clear();
    }

    private boolean isLive(int allocation) {
      return ids[allocation] != AllocationTrace.NO_ALLOCATION && !freed.contains(allocation);
    }

    private long handle(int event) {
      return source.streamHandle(source.stream(event));
    }

    private void leaveOut(String what) {
      skipped.merge(what, 1, Integer::sum);
    }
  }
}
