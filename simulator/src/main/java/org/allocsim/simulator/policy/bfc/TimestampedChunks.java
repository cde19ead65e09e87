package org.allocsim.simulator.policy.bfc;

import java.util.ArrayDeque;
import java.util.Arrays;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * Freed chunks of which work on the device may not be finished. They are in bins, but merge only
 * when their time lies before the safe frontier, or where a request would fail otherwise.
 *
 * <p>Chunks wait as row numbers, as the original keeps handles: one that was handed out or absorbed
 * meanwhile is dropped when the queue is looked through.
 */
final class TimestampedChunks {
  private final ChunkHeap heap;
  private final BlockHeap blocks;
  private long[] freedAt = new long[256];
  private ArrayDeque<Integer> queue = new ArrayDeque<>();
  private long frontier;

  TimestampedChunks(ChunkHeap heap) {
    this.heap = heap;
    blocks = heap.blocks();
  }

  /** Time of a chunk's last free, 0 where it is safe. */
  long freedAt(int chunk) {
    return freedAt[chunk];
  }

  /** Whether no chunk waits. */
  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** Everything that was freed before this time is safe. */
  void setFrontier(long time) {
    frontier = Math.max(frontier, time);
  }

  /** A chunk was freed at a time and put into its bin. */
  void add(int chunk, long time) {
    setFreedAt(chunk, time);
    queue.addLast(chunk);
  }

  /**
   * Sets the time of a chunk, of every new one, too, such as a rest, which has that of the chunk
   * that it was cut from.
   */
  void setFreedAt(int chunk, long time) {
    if (chunk >= freedAt.length) {
      freedAt = Arrays.copyOf(freedAt, Math.max(blocks.rows(), freedAt.length * 2));
    }
    freedAt[chunk] = time;
  }

  /** Merges all chunks that have become safe. */
  void mergeSafe() {
    merge(0);
  }

  /** Merges chunks, safe or not, until one has the size; whether one has. */
  boolean mergeUntil(long roundedBytes) {
    return merge(roundedBytes);
  }

  private boolean merge(long roundedBytes) {
    boolean forced = roundedBytes > 0;
    ArrayDeque<Integer> candidates = new ArrayDeque<>();
    ArrayDeque<Integer> waiting = new ArrayDeque<>();
    for (int chunk : queue) {
      if (!blocks.isBlock(chunk) || !blocks.isFree(chunk)) {
        continue;
      }
      if (freedAt(chunk) < frontier) {
        setFreedAt(chunk, 0);
      }
      (forced || freedAt(chunk) == 0 ? candidates : waiting).addLast(chunk);
    }
    queue = waiting;
    boolean satisfied = false;
    for (int chunk : candidates) {
      if (!blocks.isBlock(chunk)) {
        continue;
      }
      if (satisfied) {
        queue.addLast(chunk);
        continue;
      }
      heap.unbin(chunk);
      int merged = mergeNeighbours(chunk, forced);
      heap.bin(merged);
      if (forced) {
        if (merged != chunk && freedAt(merged) > 0) {
          queue.addLast(merged);
        }
        satisfied = blocks.bytes(merged) >= roundedBytes;
      }
    }
    blocks.settle();
    return satisfied;
  }

  /** Merges a free chunk that is in no bin with its neighbours that may be merged. */
  private int mergeNeighbours(int chunk, boolean unsafeToo) {
    int next = blocks.next(chunk);
    if (blocks.isFree(next) && (unsafeToo || freedAt(next) == 0)) {
      long latest = Math.max(freedAt(chunk), freedAt(next));
      heap.mergeNext(chunk);
      setFreedAt(chunk, latest);
    }
    int previous = blocks.previous(chunk);
    if (blocks.isFree(previous) && (unsafeToo || freedAt(previous) == 0)) {
      long latest = Math.max(freedAt(chunk), freedAt(previous));
      int merged = heap.mergeIntoPrevious(chunk);
      setFreedAt(merged, latest);
      return merged;
    }
    return chunk;
  }
}
