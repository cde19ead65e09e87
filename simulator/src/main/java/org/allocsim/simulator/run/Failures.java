package org.allocsim.simulator.run;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.message.OutOfMemoryMessage;
import org.allocsim.simulator.message.OutOfMemoryMessage.Template;
import org.allocsim.simulator.stats.ByteFormat;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.RequestKind;
import org.allocsim.simulator.trace.RowHead;
import org.jspecify.annotations.Nullable;

/** The requests of a run that failed, with the words that the program would have read. */
public final class Failures implements EffectListener {
  private final AllocationTrace trace;
  private final int device;
  private final Optional<Template> wording;
  private final MemoryStats stats;
  private final int most;
  private final List<FailedRequest> kept = new ArrayList<>();
  private final IntSupplier currentRow;
  private final int deviceKey;
  private @Nullable FailedRequest firstShortage;
  private long count;

  /** Allocation requests of the rows up to {@link #countedRow}, and of earlier passes. */
  private long requests;

  private int countedRow;

  /**
   * None yet.
   *
   * @param wording of the messages; empty for allocators that are not PyTorch's
   * @param stats the figures in the messages
   * @param currentRow the row that was sent last, −1 before the first
   * @param most failed requests that are kept; later ones are only counted
   */
  Failures(
      AllocationTrace trace,
      int device,
      Optional<Template> wording,
      MemoryStats stats,
      IntSupplier currentRow,
      int most) {
    this.trace = trace;
    this.device = device;
    this.wording = wording;
    this.stats = stats;
    this.currentRow = currentRow;
    this.most = most;
    deviceKey = RowHead.deviceKey(device);
    countedRow = trace.prologueCount() - 1;
  }

  /** The rows after the prologue come once more. */
  void beginPass() {
    countUpTo(trace.eventCount() - 1);
    countedRow = trace.prologueCount() - 1;
  }

  /** Allocation requests after the prologue that were sent so far. */
  long requestCount() {
    countUpTo(currentRow.getAsInt());
    return requests;
  }

  private void countUpTo(int last) {
    long more = 0;
    for (int row = countedRow + 1; row <= last; row++) {
      if (RowHead.kindOn(trace.head(row), deviceKey) == RequestKind.ALLOCATE.ordinal()) {
        more++;
      }
    }
    requests += more;
    countedRow = Math.max(countedRow, last);
  }

  /** Number of failed requests so far. */
  public long count() {
    return count;
  }

  /** The failed requests in order, as many as are kept. */
  public List<FailedRequest> kept() {
    return Collections.unmodifiableList(kept);
  }

  /** The first request that failed because memory was short. */
  public Optional<FailedRequest> firstShortage() {
    return Optional.ofNullable(firstShortage);
  }

  @Override
  public boolean followsBlocks() {
    return false;
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    count++;
    if (firstShortage == null || kept.size() < most) {
      FailedRequest failed =
          failed(
              failure.allocation(),
              failure.requestedBytes(),
              failure,
              wording
                  .map(template -> pyTorchWords(failure, template))
                  .orElseGet(() -> plainWords(failure)));
      keep(failed);
      firstShortage = firstShortage == null ? failed : firstShortage;
    }
  }

  private String pyTorchWords(OutOfMemory failure, Template template) {
    return new OutOfMemoryMessage(
            device,
            failure.segmentBytes(),
            failure.deviceTotalBytes(),
            failure.deviceFreeBytes(),
            failure.limitBytes(),
            stats.allocatedBytes(),
            stats.reservedBytes(),
            failure.privateFreeBytes(),
            "")
        .text(template);
  }

  private String plainWords(OutOfMemory failure) {
    return ("Out of memory on device %d: %s are needed, %s are free on the device%s; the"
            + " allocator holds %s, %s of it in use.")
        .formatted(
            device,
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
    keep(failed(allocation, requestedBytes, null, reason));
  }

  private FailedRequest failed(
      int allocation, long requestedBytes, @Nullable OutOfMemory shortage, String message) {
    int row = currentRow.getAsInt();
    countUpTo(row);
    return new FailedRequest(
        requests - 1,
        row,
        allocation,
        row < 0 ? 0 : trace.pool(row),
        requestedBytes,
        stats.allocatedBytes(),
        stats.reservedBytes(),
        shortage,
        message);
  }

  private void keep(FailedRequest failed) {
    if (kept.size() < most) {
      kept.add(failed);
    }
  }
}
