package org.allocsim.simulator.effect;

import java.util.Arrays;

/**
 * Effects in order, as columns: what a recording holds, or what a simulation did. One row is what
 * one entry of PyTorch's history says: kind, address (free bytes of the device for OOM), bytes,
 * stream.
 */
public final class EffectLog {
  private int count;
  private byte[] kinds;
  private long[] addresses;
  private long[] bytes;
  private short[] streams;

  /** An empty log that grows as it needs to. */
  public EffectLog() {
    this(1024);
  }

  /** An empty log with room for a number of rows, which takes no more memory than they do. */
  public EffectLog(int capacityRows) {
    kinds = new byte[capacityRows];
    addresses = new long[capacityRows];
    bytes = new long[capacityRows];
    streams = new short[capacityRows];
  }

  /** Number of rows. */
  public int count() {
    return count;
  }

  /** Kind of a row. */
  public EffectKind kind(int row) {
    return EffectKind.of(kinds[row]);
  }

  /** Address of a row; free bytes of the device for OOM; 0 for a snapshot. */
  public long address(int row) {
    return addresses[row];
  }

  /** Bytes of a row, as PyTorch's history has them. */
  public long bytes(int row) {
    return bytes[row];
  }

  /** Stream number of a row. */
  public int stream(int row) {
    return streams[row];
  }

  /** Appends a row. */
  public void add(EffectKind kind, long address, long sizeBytes, int stream) {
    if (count == kinds.length) {
      // Half as much again; only a quarter where that is tens of megabytes.
      resize(Math.addExact(count, (count >> (count < 1 << 20 ? 1 : 2)) + 16));
    }
    kinds[count] = (byte) kind.ordinal();
    addresses[count] = address;
    bytes[count] = sizeBytes;
    streams[count] = (short) stream;
    count++;
  }

  private void resize(int capacity) {
    kinds = Arrays.copyOf(kinds, capacity);
    addresses = Arrays.copyOf(addresses, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    streams = Arrays.copyOf(streams, capacity);
  }
}
