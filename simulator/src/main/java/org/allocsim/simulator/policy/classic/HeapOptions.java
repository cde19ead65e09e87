package org.allocsim.simulator.policy.classic;

import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicyOptions;
import org.allocsim.simulator.policy.PolicySpec;

/**
 * How a heap rounds and grows.
 *
 * @param unitBytes what sizes are rounded up to; for the buddy system its smallest block
 * @param stepBytes what the heap grows by: a multiple of this
 * @param arenaBytes fixed size of the heap, 0 where it grows
 * @param trimsTop whether free steps at the end of the heap go back to the device
 * @param limitBytes most bytes that the heap may hold, −1 without limit
 */
record HeapOptions(
    long unitBytes, long stepBytes, long arenaBytes, boolean trimsTop, long limitBytes) {
  static final String UNIT = "unit";
  static final String STEP = "grow-step";
  static final String ARENA = "arena";
  static final String TRIM = "trim-top";

  static final PolicySpec.Option UNIT_OPTION =
      new PolicySpec.Option(UNIT, "512", "bytes", "sizes are rounded up to a multiple of this");

  static final PolicySpec.Option STEP_OPTION =
      new PolicySpec.Option(
          STEP,
          "2MiB",
          "bytes",
          "the heap grows by multiples of this, which is a multiple of 2" + " MiB");

  static final PolicySpec.Option ARENA_OPTION =
      new PolicySpec.Option(
          ARENA,
          "0",
          "bytes",
          "reserve one segment of this size, which never grows; 0: grow on" + " demand");

  static final PolicySpec.Option TRIM_OPTION =
      new PolicySpec.Option(
          TRIM, "false", "", "release whole steps at the end of the heap when they become free");

  /** Largest unit and smallest block: more than any device page. */
  private static final long MAX_UNIT_BYTES = 1L << 30;

  /**
   * Reads the options of a heap.
   *
   * @param unitDivisor what the unit must be a multiple of
   */
  static HeapOptions of(PolicyOptions options, long unitDivisor, long limitBytes)
      throws PolicyOptionException {
    long unit = options.bytes(UNIT, 1);
    if (unit > MAX_UNIT_BYTES || unit % unitDivisor != 0) {
      throw options.wrong(
          UNIT, "a multiple of " + unitDivisor + " up to 1GiB; write another number of bytes");
    }
    long arena = options.bytes(ARENA, 0);
    if (arena > 0 && options.flag(TRIM)) {
      throw options.wrong(TRIM, "false for a heap of fixed size; omit one of the two");
    }
    return new HeapOptions(unit, step(options), arena, options.flag(TRIM), limitBytes);
  }

  /** Reads the options of a heap whose blocks are powers of two times its smallest one. */
  static HeapOptions ofBuddies(PolicyOptions options, String minBlock, long limitBytes)
      throws PolicyOptionException {
    long least = options.bytes(minBlock, 1);
    if (least > MAX_UNIT_BYTES || Long.bitCount(least) != 1) {
      throw options.wrong(minBlock, "a power of two up to 1GiB; write such a number of bytes");
    }
    long arena = options.bytes(ARENA, 0);
    if (arena > 0 && (Long.bitCount(arena) != 1 || arena < least)) {
      throw options.wrong(
          ARENA, "0 or a power of two not below the smallest block; write such a number of bytes");
    }
    return new HeapOptions(least, step(options), arena, false, limitBytes);
  }

  private static long step(PolicyOptions options) throws PolicyOptionException {
    long step = options.bytes(STEP, HeapMemory.PAGE_BYTES);
    if (step % HeapMemory.PAGE_BYTES != 0 || step > 1L << 40) {
      throw options.wrong(STEP, "a multiple of 2MiB up to 1TiB; write such a size");
    }
    return step;
  }

  HeapMemory memory(DeviceMemory device) {
    return new HeapMemory(device, limitBytes, stepBytes, arenaBytes);
  }
}
