package org.allocsim.simulator.policy.block;

import java.util.Arrays;

/**
 * Blocks ordered by unsigned address, as first fit searches them.
 *
 * <p>A list of sorted chunks of columns, each with the bytes of its largest block: a search for a
 * size looks at one number a chunk and then into one chunk, an insertion moves at most one chunk.
 */
public final class AddressOrderedBlocks {
  /** No block. */
  public static final int NONE = -1;

  private static final int CHUNK = 64;

  private static final class Chunk {
    final long[] addresses = new long[CHUNK];
    final long[] bytes = new long[CHUNK];
    final int[] blocks = new int[CHUNK];
    int count;

    /** Index of the first element that is not below an address; {@code count} if all are. */
    int ceiling(long address) {
      int low = 0;
      int high = count;
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (Long.compareUnsigned(addresses[middle], address) < 0) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }

    int indexOf(long address) {
      int index = ceiling(address);
      if (index == count || addresses[index] != address) {
        throw new IllegalStateException("block is not in the set");
      }
      return index;
    }

    void insert(int at, long newAddress, long newBytes, int newBlock) {
      System.arraycopy(addresses, at, addresses, at + 1, count - at);
      System.arraycopy(bytes, at, bytes, at + 1, count - at);
      System.arraycopy(blocks, at, blocks, at + 1, count - at);
      addresses[at] = newAddress;
      bytes[at] = newBytes;
      blocks[at] = newBlock;
      count++;
    }

    void remove(int at) {
      count--;
      System.arraycopy(addresses, at + 1, addresses, at, count - at);
      System.arraycopy(bytes, at + 1, bytes, at, count - at);
      System.arraycopy(blocks, at + 1, blocks, at, count - at);
    }

    Chunk splitUpperHalf() {
      Chunk upper = new Chunk();
      int half = count >>> 1;
      upper.count = count - half;
      System.arraycopy(addresses, half, upper.addresses, 0, upper.count);
      System.arraycopy(bytes, half, upper.bytes, 0, upper.count);
      System.arraycopy(blocks, half, upper.blocks, 0, upper.count);
      count = half;
      return upper;
    }

    long largest() {
      long most = 0;
      for (int i = 0; i < count; i++) {
        most = Math.max(most, bytes[i]);
      }
      return most;
    }
  }

  private Chunk[] chunks = {new Chunk()};
  private long[] largest = new long[1];
  private int chunkCount = 1;
  private int size;

  /** An empty set. */
  public AddressOrderedBlocks() {}

  /** Number of blocks. */
  public int size() {
    return size;
  }

  /** The block at the lowest address that has at least this many bytes, or {@link #NONE}. */
  public int firstFit(long leastBytes) {
    for (int at = 0; at < chunkCount; at++) {
      if (largest[at] >= leastBytes) {
        Chunk chunk = chunks[at];
        int index = 0;
        while (index < chunk.count && chunk.bytes[index] < leastBytes) {
          index++;
        }
        if (index < chunk.count) {
          return chunk.blocks[index];
        }
      }
    }
    return NONE;
  }

  /** Adds a block. */
  public void add(long address, long bytes, int block) {
    int at = chunkFor(address);
    Chunk chunk = chunks[at];
    if (chunk.count == CHUNK) {
      Chunk upper = chunk.splitUpperHalf();
      insertChunk(at + 1, upper);
      largest[at] = chunk.largest();
      largest[at + 1] = upper.largest();
      if (Long.compareUnsigned(chunk.addresses[chunk.count - 1], address) < 0) {
        at++;
        chunk = upper;
      }
    }
    chunk.insert(chunk.ceiling(address), address, bytes, block);
    largest[at] = Math.max(largest[at], bytes);
    size++;
  }

  /** Removes the block at an address. */
  public void remove(long address) {
    int at = chunkFor(address);
    Chunk chunk = chunks[at];
    int index = chunk.indexOf(address);
    long bytes = chunk.bytes[index];
    chunk.remove(index);
    size--;
    if (chunk.count == 0 && chunkCount > 1) {
      chunkCount--;
      System.arraycopy(chunks, at + 1, chunks, at, chunkCount - at);
      System.arraycopy(largest, at + 1, largest, at, chunkCount - at);
      chunks[chunkCount] = null;
    } else {
      changed(at, bytes, 0);
    }
  }

  /**
   * Lets a block of the set begin elsewhere, end elsewhere or have another number; its place in the
   * order stays.
   */
  public void replace(long address, long newAddress, long newBytes, int newBlock) {
    int at = chunkFor(address);
    Chunk chunk = chunks[at];
    int index = chunk.indexOf(address);
    long oldBytes = chunk.bytes[index];
    chunk.addresses[index] = newAddress;
    chunk.bytes[index] = newBytes;
    chunk.blocks[index] = newBlock;
    changed(at, oldBytes, newBytes);
  }

  /** Copies all blocks in order into a list, growing it as needed. */
  public int[] copyTo(int[] list) {
    int[] grown = list.length < size ? new int[size] : list;
    int count = 0;
    for (int at = 0; at < chunkCount; at++) {
      System.arraycopy(chunks[at].blocks, 0, grown, count, chunks[at].count);
      count += chunks[at].count;
    }
    return grown;
  }

  /** Removes all blocks. */
  public void clear() {
    chunks[0].count = 0;
    largest[0] = 0;
    Arrays.fill(chunks, 1, chunkCount, null);
    chunkCount = 1;
    size = 0;
  }

  private void changed(int at, long oldBytes, long newBytes) {
    if (newBytes >= largest[at]) {
      largest[at] = newBytes;
    } else if (oldBytes == largest[at]) {
      largest[at] = chunks[at].largest();
    }
  }

  /** The first chunk whose last element is not below an address, else the last chunk. */
  private int chunkFor(long address) {
    int low = 0;
    int high = chunkCount - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      Chunk chunk = chunks[middle];
      if (Long.compareUnsigned(chunk.addresses[chunk.count - 1], address) < 0) {
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
      largest = Arrays.copyOf(largest, chunkCount * 2);
    }
    System.arraycopy(chunks, at, chunks, at + 1, chunkCount - at);
    System.arraycopy(largest, at, largest, at + 1, chunkCount - at);
    chunks[at] = chunk;
    chunkCount++;
  }
}
