package org.allocsim.validation.gpu;

import java.util.Arrays;

/** The calls that a policy made on a device and what came of each, in columns. */
final class CallLog {
  private static final PortCall[] KINDS = PortCall.values();

  private int count;
  private byte[] kinds = new byte[1024];
  private boolean[] refused = new boolean[1024];
  private long[] bytes = new long[1024];
  private long[] addresses = new long[1024];
  private long[] regions = new long[1024];
  private long[] freeBytes = new long[1024];
  private long[] reservedBytes = new long[1024];
  private long[] usedBytes = new long[1024];
  private long[] nanos = new long[1024];

  /** Number of calls. */
  int count() {
    return count;
  }

  PortCall kind(int call) {
    return KINDS[kinds[call]];
  }

  /** What a call was about; for waiting calls the stream. */
  long bytes(int call) {
    return bytes[call];
  }

  /** The address that the call gave or was given. */
  long address(int call) {
    return addresses[call];
  }

  /** Start of the driver's reservation around a segment, where the device reports it, else 0. */
  long region(int call) {
    return regions[call];
  }

  boolean isRefused(int call) {
    return refused[call];
  }

  /** Free bytes of the device after the call. */
  long freeBytes(int call) {
    return freeBytes[call];
  }

  /** What the pool holds after a stream-ordered call. */
  long reservedBytes(int call) {
    return reservedBytes[call];
  }

  /** What the pool's allocations asked for after a stream-ordered call. */
  long usedBytes(int call) {
    return usedBytes[call];
  }

  /** Time in the driver. */
  long nanos(int call) {
    return nanos[call];
  }

  void add(
      PortCall kind,
      long callBytes,
      long address,
      long region,
      boolean isRefused,
      long free,
      long reserved,
      long used,
      long callNanos) {
    if (count == kinds.length) {
      grow(Math.addExact(count, count >> 1));
    }
    kinds[count] = (byte) kind.ordinal();
    bytes[count] = callBytes;
    addresses[count] = address;
    regions[count] = region;
    refused[count] = isRefused;
    freeBytes[count] = free;
    reservedBytes[count] = reserved;
    usedBytes[count] = used;
    nanos[count++] = callNanos;
  }

  private void grow(int capacity) {
    kinds = Arrays.copyOf(kinds, capacity);
    refused = Arrays.copyOf(refused, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    addresses = Arrays.copyOf(addresses, capacity);
    regions = Arrays.copyOf(regions, capacity);
    freeBytes = Arrays.copyOf(freeBytes, capacity);
    reservedBytes = Arrays.copyOf(reservedBytes, capacity);
    usedBytes = Arrays.copyOf(usedBytes, capacity);
    nanos = Arrays.copyOf(nanos, capacity);
  }
}
