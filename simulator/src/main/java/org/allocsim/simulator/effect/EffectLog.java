package org.allocsim.simulator.effect;

import java.util.Arrays;

/**
 * Effects in order, as columns: what a recording holds, or what a simulation did. One row is what
 * one entry of PyTorch's history says: kind, address (free bytes of the device for OOM), bytes,
 * stream.
 */
public final class EffectLog {
  private int count;
  private byte[] kinds = new byte[1024];
  private long[] addresses = new long[1024];
  private long[] bytes = new long[1024];
  private short[] streams = new short[1024];

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

  /** Gives memory back that was taken in advance for further rows. */
  public void trimToSize() {
    if (count < kinds.length) {
      resize(count);
    }
  }

  /** Replaces every stream number {@code n} with {@code newNumbers[n]}. */
  public void renumberStreams(short[] newNumbers) {
    for (int row = 0; row < count; row++) {
      streams[row] = newNumbers[streams[row]];
    }
  }

  private void resize(int capacity) {
    kinds = Arrays.copyOf(kinds, capacity);
    addresses = Arrays.copyOf(addresses, capacity);
    bytes = Arrays.copyOf(bytes, capacity);
    streams = Arrays.copyOf(streams, capacity);
  }
}
