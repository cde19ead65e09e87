package org.allocsim.simulator.order;

import org.jspecify.annotations.Nullable;

/**
 * A piece of memory that a {@link SizeOrder} can keep in order. Whoever keeps blocks extends this
 * with what it must know of them, and uses the objects again: in steady state none is made.
 */
public abstract class SizedBlock {
  long bytes;

  /** Orders blocks of one size; unsigned. */
  long position;

  /** The block before this one in the class's list; of the first one anything. */
  @SuppressWarnings("NullAway.Init") // read of blocks only that another one is before
  SizedBlock before;

  /** The block after this one in the class's list, null for the last one. */
  @Nullable SizedBlock after;

  /** Whether the block is in the class's index. */
  boolean isIndexed;

  /** In the index: roots of the trees of the blocks before and after this one, or null. */
  @Nullable SizedBlock lower;

  @Nullable SizedBlock upper;

  /** The class that the block is in, or was in last. */
  @SuppressWarnings("NullAway.Init") // read of blocks in an order only
  SizeOrder.SizeClass sizeClass;

  /** Its height in a tree: blocks of higher priority lie above, and no two have the same. */
  final int priority;

  /**
   * A block of 0 bytes at position 0.
   *
   * @param number distinguishes it from the other blocks of an order; the trees' shapes depend on
   *     it
   */
  protected SizedBlock(int number) {
    priority = mixed(number);
  }

  /** Bytes of the block. */
  public final long bytes() {
    return bytes;
  }

  /** What orders blocks of one size, such as their address; unsigned. */
  public final long position() {
    return position;
  }

  /** Gives a block, which is in no order, its place. */
  public final void place(long newPosition, long newBytes) {
    position = newPosition;
    bytes = newBytes;
  }

  /**
   * Whether the block lies before another one in the order. Two blocks may claim the same place
   * where addresses come from a recording that the replay has left; then their numbers decide.
   */
  final boolean isBefore(SizedBlock other) {
    return isBefore(other.bytes, other.position, other.priority);
  }

  final boolean isBefore(long otherBytes, long otherPosition, int otherPriority) {
    if (bytes != otherBytes) {
      return bytes < otherBytes;
    }
    if (position != otherPosition) {
      return Long.compareUnsigned(position, otherPosition) < 0;
    }
    return priority < otherPriority;
  }

  /** Whether the block lies before a key in the order. */
  final boolean isBelow(long keyBytes, long keyPosition) {
    return bytes < keyBytes
        || (bytes == keyBytes && Long.compareUnsigned(position, keyPosition) < 0);
  }

  /** The number's bits in disorder, the same in every run (MurmurHash3's finalizer). */
  private static int mixed(int number) {
    int bits = (number ^ number >>> 16) * 0x85ebca6b;
    bits = (bits ^ bits >>> 13) * 0xc2b2ae35;
    return bits ^ bits >>> 16;
  }
}
