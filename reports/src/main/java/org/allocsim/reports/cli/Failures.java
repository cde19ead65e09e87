package org.allocsim.reports.cli;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.stats.OutOfMemoryMessage;

/** Collects the requests that failed, with the words that the program would have read. */
final class Failures implements EffectListener {
  /**
   * A request that failed.
   *
   * @param requestIndex its index among the allocation requests, from 0
   * @param requestedBytes what it asked for
   * @param message PyTorch's text
   */
  record Oom(long requestIndex, long requestedBytes, String message) {}

  private final int deviceIndex;
  private final PyTorchVersion version;
  private final MemoryStats stats;
  private final List<Oom> ooms = new ArrayList<>();
  private long requests;

  Failures(int deviceIndex, PyTorchVersion version, MemoryStats stats) {
    this.deviceIndex = deviceIndex;
    this.version = version;
    this.stats = stats;
  }

  /** An allocation request comes next. */
  void beforeRequest() {
    requests++;
  }

  /** Number of allocation requests so far. */
  long requestCount() {
    return requests;
  }

  /** The failed requests in order. */
  List<Oom> ooms() {
    return ooms;
  }

  @Override
  public void outOfMemory(
      int allocation,
      long requestedBytes,
      long roundedBytes,
      long segmentBytes,
      int stream,
      long limitBytes,
      long privateFreeBytes,
      long deviceFreeBytes,
      long deviceTotalBytes) {
    OutOfMemoryMessage message =
        new OutOfMemoryMessage(
            deviceIndex,
            segmentBytes,
            deviceTotalBytes,
            deviceFreeBytes,
            limitBytes,
            stats.allocatedBytes(),
            stats.reservedBytes(),
            privateFreeBytes,
            "");
    ooms.add(
        new Oom(
            requests - 1, requestedBytes, message.text(OutOfMemoryMessage.Template.of(version))));
  }

  @Override
  public void requestRejected(int allocation, long requestedBytes, String reason) {
    ooms.add(new Oom(requests - 1, requestedBytes, reason));
  }
}
