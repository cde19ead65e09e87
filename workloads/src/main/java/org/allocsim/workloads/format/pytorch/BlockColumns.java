package org.allocsim.workloads.format.pytorch;

import java.util.Arrays;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.jspecify.annotations.Nullable;

/** The blocks of a segment while they are read. */
final class BlockColumns {
  /** Requested bytes of a block that the file has none for. */
  static final long UNKNOWN = -1;

  /** Bytes of empty columns, about. */
  static final int FIRST_BYTES = 400;

  /** Bytes of a block, with the room that columns grow by. */
  static final int ROW_BYTES = 80;

  int count;
  long[] addresses = new long[4];
  boolean[] hasAddress = new boolean[4];
  long[] bytes = new long[4];
  long[] requestedBytes = new long[4];
  BlockState[] states = new BlockState[4];
  int[] stacks = new int[4];

  /** Blocks for which the file has no requested size. */
  long sizesUnknown;

  boolean hasHistories;

  /** What is wrong with the first block that cannot be read, or null. */
  ListContent.@Nullable Problem problem;

  void add(
      long address,
      boolean addressKnown,
      long sizeBytes,
      long requested,
      @Nullable BlockState state,
      int stack) {
    if (count == bytes.length) {
      int capacity = count * 2;
      addresses = Arrays.copyOf(addresses, capacity);
      hasAddress = Arrays.copyOf(hasAddress, capacity);
      bytes = Arrays.copyOf(bytes, capacity);
      requestedBytes = Arrays.copyOf(requestedBytes, capacity);
      states = Arrays.copyOf(states, capacity);
      stacks = Arrays.copyOf(stacks, capacity);
    }
    addresses[count] = address;
    hasAddress[count] = addressKnown;
    bytes[count] = sizeBytes;
    requestedBytes[count] = requested;
    states[count] = state;
    stacks[count] = stack;
    count++;
  }
}
