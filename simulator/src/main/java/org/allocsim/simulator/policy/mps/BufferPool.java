package org.allocsim.simulator.policy.mps;

import java.util.Comparator;
import java.util.TreeSet;
import org.allocsim.simulator.order.SizeOrderedRows;

/** Heaps of one class of sizes and the buffers in them that wait for a request. */
final class BufferPool {
  /** A heap: one piece of memory of the device. */
  static final class Heap {
    final long number;
    final BufferPool pool;
    final long totalBytes;

    /** Whether it is for several buffers. */
    final boolean isShared;

    /** Its free pieces. */
    final SizeOrderedRows spaces;

    /** Largest free piece, and place in the pool's order. */
    long availableBytes;

    int buffers;

    Heap(long number, BufferPool pool, long totalBytes, boolean isShared, SizeOrderedRows spaces) {
      this.number = number;
      this.pool = pool;
      this.totalBytes = totalBytes;
      this.isShared = isShared;
      this.spaces = spaces;
      availableBytes = totalBytes;
    }
  }

  /** A buffer: a block of a heap that keeps its size until it is released. */
  static final class Buffer {
    final long number;
    final Heap heap;
    final int block;
    final long bytes;

    /** Requests of its pool until it came back. */
    long since;

    Buffer(long number, Heap heap, int block, long bytes) {
      this.number = number;
      this.heap = heap;
      this.block = block;
      this.bytes = bytes;
    }
  }

  /** Whether it is the pool of small buffers, which are never collected. */
  final boolean isSmall;

  final TreeSet<Heap> heaps =
      new TreeSet<>(
          Comparator.comparingLong((Heap heap) -> heap.availableBytes)
              .thenComparingLong(heap -> heap.number));

  final TreeSet<Buffer> available =
      new TreeSet<>(
          Comparator.comparingLong((Buffer buffer) -> buffer.bytes)
              .thenComparingLong(buffer -> buffer.number));

  long availableBytes;

  /** Requests that looked for a buffer here. */
  long requests;

  BufferPool(boolean isSmall) {
    this.isSmall = isSmall;
  }

  /** Requests since a cached buffer came back. */
  long age(Buffer buffer) {
    return requests - buffer.since;
  }
}
