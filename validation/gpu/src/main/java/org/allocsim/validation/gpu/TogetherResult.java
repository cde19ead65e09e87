package org.allocsim.validation.gpu;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of processes that ran together on one GPU.
 *
 * @param totalBytes size of the GPU
 * @param freeBytes what was free when they began, after their contexts
 * @param turns how often the turn passed to another process
 * @param processes what came of each
 */
public record TogetherResult(
    long totalBytes, long freeBytes, long turns, List<OneProcess> processes) {
  /** Keeps its own copy. */
  public TogetherResult {
    processes = List.copyOf(processes);
  }

  /**
   * What came of a process.
   *
   * @param trace name of its trace
   * @param policy its allocator
   * @param contextBytes what its context took of the GPU; the first one's contains what the driver
   *     keeps
   * @param unusableBytes free bytes that it could not have
   * @param predictedCalls calls of its allocator on the simulated device
   * @param measuredCalls the same on the GPU
   * @param equalCalls leading calls that agree in kind, size and refusal
   * @param firstDifference what differs after them; null where nothing does
   * @param refusedCalls calls among them that were refused
   * @param freeBytes free bytes of the GPU after each of them
   * @param predictedFailures requests that failed in the simulation
   * @param measuredFailures requests that failed on the GPU
   * @param sameFailures whether they are the same
   */
  public record OneProcess(
      String trace,
      String policy,
      long contextBytes,
      long unusableBytes,
      long predictedCalls,
      long measuredCalls,
      long equalCalls,
      @Nullable String firstDifference,
      long refusedCalls,
      Exactness freeBytes,
      long predictedFailures,
      long measuredFailures,
      boolean sameFailures) {
    /** Whether calls, refusals, free bytes and failed requests are those that were predicted. */
    public boolean isExact() {
      return firstDifference == null && freeBytes.isExact() && sameFailures;
    }
  }

  /** Whether it is so for all processes. */
  public boolean isExact() {
    return processes.stream().allMatch(OneProcess::isExact);
  }
}
