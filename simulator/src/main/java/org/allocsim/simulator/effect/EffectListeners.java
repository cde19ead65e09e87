package org.allocsim.simulator.effect;

import java.util.Arrays;

/** Combines listeners. */
public final class EffectListeners {
  /** Hears everything and does nothing. */
  public static final EffectListener NONE =
      new EffectListener() {
        @Override
        public boolean followsBlocks() {
          return false;
        }
      };

  private EffectListeners() {}

  /** A listener that passes everything on to two others, in this order. */
  public static EffectListener both(EffectListener first, EffectListener second) {
    return new Pair(first, second);
  }

  /** A listener that passes everything on to all others, in this order. */
  public static EffectListener all(EffectListener... listeners) {
    return Arrays.stream(listeners).reduce(EffectListeners::both).orElse(NONE);
  }

  /**
   * Two listeners in this order.
   *
   * @param first receives everything first
   * @param second receives everything next
   */
  public record Pair(EffectListener first, EffectListener second) implements EffectListener {
    @Override
    public boolean followsBlocks() {
      return first.followsBlocks() || second.followsBlocks();
    }

    @Override
    public void blockAllocated(
        int allocation,
        long address,
        long requestedBytes,
        long blockBytes,
        int stream,
        boolean small) {
      first.blockAllocated(allocation, address, requestedBytes, blockBytes, stream, small);
      second.blockAllocated(allocation, address, requestedBytes, blockBytes, stream, small);
    }

    @Override
    public void freeRequested(
        int allocation,
        long address,
        long requestedBytes,
        long blockBytes,
        int stream,
        boolean small) {
      first.freeRequested(allocation, address, requestedBytes, blockBytes, stream, small);
      second.freeRequested(allocation, address, requestedBytes, blockBytes, stream, small);
    }

    @Override
    public void freeCompleted(
        int allocation,
        long address,
        long requestedBytes,
        long blockBytes,
        int stream,
        boolean small) {
      first.freeCompleted(allocation, address, requestedBytes, blockBytes, stream, small);
      second.freeCompleted(allocation, address, requestedBytes, blockBytes, stream, small);
    }

    @Override
    public void segmentAllocated(long address, long bytes, int stream, boolean small) {
      first.segmentAllocated(address, bytes, stream, small);
      second.segmentAllocated(address, bytes, stream, small);
    }

    @Override
    public void segmentFreed(long address, long bytes, int stream, boolean small) {
      first.segmentFreed(address, bytes, stream, small);
      second.segmentFreed(address, bytes, stream, small);
    }

    @Override
    public void segmentMapped(long address, long bytes, int stream, boolean small) {
      first.segmentMapped(address, bytes, stream, small);
      second.segmentMapped(address, bytes, stream, small);
    }

    @Override
    public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
      first.segmentUnmapped(address, bytes, stream, small);
      second.segmentUnmapped(address, bytes, stream, small);
    }

    @Override
    public void inactiveSplitChanged(int blocks, long bytes, boolean small) {
      first.inactiveSplitChanged(blocks, bytes, small);
      second.inactiveSplitChanged(blocks, bytes, small);
    }

    @Override
    public void allocationRetried() {
      first.allocationRetried();
      second.allocationRetried();
    }

    @Override
    public void streamsSynchronized() {
      first.streamsSynchronized();
      second.streamsSynchronized();
    }

    @Override
    public void splitLimitChanged(long bytes) {
      first.splitLimitChanged(bytes);
      second.splitLimitChanged(bytes);
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      first.outOfMemory(failure);
      second.outOfMemory(failure);
    }

    @Override
    public void requestRejected(int allocation, long requestedBytes, String reason) {
      first.requestRejected(allocation, requestedBytes, reason);
      second.requestRejected(allocation, requestedBytes, reason);
    }

    @Override
    public void snapshotTaken(long activeBytes) {
      first.snapshotTaken(activeBytes);
      second.snapshotTaken(activeBytes);
    }
  }
}
