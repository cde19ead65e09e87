package org.allocsim.simulator.policy.pytorch;

import java.util.Arrays;

/**
 * The 16 values of {@code roundup_power2_divisions}: slot 0 serves sizes below 2 MiB, slot i sizes
 * from 2^i MiB on, slot 15 everything from 32 GiB on (PyTorch 2.11, AcceleratorAllocatorConfig).
 */
public final class RoundupDivisions {
  /** Number of slots. */
  public static final int SLOTS = 16;

  /** No rounding to divisions. */
  public static final RoundupDivisions NONE = new RoundupDivisions(new long[SLOTS], false);

  private final long[] divisions;
  private final boolean oneKeepsSizes;
  private final boolean isPlain;

  private RoundupDivisions(long[] divisions, boolean oneKeepsSizes) {
    this.divisions = divisions;
    this.oneKeepsSizes = oneKeepsSizes;
    long maxPlain = oneKeepsSizes ? 0 : 1;
    isPlain = Arrays.stream(divisions).allMatch(each -> each == 0 || each == maxPlain);
  }

  /** Whether no size is rounded to divisions. */
  boolean isPlain() {
    return isPlain;
  }

  /** Divisions by slot; the array must have {@link #SLOTS} values. */
  public static RoundupDivisions of(long... divisions) {
    if (divisions.length != SLOTS) {
      throw new IllegalArgumentException("expected 16 divisions, got " + divisions.length);
    }
    return new RoundupDivisions(divisions.clone(), false);
  }

  /** The same in a release where one division means that sizes are not rounded at all. */
  public RoundupDivisions whereOneKeepsSizes() {
    return new RoundupDivisions(divisions, true);
  }

  /** Whether sizes of this many divisions stay as they are, rather than being rounded to 512. */
  boolean keepsSizes(long slotDivisions) {
    return oneKeepsSizes && slotDivisions == 1;
  }

  /** Divisions of a slot. */
  public long slot(int slot) {
    return divisions[slot];
  }

  /** Divisions that apply to a request of this many bytes (at least 1). */
  public long forSize(long bytes) {
    int slot = 63 - Long.numberOfLeadingZeros(bytes) - 20;
    return divisions[Math.clamp(slot, 0, SLOTS - 1)];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RoundupDivisions that
        && oneKeepsSizes == that.oneKeepsSizes
        && Arrays.equals(divisions, that.divisions);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(divisions);
  }

  @Override
  public String toString() {
    return Arrays.toString(divisions);
  }
}
