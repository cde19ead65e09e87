package org.allocsim.simulator.policy.block;

import java.util.Arrays;

/**
 * Blocks ordered by (bytes, unsigned address), as best fit searches them and PyTorch's free lists
 * are.
 *
 * <p>A list of sorted chunks of columns and the last key of each: a search is two binary searches,
 * an insertion moves at most one chunk. A position is an opaque number that is valid until the next
 * change; {@link #NONE} is no position.
 */
public final class OrderedBlocks {
  /** No position. */
  public static final long NONE = -1;

  /** Most elements of a chunk. */
  private static final int CHUNK = 64;

  /** Cells of an element: bytes, address, block. They lie together, so that one copy moves all. */
  private static final int STRIDE = 3;

  /** Addresses are kept with the sign bit flipped, so that signed comparison orders them. */
  private static final long SIGN = Long.MIN_VALUE;

  private static final class Chunk {
    final long[] cells = new long[CHUNK * STRIDE];
    int count;

    long bytes(int index) {
      return cells[index * STRIDE];
    }

    long flippedAddress(int index) {
      return cells[index * STRIDE + 1];
    }

    void set(int index, long bytes, long flippedAddress, int block) {
      cells[index * STRIDE] = bytes;
      cells[index * STRIDE + 1] = flippedAddress;
      cells[index * STRIDE + 2] = block;
    }

    /** Moves elements from an index on to another one, which may overlap. */
    void move(int from, int to, int elements) {
      System.arraycopy(cells, from * STRIDE, cells, to * STRIDE, elements * STRIDE);
    }

    /** Moves the elements from {@code from} on behind those of another chunk. */
    void moveTo(Chunk target, int from) {
      int moved = count - from;
      System.arraycopy(cells, from * STRIDE, target.cells, target.count * STRIDE, moved * STRIDE);
      target.count += moved;
      count = from;
    }

    /**
     * Index of the first element that is not below a key, {@code count} if all are. It halves by
     * arithmetic, because no branch can be predicted here, and looks at addresses only where bytes
     * are equal.
     */
    int ceiling(long keyBytes, long keyAddress) {
      int base = 0;
      int length = count;
      while (length > 0) {
        int half = (length + 1) >>> 1;
        base = bytes(base + half - 1) < keyBytes ? base + half : base;
        length -= half;
      }
      if (base == count || bytes(base) != keyBytes || flippedAddress(base) >= keyAddress) {
        return base;
      }
      length = count - base;
      while (length > 0) {
        int half = (length + 1) >>> 1;
        int middle = base + half - 1;
        base =
            isBelow(bytes(middle), flippedAddress(middle), keyBytes, keyAddress)
                ? base + half
                : base;
        length -= half;
      }
      return base;
    }
  }

  private Chunk[] chunks = {new Chunk(), null, null, null};

  /** Last key of each chunk that is not empty. */
  private long[] lastBytes = new long[4];

