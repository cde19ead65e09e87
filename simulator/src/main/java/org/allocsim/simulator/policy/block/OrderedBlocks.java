package org.allocsim.simulator.policy.block;

import java.util.Arrays;

/**
 * Blocks ordered by (bytes, unsigned address), as best fit searches them and PyTorch's free lists
 * are.
 *
 * <p>A list of sorted chunks of columns: a search is two binary searches, an insertion moves at
 * most one chunk. A position is an opaque number that is valid until the next change; {@link #NONE}
 * is no position.
 */
public final class OrderedBlocks {
  /** No position. */
  public static final long NONE = -1;

  private static final int CHUNK = 256;

  private static final class Chunk {
    final long[] bytes = new long[CHUNK];
    final long[] addresses = new long[CHUNK];
    final int[] blocks = new int[CHUNK];
    int count;

    /** Index of the first element that is not below the key; {@code count} if all are. */
    int ceiling(long keyBytes, long keyAddress) {
      // Which half holds the key cannot be predicted; the sign of a difference needs no branch.
      int base = 0;
      int length = count;
      while (length > 0) {
        int half = (length + 1) >>> 1;
        base += half & (int) ((bytes[base + half - 1] - keyBytes) >> 63);
        length -= half;
      }
      if (base == count || bytes[base] != keyBytes || keyAddress == 0) {
        return base;
      }
      return ceilingOfEqual(base, keyBytes, keyAddress);
    }

    private int ceilingOfEqual(int from, long keyBytes, long keyAddress) {
      int low = from;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (isBelow(middle, keyBytes, keyAddress)) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    boolean isBelow(int index, long keyBytes, long keyAddress) {
      return bytes[index] < keyBytes
          || (bytes[index] == keyBytes && Long.compareUnsigned(addresses[index], keyAddress) < 0);
    }

    void insert(int at, long newBytes, long newAddress, int newBlock) {
      System.arraycopy(bytes, at, bytes, at + 1, count - at);
      System.arraycopy(addresses, at, addresses, at + 1, count - at);
      System.arraycopy(blocks, at, blocks, at + 1, count - at);
      bytes[at] = newBytes;
      addresses[at] = newAddress;
      blocks[at] = newBlock;
      count++;
    }

    void remove(int at) {
      count--;
      System.arraycopy(bytes, at + 1, bytes, at, count - at);
      System.arraycopy(addresses, at + 1, addresses, at, count - at);
      System.arraycopy(blocks, at + 1, blocks, at, count - at);
    }

    Chunk splitUpperHalf() {
      Chunk upper = new Chunk();
      int half = count >>> 1;
      upper.count = count - half;
      System.arraycopy(bytes, half, upper.bytes, 0, upper.count);
      System.arraycopy(addresses, half, upper.addresses, 0, upper.count);
      System.arraycopy(blocks, half, upper.blocks, 0, upper.count);
      count = half;
      return upper;
    }
  }

  private Chunk[] chunks = {new Chunk()};
  private int chunkCount = 1;
  private int size;

  /** An empty set. */
  public OrderedBlocks() {}

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** First position with a block of at least the key, or {@link #NONE}. */
  public long ceiling(long keyBytes, long keyAddress) {
    int at = chunkFor(keyBytes, keyAddress);
    int index = chunks[at].ceiling(keyBytes, keyAddress);
    return index < chunks[at].count ? position(at, index) : NONE;
  }

  /** Position of the first block, or {@link #NONE}. */
  public long first() {
    return size == 0 ? NONE : 0;
  }

  /** Position of the last block, or {@link #NONE}. */
  public long last() {
    return size == 0 ? NONE : position(chunkCount - 1, chunks[chunkCount - 1].count - 1);
  }

  /** The position behind, or {@link #NONE}. */
  public long next(long position) {
    int at = chunkOf(position);
    int index = indexOf(position) + 1;
    if (index < chunks[at].count) {
      return position(at, index);
    }
    return at + 1 < chunkCount ? position(at + 1, 0) : NONE;
  }

  /** The position before, or {@link #NONE}. */
  public long previous(long position) {
    int at = chunkOf(position);
    int index = indexOf(position) - 1;
    if (index >= 0) {
      return position(at, index);
    }
    return at > 0 ? position(at - 1, chunks[at - 1].count - 1) : NONE;
  }

  /** Block at a position. */
  public int block(long position) {
    return chunks[chunkOf(position)].blocks[indexOf(position)];
  }

  /** Bytes of the block at a position. */
  public long bytes(long position) {
    return chunks[chunkOf(position)].bytes[indexOf(position)];
  }

  /** Address of the block at a position. */
  public long address(long position) {
    return chunks[chunkOf(position)].addresses[indexOf(position)];
  }

  /** Whether a block is in the set. */
  public boolean contains(long bytes, long address) {
    long position = ceiling(bytes, address);
    return position != NONE && bytes(position) == bytes && address(position) == address;
  }

  /** Adds a block. */
  public void add(long bytes, long address, int block) {
    int at = chunkFor(bytes, address);
    Chunk chunk = chunks[at];
    if (chunk.count == CHUNK) {
      insertChunk(at + 1, chunk.splitUpperHalf());
      if (chunk.isBelow(chunk.count - 1, bytes, address)) {
        chunk = chunks[at + 1];
      }
    }
    chunk.insert(chunk.ceiling(bytes, address), bytes, address, block);
    size++;
  }

  /** Removes a block that is in the set. */
  public void remove(long bytes, long address) {
    int at = chunkFor(bytes, address);
    Chunk chunk = chunks[at];
    int index = chunk.ceiling(bytes, address);
    if (index == chunk.count || chunk.bytes[index] != bytes || chunk.addresses[index] != address) {
      throw new IllegalStateException("block is not in the set");
    }
    removeAt(at, index);
  }

  /** Removes the block at a position. */
  public void removeAt(long position) {
    removeAt(chunkOf(position), indexOf(position));
  }

  private void removeAt(int at, int index) {
    Chunk chunk = chunks[at];
    chunk.remove(index);
    size--;
    if (chunk.count == 0 && chunkCount > 1) {
      chunkCount--;
      System.arraycopy(chunks, at + 1, chunks, at, chunkCount - at);
      chunks[chunkCount] = null;
    }
  }

  /** Copies all blocks in order behind {@code count} blocks of a list, growing it as needed. */
  public int[] copyTo(int[] list, int count) {
    int[] grown = list.length < count + size ? Arrays.copyOf(list, count + size) : list;
    int at = count;
    for (int i = 0; i < chunkCount; i++) {
      System.arraycopy(chunks[i].blocks, 0, grown, at, chunks[i].count);
      at += chunks[i].count;
    }
    return grown;
  }

  /** The first chunk whose last element is not below the key, else the last chunk. */
  private int chunkFor(long keyBytes, long keyAddress) {
    int low = 0;
    int high = chunkCount - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Chunk chunk = chunks[middle];
      if (chunk.isBelow(chunk.count - 1, keyBytes, keyAddress)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private void insertChunk(int at, Chunk chunk) {
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunkCount * 2);
    }
    System.arraycopy(chunks, at, chunks, at + 1, chunkCount - at);
    chunks[at] = chunk;
    chunkCount++;
  }

  private static long position(int chunk, int index) {
    return ((long) chunk << 32) | index;
  }

  private static int chunkOf(long position) {
    return (int) (position >>> 32);
  }

  private static int indexOf(long position) {
    return (int) position;
  }
}
