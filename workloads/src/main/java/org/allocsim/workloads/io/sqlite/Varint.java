package org.allocsim.workloads.io.sqlite;

/** Numbers of one to nine bytes (file format of SQLite, "Varint"), one after the other. */
final class Varint {
  private static final int MAX_BYTES = 9;

  private final byte[] bytes;
  private final int end;
  private int position;
  private boolean isBroken;

  Varint(byte[] bytes, int position, int end) {
    this.bytes = bytes;
    this.position = position;
    this.end = end;
  }

  /** The next number; 0, and broken, after the end. */
  long next() {
    long value = 0;
    for (int i = 1; i <= MAX_BYTES; i++) {
      if (position >= end) {
        isBroken = true;
        return 0;
      }
      int b = bytes[position++];
      if (i == MAX_BYTES) {
        return value << Byte.SIZE | b & 0xff;
      }
      value = value << 7 | b & 0x7f;
      if (b >= 0) {
        return value;
      }
    }
    return value;
  }

  /** Where the next number begins. */
  int position() {
    return position;
  }

  /** Whether a number reached after the end. */
  boolean isBroken() {
    return isBroken;
  }
}
