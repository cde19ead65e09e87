package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.LayoutVisitor;

/** Writes down every call with all its arguments, so that two policies can be compared. */
final class EffectTape implements EffectListener, LayoutVisitor {
  private enum Call {
    BLOCK_ALLOCATED,
    FREE_REQUESTED,
    FREE_COMPLETED,
    SEGMENT_ALLOCATED,
    SEGMENT_FREED,
    SEGMENT_MAPPED,
    SEGMENT_UNMAPPED,
    INACTIVE_SPLIT_CHANGED,
    ALLOCATION_RETRIED,
    STREAMS_SYNCHRONIZED,
    OUT_OF_MEMORY,
    REQUEST_REJECTED,
    SNAPSHOT_TAKEN,
    SEGMENT,
    BLOCK,
    ANSWER
  }

  private static final Call[] CALLS = Call.values();

  private long[] tape = new long[256];
  private int length;

  /** Forgets everything. */
  void clear() {
    length = 0;
  }

  /** What a request was answered. */
  void answer(long address) {
    note(Call.ANSWER, address);
  }

  /** Whether exactly the same calls are written on another tape. */
  boolean sameAs(EffectTape other) {
    return Arrays.equals(tape, 0, length, other.tape, 0, other.length);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; ) {
      text.append("\n  ").append(CALLS[(int) tape[i]]);
      int arguments = (int) tape[i + 1];
      for (int k = 0; k < arguments; k++) {
        long value = tape[i + 2 + k];
        text.append(' ').append(value > 1L << 32 ? "0x" + Long.toHexString(value) : value);
      }
      i += 2 + arguments;
    }
    return text.toString();
  }

  private void note(Call call, long... arguments) {
    int needed = length + 2 + arguments.length;
    if (needed > tape.length) {
      tape = Arrays.copyOf(tape, 2 * needed);
    }
    tape[length] = call.ordinal();
    tape[length + 1] = arguments.length;
    System.arraycopy(arguments, 0, tape, length + 2, arguments.length);
    length = needed;
  }

  private static long flag(boolean value) {
    return value ? 1 : 0;
  }

  @Override
  public void blockAllocated(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    note(
        Call.BLOCK_ALLOCATED, allocation, address, requestedBytes, blockBytes, stream, flag(small));
  }

  @Override
  public void freeRequested(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    note(Call.FREE_REQUESTED, allocation, address, requestedBytes, blockBytes, stream, flag(small));
  }

  @Override
  public void freeCompleted(
      int allocation,
      long address,
      long requestedBytes,
      long blockBytes,
      int stream,
      boolean small) {
    note(Call.FREE_COMPLETED, allocation, address, requestedBytes, blockBytes, stream, flag(small));
  }

  @Override
  public void segmentAllocated(long address, long bytes, int stream, boolean small) {
    note(Call.SEGMENT_ALLOCATED, address, bytes, stream, flag(small));
  }

  @Override
  public void segmentFreed(long address, long bytes, int stream, boolean small) {
    note(Call.SEGMENT_FREED, address, bytes, stream, flag(small));
  }

  @Override
  public void segmentMapped(long address, long bytes, int stream, boolean small) {
    note(Call.SEGMENT_MAPPED, address, bytes, stream, flag(small));
  }

  @Override
  public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
    note(Call.SEGMENT_UNMAPPED, address, bytes, stream, flag(small));
  }

  @Override
  public void inactiveSplitChanged(int blocks, long bytes, boolean small) {
    note(Call.INACTIVE_SPLIT_CHANGED, blocks, bytes, flag(small));
  }

  @Override
  public void allocationRetried() {
    note(Call.ALLOCATION_RETRIED);
  }

  @Override
  public void streamsSynchronized() {
    note(Call.STREAMS_SYNCHRONIZED);
  }

  @Override
  public void outOfMemory(OutOfMemory failure) {
    note(
        Call.OUT_OF_MEMORY,
        failure.allocation(),
        failure.requestedBytes(),
        failure.roundedBytes(),
        failure.segmentBytes(),
        failure.stream(),
        failure.limitBytes(),
        failure.privateFreeBytes(),
        failure.deviceFreeBytes(),
        failure.deviceTotalBytes());
  }

  @Override
  public void requestRejected(int allocation, long requestedBytes, String reason) {
    note(Call.REQUEST_REJECTED, allocation, requestedBytes, reason.hashCode());
  }

  @Override
  public void snapshotTaken(long activeBytes) {
    note(Call.SNAPSHOT_TAKEN, activeBytes);
  }

  @Override
  public void segment(
      long address, long bytes, int stream, boolean small, int pool, boolean expandable) {
    note(Call.SEGMENT, address, bytes, stream, flag(small), pool, flag(expandable));
  }

  @Override
  public void block(
      long address, long bytes, long requestedBytes, BlockState state, int allocation) {
    note(Call.BLOCK, address, bytes, requestedBytes, state.ordinal(), allocation);
  }
}
