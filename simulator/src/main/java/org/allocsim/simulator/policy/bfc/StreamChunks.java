package org.allocsim.simulator.policy.bfc;

import java.util.Arrays;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * To which stream the chunks of an {@link OrtArena} belong, and since when. A chunk belongs to no
 * stream until a request of one is served from it; its rest keeps what it was cut from.
 */
final class StreamChunks {
  private static final int NO_STREAM = -1;

  private final BlockHeap blocks;
  private final boolean everyRequestTakesOver;
  private int[] owner = new int[256];
  private long[] since = new long[256];
  private long[] lastSync = new long[4];
  private long lastSyncOfAll;
  private long clock = 1;

  /**
   * No chunks yet.
   *
   * @param everyRequestTakesOver whether a chunk belongs to the stream that it served last, rather
   *     than first
   */
  StreamChunks(BlockHeap blocks, boolean everyRequestTakesOver) {
    this.blocks = blocks;
    this.everyRequestTakesOver = everyRequestTakesOver;
  }

  /** A new region's chunk belongs to no stream. */
  void addRegion(int chunk) {
    set(chunk, NO_STREAM, 0);
  }

  /** A rest was cut from a chunk that is not yet handed out. */
  void split(int chunk, int rest) {
    set(rest, owner[chunk], since[chunk]);
  }

  /**
   * A chunk was handed out.
   *
   * @param isFresh whether a region was made for the request; its chunk then gets the stream, but
   *     not the time
   */
  void take(int chunk, int stream, boolean isFresh) {
    if (everyRequestTakesOver) {
      set(chunk, stream, clock);
    } else if (owner[chunk] == NO_STREAM) {
      set(chunk, stream, isFresh ? since[chunk] : clock);
    }
  }

  /** Whether a request of a stream may have a free chunk. */
  boolean isUsable(int chunk, int stream) {
    int chunkStream = owner[chunk];
    return chunkStream == NO_STREAM
        || chunkStream == stream
        || since[chunk] < Math.max(lastSyncOfAll, lastSyncOf(chunkStream));
  }

  /** Whether two neighbouring free chunks may be merged. */
  boolean mayMerge(int chunk, int neighbour) {
    return owner[chunk] == owner[neighbour];
  }

  /** A chunk is about to absorb another one. */
  void merge(int chunk, int absorbed) {
    since[chunk] = Math.max(since[chunk], since[absorbed]);
  }

  /** All streams waited for one. */
  void synchronize(int stream) {
    if (stream >= lastSync.length) {
      lastSync = Arrays.copyOf(lastSync, Math.max(stream + 1, lastSync.length * 2));
    }
    lastSync[stream] = ++clock;
  }

  /** All streams waited for all. */
  void synchronize() {
    lastSyncOfAll = ++clock;
  }

  private long lastSyncOf(int stream) {
    return stream < lastSync.length ? lastSync[stream] : 0;
  }

  private void set(int chunk, int stream, long time) {
    if (chunk >= owner.length) {
      owner = Arrays.copyOf(owner, Math.max(blocks.rows(), owner.length * 2));
      since = Arrays.copyOf(since, owner.length);
    }
    owner[chunk] = stream;
    since[chunk] = time;
  }
}
