package org.allocsim.reports.html;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** What a policy took from the device and gave back, in order. */
final class SegmentColumns {
  /** A segment was obtained. */
  static final int ALLOCATED = 0;

  /** A segment was returned. */
  static final int FREED = 1;

  /** Memory was mapped at the end of an expandable segment. */
  static final int MAPPED = 2;

  /** Memory was unmapped. */
  static final int UNMAPPED = 3;

  private byte[] kinds = new byte[64];
  private int[] events = new int[64];
  private long[] addresses = new long[64];
  private long[] sizes = new long[64];
  private short[] streams = new short[64];
  private int count;
  private long reservedBytes;
  private long peakBytes;
  private int peakEvent;

  /** Memory that is held at one moment, without gaps. */
  record Piece(long bytes, int birth, int stream, int kind) {}

  void add(int kind, boolean small, int event, long address, long bytes, int stream) {
    if (count == kinds.length) {
      int capacity = Math.addExact(count, count >> 1);
      kinds = Arrays.copyOf(kinds, capacity);
      events = Arrays.copyOf(events, capacity);
      addresses = Arrays.copyOf(addresses, capacity);
      sizes = Arrays.copyOf(sizes, capacity);
      streams = Arrays.copyOf(streams, capacity);
    }
    kinds[count] = (byte) (kind << 1 | (small ? 1 : 0));
    events[count] = event;
    addresses[count] = address;
    sizes[count] = bytes;
    streams[count++] = (short) stream;
    reservedBytes += kind == ALLOCATED || kind == MAPPED ? bytes : -bytes;
    if (reservedBytes > peakBytes) {
      peakBytes = reservedBytes;
      peakEvent = event;
    }
  }

  /** Highest reserved memory, within requests too. */
  long peakBytes() {
    return peakBytes;
  }

  /** Position of the request that first took reserved memory to its peak. */
  int peakEvent() {
    return peakEvent;
  }

  /** Lowest address, or {@code other} if that is less. */
  long lowestAddress(long other) {
    long lowest = other;
    for (int i = 0; i < count; i++) {
      lowest = Math.min(lowest, addresses[i]);
    }
    return lowest;
  }

  /** The addresses and sizes, joined by "or": their common low zeros are those of all. */
  long bits(long base) {
    long bits = 0;
    for (int i = 0; i < count; i++) {
      bits |= addresses[i] - base | sizes[i];
    }
    return bits;
  }

  void put(ColumnWriter out, long base, int shift) {
    out.put(count);
    for (int i = 0; i < count; i++) {
      out.put(kinds[i]);
    }
    int before = 0;
    for (int i = 0; i < count; i++) {
      out.put(events[i] - before);
      before = events[i];
    }
    long address = base;
    for (int i = 0; i < count; i++) {
      out.putSigned((addresses[i] - address) >> shift);
      address = addresses[i];
    }
    for (int i = 0; i < count; i++) {
      out.put(sizes[i] >> shift);
    }
    for (int i = 0; i < count; i++) {
      out.putSigned(streams[i]);
    }
  }

  /** What is held after the request at a position, by address. */
  Map<Long, Piece> heldAfter(int event) {
    TreeMap<Long, Piece> pieces = new TreeMap<>();
    for (int i = 0; i < count && events[i] <= event; i++) {
      int kind = kinds[i] >> 1;
      if (kind == ALLOCATED || kind == MAPPED) {
        pieces.put(addresses[i], new Piece(sizes[i], events[i], streams[i], kinds[i]));
      } else {
        remove(pieces, addresses[i], addresses[i] + sizes[i]);
      }
    }
    return pieces;
  }

  private static void remove(TreeMap<Long, Piece> pieces, long from, long to) {
    Map.Entry<Long, Piece> reachingIn = pieces.lowerEntry(from);
    if (reachingIn != null) {
      cut(pieces, reachingIn, from, to);
    }
    Map.Entry<Long, Piece> next = pieces.ceilingEntry(from);
    while (next != null && next.getKey() < to) {
      cut(pieces, next, from, to);
      next = pieces.higherEntry(next.getKey());
    }
  }

  private static void cut(
      TreeMap<Long, Piece> pieces, Map.Entry<Long, Piece> held, long from, long to) {
    long start = held.getKey();
    Piece piece = held.getValue();
    long end = start + piece.bytes();
    if (end <= from) {
      return;
    }
    pieces.remove(start);
    if (start < from) {
      pieces.put(start, part(piece, from - start));
    }
    if (end > to) {
      pieces.put(to, part(piece, end - to));
    }
  }

  private static Piece part(Piece piece, long bytes) {
    return new Piece(bytes, piece.birth(), piece.stream(), piece.kind());
  }
}
