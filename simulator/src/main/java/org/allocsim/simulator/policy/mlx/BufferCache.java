package org.allocsim.simulator.policy.mlx;

import java.util.function.IntConsumer;
import org.allocsim.simulator.order.BlockRows;
import org.allocsim.simulator.order.SizeOrderedRows;

/**
 * MLX's cache of freed buffers ({@code BufferCache}): by size and then age for reuse, by age alone
 * for release.
 */
final class BufferCache extends BlockRows {
  /** From this share of the cache on, a release empties it. */
  private static final double NEARLY_ALL = 0.9;

  // Links of a row.
  private static final int NEWER = 0;
  private static final int OLDER = 1;
  private static final int BUFFER = 2;

  private final long pageBytes;
  private final IntConsumer release;
  private final SizeOrderedRows order = new SizeOrderedRows(this);

  /** Number of buffers that were ever cached; it stands in for the address in the order. */
  private long added;

  private long bytes;
  private int newest = NONE;
  private int oldest = NONE;

  /**
   * An empty cache.
   *
   * @param pageBytes a buffer serves a request if it exceeds it by less than two pages
   * @param release is given each buffer that is released
   */
  BufferCache(long pageBytes, IntConsumer release) {
    this.pageBytes = pageBytes;
    this.release = release;
  }

  /** Bytes of all cached buffers. */
  long bytes() {
    return bytes;
  }

  /** Caches a buffer, which is the newest now. */
  void add(int buffer, long bufferBytes) {
    int row = newRow();
    place(row, added++, bufferBytes);
    links[row * LINKS + BUFFER] = buffer;
    links[row * LINKS + NEWER] = NONE;
    links[row * LINKS + OLDER] = newest;
    links[newest * LINKS + NEWER] = row;
    newest = row;
    oldest = oldest == NONE ? row : oldest;
    order.add(row);
    bytes += bufferBytes;
  }

  /**
   * Takes out the smallest buffer of at least a size, the oldest among equals, if it is less than
   * twice as large and by less than two pages larger.
   *
   * @return the buffer, or {@link #NONE}
   */
  int reuse(long requestBytes) {
    int row = order.ceiling(requestBytes, 0);
    if (row == NONE) {
      return NONE;
    }
    long excessBytes = bytes(row) - requestBytes;
    return excessBytes >= Math.min(requestBytes, 2 * pageBytes) ? NONE : remove(row);
  }

  /**
   * Releases the oldest buffers until they have a number of bytes, or all by ascending size if that
   * is at least nine tenths of the cache.
   */
  void release(long minBytes) {
    if (minBytes >= NEARLY_ALL * bytes) {
      clear();
      return;
    }
    long released = 0;
    while (oldest != NONE && released < minBytes) {
      released += bytes(oldest);
      release.accept(remove(oldest));
    }
  }

  /** Releases all buffers by ascending size, the oldest first among equals. */
  void clear() {
    for (int row = order.first(); row != NONE; row = order.first()) {
      release.accept(remove(row));
    }
  }

  private int remove(int row) {
    int newer = links[row * LINKS + NEWER];
    int older = links[row * LINKS + OLDER];
    links[newer * LINKS + OLDER] = older;
    links[older * LINKS + NEWER] = newer;
    newest = row == newest ? older : newest;
    oldest = row == oldest ? newer : oldest;
    order.remove(row);
    bytes -= bytes(row);
    recycle(row);
    return links[row * LINKS + BUFFER];
  }
}
