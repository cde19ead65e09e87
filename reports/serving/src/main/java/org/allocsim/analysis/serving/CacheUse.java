package org.allocsim.analysis.serving;

import org.allocsim.analysis.serving.kvcache.KvCache;

/** Means and peaks of what a cache holds, weighted by how long each step takes. */
final class CacheUse {
  private final KvCache cache;
  private double heldByteNanos;
  private double wastedByteNanos;
  private double strandedByteNanos;
  private double keptByteNanos;
  private double mappedByteNanos;
  private double runningNanos;
  private double tokenNanos;
  private long busyNanos;
  private long idleNanos;
  private long peakHeldBytes;
  private long peakMappedBytes;

  CacheUse(KvCache cache) {
    this.cache = cache;
  }

  /** A step with so many sequences, of which so many tokens are stored, took a time. */
  void step(long nanos, int running, long tokens) {
    long held = cache.heldBytes();
    heldByteNanos += (double) held * nanos;
    wastedByteNanos += (double) cache.wastedBytes() * nanos;
    strandedByteNanos += (double) cache.strandedBytes() * nanos;
    keptByteNanos += (double) cache.keptPrefixBytes() * nanos;
    runningNanos += (double) running * nanos;
    tokenNanos += (double) tokens * nanos;
    busyNanos += nanos;
    peakHeldBytes = Math.max(peakHeldBytes, held);
    mapped(nanos);
  }

  /** Nothing ran for a time. */
  void idle(long nanos) {
    idleNanos += nanos;
    mapped(nanos);
  }

  private void mapped(long nanos) {
    long mapped = cache.mappedBytes();
    mappedByteNanos += (double) mapped * nanos;
    peakMappedBytes = Math.max(peakMappedBytes, mapped);
  }

  private double mean(double sum, double nanos) {
    return nanos == 0 ? 0 : sum / nanos;
  }

  ServingResult.Memory memory() {
    return new ServingResult.Memory(
        cache.capacityBytes(),
        mean(heldByteNanos, busyNanos),
        peakHeldBytes,
        mean(wastedByteNanos, busyNanos),
        mean(strandedByteNanos, busyNanos),
        mean(keptByteNanos, busyNanos),
        mean(mappedByteNanos, (double) busyNanos + idleNanos),
        peakMappedBytes,
        mean(tokenNanos, busyNanos));
  }

  double meanRunning() {
    return mean(runningNanos, busyNanos);
  }

  long busyNanos() {
    return busyNanos;
  }
}