  private long[] lastAddresses = new long[4];
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
    long address = keyAddress ^ SIGN;
    int at = chunkFor(keyBytes, address);
    Chunk chunk = chunks[at];
    int index = chunk.ceiling(keyBytes, address);
    return index < chunk.count ? position(at, index) : NONE;
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
    return (int) chunks[chunkOf(position)].cells[indexOf(position) * STRIDE + 2];
  }

  /** Bytes of the block at a position. */
  public long bytes(long position) {
    return chunks[chunkOf(position)].bytes(indexOf(position));
  }

  /** Address of the block at a position. */
  public long address(long position) {
    return chunks[chunkOf(position)].flippedAddress(indexOf(position)) ^ SIGN;
  }

  /** Whether a block is in the set. */
  public boolean contains(long bytes, long address) {
    long position = ceiling(bytes, address);
    return position != NONE && bytes(position) == bytes && address(position) == address;
  }

  /** Adds a block. */
  public void add(long bytes, long address, int block) {
    long flipped = address ^ SIGN;
    int at = chunkFor(bytes, flipped);
    if (chunks[at].count == CHUNK) {
      split(at);
      if (isBelow(lastBytes[at], lastAddresses[at], bytes, flipped)) {
        at++;
      }
    }
    Chunk chunk = chunks[at];
    int index = chunk.ceiling(bytes, flipped);
    chunk.move(index, index + 1, chunk.count - index);
    chunk.set(index, bytes, flipped, block);
    chunk.count++;
    if (index == chunk.count - 1) {
      noteLast(at);
    }
    size++;
  }

  /** Removes a block that is in the set. */
  public void remove(long bytes, long address) {
    removeAt(positionOf(bytes, address));
  }

  /** Removes the block at a position. */
  public void removeAt(long position) {
    int at = chunkOf(position);
    int index = indexOf(position);
    Chunk chunk = chunks[at];
    chunk.move(index + 1, index, chunk.count - index - 1);
    chunk.count--;
    size--;
    if (chunk.count < CHUNK / 4 && chunkCount > 1) {
      shrink(at);
    } else if (index == chunk.count && index > 0) {
      noteLast(at);
    }
  }

  /** Replaces a block that is in the set: cheaper than to remove the one and add the other. */
  public void replace(long bytes, long address, long newBytes, long newAddress, int newBlock) {
    replaceAt(positionOf(bytes, address), newBytes, newAddress, newBlock);
  }

  /** Replaces the block at a position: cheaper than to remove the one and add the other. */
  public void replaceAt(long position, long newBytes, long newAddress, int newBlock) {
    long flipped = newAddress ^ SIGN;
    int at = chunkOf(position);
    if (!isIn(at, newBytes, flipped)) {
      removeAt(position);
      add(newBytes, newAddress, newBlock);
      return;
    }
    Chunk chunk = chunks[at];
    int from = indexOf(position);
    int to = chunk.ceiling(newBytes, flipped);
    if (to > from) {
      to--;
      chunk.move(from + 1, from, to - from);
    } else {
      chunk.move(to, to + 1, from - to);
    }
    chunk.set(to, newBytes, flipped, newBlock);
    if (Math.max(from, to) == chunk.count - 1) {
      noteLast(at);
    }
  }

  private long positionOf(long bytes, long address) {
    long flipped = address ^ SIGN;
    int at = chunkFor(bytes, flipped);
    Chunk chunk = chunks[at];
    int index = chunk.ceiling(bytes, flipped);
    if (index == chunk.count
        || chunk.bytes(index) != bytes
        || chunk.flippedAddress(index) != flipped) {
      throw new IllegalStateException("block is not in the set");
    }
    return position(at, index);
  }

  /** Copies all blocks in order behind {@code count} blocks of a list, growing it as needed. */
  public int[] copyTo(int[] list, int count) {
    int[] grown = list.length < count + size ? Arrays.copyOf(list, count + size) : list;
    int at = count;
    for (int i = 0; i < chunkCount; i++) {
      for (int index = 0; index < chunks[i].count; index++) {
        grown[at++] = block(position(i, index));
      }
    }
    return grown;
  }

  /** The first chunk whose last element is not below the key, else the last chunk. */
  private int chunkFor(long keyBytes, long flippedAddress) {
    int last = chunkCount - 1;
    int base = 0;
    int length = last;
    while (length > 0) {
      int half = (length + 1) >>> 1;
      base = lastBytes[base + half - 1] < keyBytes ? base + half : base;
      length -= half;
    }
    while (base < last && lastBytes[base] == keyBytes && lastAddresses[base] < flippedAddress) {
      base++;
    }
    return base;
  }

  /** Whether {@link #chunkFor} finds this chunk. */
  private boolean isIn(int at, long keyBytes, long flippedAddress) {
    return (at == 0 || isBelow(lastBytes[at - 1], lastAddresses[at - 1], keyBytes, flippedAddress))
        && (at == chunkCount - 1
            || !isBelow(lastBytes[at], lastAddresses[at], keyBytes, flippedAddress));
  }

  private static boolean isBelow(long bytes, long address, long keyBytes, long keyAddress) {
    return bytes < keyBytes || (bytes == keyBytes && address < keyAddress);
  }

  private void noteLast(int at) {
    Chunk chunk = chunks[at];
    lastBytes[at] = chunk.bytes(chunk.count - 1);
    lastAddresses[at] = chunk.flippedAddress(chunk.count - 1);
  }

  private void split(int at) {
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunkCount * 2);
      lastBytes = Arrays.copyOf(lastBytes, chunkCount * 2);
      lastAddresses = Arrays.copyOf(lastAddresses, chunkCount * 2);
    }
    int behind = chunkCount - at - 1;
    System.arraycopy(chunks, at + 1, chunks, at + 2, behind);
    System.arraycopy(lastBytes, at + 1, lastBytes, at + 2, behind);
    System.arraycopy(lastAddresses, at + 1, lastAddresses, at + 2, behind);
    chunkCount++;
    chunks[at + 1] = new Chunk();
    chunks[at].moveTo(chunks[at + 1], CHUNK / 2);
    noteLast(at);
    noteLast(at + 1);
  }

  /** Joins a chunk with few elements to a neighbour, if both fit into half a chunk. */
  private void shrink(int at) {
    if (at + 1 < chunkCount && chunks[at].count + chunks[at + 1].count <= CHUNK / 2) {
      join(at);
    } else if (at > 0 && chunks[at - 1].count + chunks[at].count <= CHUNK / 2) {
      join(at - 1);
    } else if (chunks[at].count == 0) {
      drop(at);
    } else {
      noteLast(at);
    }
  }

  private void join(int at) {
    chunks[at + 1].moveTo(chunks[at], 0);
    drop(at + 1);
    if (chunks[at].count > 0) {
      noteLast(at);
    }
  }

  private void drop(int at) {
    chunkCount--;
    int behind = chunkCount - at;
    System.arraycopy(chunks, at + 1, chunks, at, behind);
    System.arraycopy(lastBytes, at + 1, lastBytes, at, behind);
    System.arraycopy(lastAddresses, at + 1, lastAddresses, at, behind);
    chunks[chunkCount] = null;
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
