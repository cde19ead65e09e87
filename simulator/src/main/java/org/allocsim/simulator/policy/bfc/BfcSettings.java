package org.allocsim.simulator.policy.bfc;

/**
 * How a {@link BfcAllocator} behaves.
 *
 * @param limitBytes most that it may hold from the device
 * @param growth whether regions are asked for as they are needed, beginning with 2 MiB and
 *     doubling; without growth the first request takes the whole limit as one region
 * @param garbageCollection whether wholly free regions are returned to the device when a request
 *     would fail otherwise
 * @param maxWasteBytes a free rest of this size after a request is always cut off
 * @param mergesRegions whether a region that begins where another one ends is joined to it
 * @param timestamps whether a freed chunk stays unmerged until the host has waited for the device
 */
public record BfcSettings(
    long limitBytes,
    boolean growth,
    boolean garbageCollection,
    long maxWasteBytes,
    boolean mergesRegions,
    boolean timestamps) {
  /** Rest that is always cut off where no share of the limit is set (XLA 2026, TensorFlow 2.x). */
  public static final long MAX_WASTE_BYTES = 128L << 20;

  /** Refuses values that no allocator can have. */
  public BfcSettings {
    if (limitBytes < 0) {
      throw new IllegalArgumentException("a limit of " + limitBytes + " bytes is negative");
    }
    limitBytes = Math.min(limitBytes, ChunkHeap.MAX_BYTES);
  }

  /** XLA's allocator of device memory without preallocation. */
  public static BfcSettings growing(long limitBytes) {
    return new BfcSettings(limitBytes, true, false, MAX_WASTE_BYTES, false, false);
  }

  /** XLA's allocator of device memory with preallocation. */
  public static BfcSettings preallocating(long limitBytes) {
    return new BfcSettings(limitBytes, false, false, MAX_WASTE_BYTES, false, false);
  }

  /** The same with or without garbage collection. */
  public BfcSettings withGarbageCollection(boolean on) {
    return new BfcSettings(limitBytes, growth, on, maxWasteBytes, mergesRegions, timestamps);
  }

  /** The same with or without joining regions. */
  public BfcSettings withMergedRegions(boolean on) {
    return new BfcSettings(limitBytes, growth, garbageCollection, maxWasteBytes, on, timestamps);
  }

  /** The same with or without timestamps. */
  public BfcSettings withTimestamps(boolean on) {
    return new BfcSettings(limitBytes, growth, garbageCollection, maxWasteBytes, mergesRegions, on);
  }

  /** The same with another rest that is always cut off. */
  public BfcSettings withMostWaste(long bytes) {
    return new BfcSettings(limitBytes, growth, garbageCollection, bytes, mergesRegions, timestamps);
  }
}
