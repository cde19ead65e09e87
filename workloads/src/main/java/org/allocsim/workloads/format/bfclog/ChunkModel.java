package org.allocsim.workloads.format.bfclog;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of one allocator as far as a log shows them. It does not decide where a request goes,
 * which the log says; it follows what becomes of the chunks, so that the order of lines can be
 * judged. Once the log names a place that cannot be, the model is lost and knows nothing more.
 */
final class ChunkModel {
  private static final long UNIT_BYTES = 256;
  private static final long MAX_WASTE_BYTES = 128L << 20;

  private static final class Chunk {
    final long address;
    final long region;
    long bytes;
    boolean free = true;
    boolean untouched = true;

    Chunk(long address, long region, long bytes) {
      this.address = address;
      this.region = region;
      this.bytes = bytes;
    }
  }

  private final TreeMap<Long, Chunk> chunks = new TreeMap<>();
  private boolean lost;

  /** Whether the log said something that cannot be, or that the model does not know. */
  boolean isLost() {
    return lost;
  }

  void addRegion(long address, long bytes) {
    chunks.put(address, new Chunk(address, address, bytes));
  }

  /** A request was served at an address. */
  void take(long address, long requestedBytes) {
    Chunk chunk = chunks.get(address);
    long rounded = rounded(requestedBytes);
    if (lost || chunk == null || !chunk.free || chunk.bytes < rounded) {
      lost = true;
      return;
    }
    long rest = chunk.bytes - rounded;
    if (rest >= rounded || rest >= MAX_WASTE_BYTES) {
      Chunk upper = new Chunk(address + rounded, chunk.region, rest);
      upper.untouched = false;
      chunks.put(upper.address, upper);
      chunk.bytes = rounded;
    }
    chunk.free = false;
    chunk.untouched = false;
  }

  /** What lies at an address was freed. */
  void free(long address) {
    Chunk chunk = chunks.get(address);
    if (lost || chunk == null) {
      lost = true;
      return;
    }
    chunk.free = true;
    Chunk next = next(chunk);
    if (next != null && next.free) {
      chunk.bytes += next.bytes;
      chunks.remove(next.address);
    }
    Chunk previous = previous(chunk);
    if (previous != null && previous.free) {
      previous.bytes += chunk.bytes;
      chunks.remove(chunk.address);
    }
  }

  /**
   * Whether a chunk in use cannot have been freed, without merging, before a request was served at
   * another address: it would have merged, or it would have been the better fit.
   */
  boolean wasFreedLater(long usedAddress, long servedAddress, long requestedBytes) {
    Chunk used = chunks.get(usedAddress);
    Chunk served = chunks.get(servedAddress);
    if (lost || used == null || served == null || used == served) {
      return false;
    }
    if (hasFreeNeighbour(usedAddress)) {
      return true;
    }
    if (used.bytes < rounded(requestedBytes)) {
      return false;
    }
    return served.untouched
        || used.bytes < served.bytes
        || (used.bytes == served.bytes && used.address < served.address);
  }

  /** Whether a chunk in use has a free neighbour, with which it would merge. */
  boolean hasFreeNeighbour(long usedAddress) {
    Chunk used = chunks.get(usedAddress);
    return !lost && used != null && (isFree(next(used)) || isFree(previous(used)));
  }

  /** Whether two chunks are neighbours. */
  boolean touch(long address, long otherAddress) {
    Chunk chunk = chunks.get(address);
    Chunk other = chunks.get(otherAddress);
    return !lost
        && chunk != null
        && other != null
        && (next(chunk) == other || previous(chunk) == other);
  }

  private static boolean isFree(@Nullable Chunk chunk) {
    return chunk != null && chunk.free;
  }

  private @Nullable Chunk next(Chunk chunk) {
    Chunk next = chunks.get(chunk.address + chunk.bytes);
    return next != null && next.region == chunk.region ? next : null;
  }

  private @Nullable Chunk previous(Chunk chunk) {
    Map.Entry<Long, Chunk> before = chunks.lowerEntry(chunk.address);
    return before != null && before.getValue().region == chunk.region ? before.getValue() : null;
  }

  private static long rounded(long bytes) {
    return Math.ceilDiv(bytes, UNIT_BYTES) * UNIT_BYTES;
  }
}
