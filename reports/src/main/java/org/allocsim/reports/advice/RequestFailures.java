package org.allocsim.reports.advice;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.stats.MemoryStats;

/** Collects the requests that failed, with the words that the program would have read. */
public final class RequestFailures implements EffectListener {
  private final int deviceIndex;
  private final PyTorchVersion version;
  private final MemoryStats stats;
  private final int most;
  private final List<RequestFailure> kept = new ArrayList<>();
  private long count;
  private long requests;
  private int event = -1;

  /**
   * A collection that is empty.
   *
   * @param deviceIndex the device, as messages name it
   * @param version whose words are used; null for allocators that are not PyTorch's
   * @param stats the figures in the messages
   * @param most failed requests that are kept; later ones are only counted
   */
  RequestFailures(int deviceIndex, PyTorchVersion version, MemoryStats stats, int most) {
    this.deviceIndex = deviceIndex;
    this.version = version;
    this.stats = stats;
    this.most = most;
  }

  /** A row of the trace comes next. */
  void before(int nextEvent, boolean isAllocationRequest) {
    event = nextEvent;
    if (isAllocationRequest) {
      requests++;
    }
  }

  /** Number of allocation requests behind the prologue so far. */
  public long requestCount() {
    return requests;
  }

  /** Number of failed requests so far. */
  public long count() {
    return count;
  }

  /** The failed requests in order, as many as are kept. */
  public List<RequestFailure> kept() {
    return kept;
  }

  @Override
  public boolean followsBlocks() {
    return false;
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    count++;
    if (kept.size() < most) {
      keep(failure.requestedBytes(), version == null ? plainWords(failure) : pyTorchWords(failure));
    }
  }

  private String pyTorchWords(OutOfMemory failure) {
    return new OutOfMemoryMessage(
            deviceIndex,
            failure.segmentBytes(),
            failure.deviceTotalBytes(),
            failure.deviceFreeBytes(),
            failure.limitBytes(),
            stats.allocatedBytes(),
            stats.reservedBytes(),
            failure.privateFreeBytes(),
            "")
        .text(OutOfMemoryMessage.Template.of(version));
  }

  private String plainWords(OutOfMemory failure) {
    return "Out of memory on device %d: %s are needed, %s are free on the device%s; the allocator holds %s, of which %s are in use."
        .formatted(
            deviceIndex,
            ByteFormat.human(failure.segmentBytes()),
            ByteFormat.human(failure.deviceFreeBytes()),
            failure.limitBytes() < 0
                ? ""
                : ", its limit is " + ByteFormat.human(failure.limitBytes()),
            ByteFormat.human(stats.reservedBytes()),
            ByteFormat.human(stats.activeBytes()));
  }

  @Override
  public void requestRejected(int allocation, long requestedBytes, String reason) {
    count++;
    if (kept.size() < most) {
      keep(requestedBytes, reason);
    }
  }

  private void keep(long requestedBytes, String message) {
    kept.add(
        new RequestFailure(requests - 1, event, requestedBytes, stats.reservedBytes(), message));
  }
}
