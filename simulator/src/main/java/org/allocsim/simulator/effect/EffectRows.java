package org.allocsim.simulator.effect;

/**
 * Turns what a policy does into rows as PyTorch's memory history has them: sizes of blocks are the
 * bytes requested, the size of an OOM is the rounded request, and its address column holds the free
 * bytes of the device.
 */
public abstract class EffectRows implements EffectListener {
  /** One row, in order. */
  protected abstract void row(EffectKind kind, long address, long bytes, int stream);

  @Override
  public final void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    row(EffectKind.ALLOC, address, requestedBytes, stream);
  }

  @Override
  public final void freeRequested(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    row(EffectKind.FREE_REQUESTED, address, requestedBytes, stream);
  }

  @Override
  public final void freeCompleted(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    row(EffectKind.FREE_COMPLETED, address, requestedBytes, stream);
  }

  @Override
  public final void segmentAllocated(long address, long bytes, int stream, boolean small) {
    row(EffectKind.SEGMENT_ALLOC, address, bytes, stream);
  }

  @Override
  public final void segmentFreed(long address, long bytes, int stream, boolean small) {
    row(EffectKind.SEGMENT_FREE, address, bytes, stream);
  }

  @Override
  public final void segmentMapped(long address, long bytes, int stream, boolean small) {
    row(EffectKind.SEGMENT_MAP, address, bytes, stream);
  }

  @Override
  public final void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    row(EffectKind.SEGMENT_UNMAP, address, bytes, stream);
  }

  @Override
  public final void outOfMemory(OutOfMemory failure) {
    row(EffectKind.OOM, failure.deviceFreeBytes(), failure.roundedBytes(), failure.stream());
  }

  @Override
  public final void snapshotTaken(long activeBytes) {
    row(EffectKind.SNAPSHOT, 0, activeBytes, 0);
  }
}
