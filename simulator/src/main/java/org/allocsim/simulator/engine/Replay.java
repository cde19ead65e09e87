package org.allocsim.simulator.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.RowHead;

/** Sends the requests of one device of a trace to a policy, in order. */
public final class Replay {
  /** Hears of each request before the policy does, and may end the replay. */
  @FunctionalInterface
  public interface Observer {
    /** Row {@code event} of the trace comes next; answers whether to go on. */
    boolean before(int event);
  }

  private final AllocationTrace trace;
  private final boolean hasAnchors;
  private final int device;
  private final int deviceKey;

  /** The kind of rows that become requests without more ado; no kind where addresses matter. */
  private final int kindToAllocate;

  private final AllocatorPolicy policy;
  private final EffectListener listener;
  private final LongSupplier activeBytes;
  private final Map<Integer, Long> anchorAddresses = new HashMap<>();

  /**
   * A replay that has not begun.
   *
   * @param trace the requests
   * @param device index of the device whose requests are sent
   * @param policy serves them; it must hold nothing, or the layout at the end of the prologue
   * @param listener hears of snapshots that the program takes; what the policy does it hears from
   *     the policy itself
   * @param activeBytes bytes that are active now, which a snapshot reports
   */
  public Replay(
      AllocationTrace trace,
      int device,
      AllocatorPolicy policy,
      EffectListener listener,
      LongSupplier activeBytes) {
    this.trace = trace;
    hasAnchors = trace.hasAnchors();
    this.device = device;
    deviceKey = RowHead.deviceKey(device);
    kindToAllocate = hasAnchors ? -1 : RequestKind.ALLOCATE.ordinal();
    this.policy = policy;
    this.listener = listener;
    this.activeBytes = activeBytes;
  }

  /** Sends all requests, the prologue's first. */
  public void run(Observer observer) {
    send(0, observer);
  }

  /** Sends the requests from one row on: those after the last one that was sent before. */
  public void runFrom(int from, Observer observer) {
    send(from, observer);
  }

  /**
   * Sends the requests after the prologue several times over, the prologue's first. At a seam the
   * host waits for the device, and the program gives back and makes anew what the next pass does
   * not expect to find; the allocator's cache stays as it is. The trace is held once and its
   * allocation ids are used again, so that memory does not grow with the number of passes.
   *
   * @param passes at least 1
   * @param observer hears of every row of every pass, but not of what happens at seams
   */
  public void run(long passes, Observer observer) {
    boolean goesOn = send(0, observer);
    if (passes == 1 || trace.prologueCount() == trace.eventCount()) {
      return;
    }
    Seam seam = Seam.of(trace, device);
    for (long pass = 1; pass < passes && goesOn; pass++) {
      policy.synchronize();
      for (int event : seam.left()) {
        policy.free(trace.allocation(event), AllocationTrace.UNKNOWN_STREAM);
      }
      for (int event : seam.missing()) {
        send(event);
      }
      goesOn = send(trace.prologueCount(), observer);
    }
  }

  /**
   * Sends the requests after the prologue to a policy that was restored to the layout at its end.
   * Of the prologue only the stream uses of blocks that await their free are sent.
   */
  public void runRestored(Observer observer) {
    for (int event = 0; event < trace.prologueCount(); event++) {
      if (trace.device(event) == device && trace.kind(event) == RequestKind.USE_STREAM) {
        policy.useStream(trace.allocation(event), trace.stream(event), trace.bytes(event));
      }
    }
    send(trace.prologueCount(), observer);
  }

  /** Sends the rows from one on; answers whether the observer let all of them through. */
  private boolean send(int from, Observer observer) {
    // Nearly everything is read anew for each row: what a loop keeps it saves around every call.
    int end = trace.eventCount();
    for (int event = from; event < end; event++) {
      long head = trace.head(event);
      int kind = RowHead.kindOn(head, deviceKey);
      if (kind == kindToAllocate) {
        if (!observer.before(event)) {
          return false;
        }
        policy.allocate(
            RowHead.allocation(head), trace.bytes(event), RowHead.stream(head), trace.pool(event));
      } else if (kind == RequestKind.FREE.ordinal()) {
        if (!observer.before(event)) {
          return false;
        }
        policy.free(RowHead.allocation(head), RowHead.stream(head));
      } else if (RowHead.device(head) == device) {
        if (!observer.before(event)) {
          return false;
        }
        send(event);
      }
    }
    return true;
  }

  /** Sends one row, whichever device's it is; rows that are no requests do nothing. */
  public void send(int event) {
    switch (trace.kind(event)) {
      case ALLOCATE ->
          allocate(
              trace.allocation(event), trace.bytes(event), trace.stream(event), trace.pool(event));
      case RESTORE_BLOCK -> restoreBlock(event);
      case FREE -> policy.free(trace.allocation(event), trace.stream(event));
      case USE_STREAM ->
          policy.useStream(trace.allocation(event), trace.stream(event), trace.bytes(event));
      case USE_COMPLETE -> policy.useComplete(trace.allocation(event), trace.stream(event));
      case SYNCHRONIZE -> policy.synchronize();
      case SYNCHRONIZE_STREAM -> policy.synchronizeStream(trace.stream(event));
      case EMPTY_CACHE -> policy.emptyCache();
      case RELEASE_POOL -> {
        int pool = trace.pool(event);
        policy.releasePool(pool, trace.poolId(pool));
      }
      case EMPTY_POOL -> policy.emptyPool(trace.pool(event));
      case CHANGE_SETTINGS -> policy.changeSettings(trace.settings(event));
      case CHANGE_LIMIT -> policy.changeLimit(trace.bytes(event));
      case SNAPSHOT -> listener.snapshotTaken(activeBytes.getAsLong());
      case MARKER_BEGIN,
          MARKER_END,
          LAUNCH,
          RECORD_EVENT,
          WAIT_EVENT,
          SYNCHRONIZE_EVENT,
          HOST_WORK,
          LOAD_BATCH,
          HOST_ALLOCATE,
          HOST_FREE,
          HOST_USE_STREAM -> {}
    }
  }

  private void allocate(int allocation, long bytes, int stream, int pool) {
    long address = policy.allocate(allocation, bytes, stream, pool);
    if (hasAnchors && trace.isAnchor(allocation)) {
      anchorAddresses.put(allocation, address);
    }
  }

  private void restoreBlock(int event) {
    int anchor = trace.anchor(event);
    long base =
        anchor == AllocationTrace.NO_ALLOCATION ? 0 : anchorAddresses.getOrDefault(anchor, 0L);
    policy.restoreBlock(
        trace.allocation(event),
        trace.bytes(event),
        trace.stream(event),
        trace.pool(event),
        base + trace.anchorOffsetBytes(event));
  }
}
