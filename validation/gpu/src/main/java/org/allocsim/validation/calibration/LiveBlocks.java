package org.allocsim.validation.calibration;

import java.util.Arrays;

/** Blocks that an experiment holds, in no order: addresses on both devices, sizes and a number. */
final class LiveBlocks {
  private long[] rows = new long[4 * 256];
  private int count;
  private long bytes;

  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  void add(long real, long simulated, long blockBytes, long number) {
    if (4 * count == rows.length) {
      rows = Arrays.copyOf(rows, rows.length * 2);
    }
    rows[4 * count] = real;
    rows[4 * count + 1] = simulated;
    rows[4 * count + 2] = blockBytes;
    rows[4 * count + 3] = number;
    count++;
    bytes += blockBytes;
  }

  long real(int row) {
    return rows[4 * row];
  }

  long simulated(int row) {
    return rows[4 * row + 1];
  }

  long bytes(int row) {
    return rows[4 * row + 2];
  }

  long number(int row) {
    return rows[4 * row + 3];
  }

  void remove(int row) {
    bytes -= bytes(row);
    count--;
    System.arraycopy(rows, 4 * count, rows, 4 * row, 4);
  }
}
