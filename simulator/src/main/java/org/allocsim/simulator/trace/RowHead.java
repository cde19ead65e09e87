package org.allocsim.simulator.trace;

/**
 * What most rows of an {@link AllocationTrace} are, in one number, which a loop over many rows
 * reads at once: kind and device in a byte each, the stream in two, the allocation in four.
 */
public final class RowHead {
  private static final int DEVICE_SHIFT = 8;
  private static final int STREAM_SHIFT = 16;
  private static final int ALLOCATION_SHIFT = 32;

  private RowHead() {}

  static long of(int kindNumber, int device, int stream, int allocation) {
    return kindNumber
        | (long) device << DEVICE_SHIFT
        | (stream & 0xffffL) << STREAM_SHIFT
        | (long) allocation << ALLOCATION_SHIFT;
  }

  /** The same with another stream. */
  static long withStream(long head, int stream) {
    return head & ~(0xffffL << STREAM_SHIFT) | (stream & 0xffffL) << STREAM_SHIFT;
  }

  /**
   * Kind and device of a row together, to compare with {@link #kindAndDevice(RequestKind, int)}.
   */
  public static int kindAndDevice(long head) {
    return (int) head & 0xffff;
  }

  /** Kind and device of a row that is of these. */
  public static int kindAndDevice(RequestKind kind, int device) {
    return kindAndDevice(of(kind.ordinal(), device, 0, 0));
  }

  /** See {@link AllocationTrace#kindNumber}. */
  public static int kindNumber(long head) {
    return (byte) head;
  }

  /** See {@link AllocationTrace#device}. */
  public static int device(long head) {
    return (byte) (head >> DEVICE_SHIFT);
  }

  /** See {@link AllocationTrace#stream}. */
  public static int stream(long head) {
    return (short) (head >> STREAM_SHIFT);
  }

  /** See {@link AllocationTrace#allocation}. */
  public static int allocation(long head) {
    return (int) (head >> ALLOCATION_SHIFT);
  }
}
