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

  /** The same with another allocation. */
  static long withAllocation(long head, int allocation) {
    return head & 0xffff_ffffL | (long) allocation << ALLOCATION_SHIFT;
  }

  /** What {@link #kindOn} asks for a device from 0 to 127. */
  public static int deviceKey(int device) {
    return device << DEVICE_SHIFT;
  }

  /**
   * The ordinal of the kind of a row that is of a device, and some number that is no such ordinal
   * for a row that is of another one.
   */
  public static int kindOn(long head, int deviceKey) {
    return (char) head ^ deviceKey;
  }

  /** See {@link AllocationTrace#device}. */
  public static int device(long head) {
    return (byte) ((int) head >> DEVICE_SHIFT);
  }

  /** See {@link AllocationTrace#stream}. */
  public static int stream(long head) {
    return (int) head >> STREAM_SHIFT;
  }

  /** See {@link AllocationTrace#allocation}. */
  public static int allocation(long head) {
    return (int) (head >> ALLOCATION_SHIFT);
  }
}
