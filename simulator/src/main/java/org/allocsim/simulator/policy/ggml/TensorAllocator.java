package org.allocsim.simulator.policy.ggml;

import java.util.Arrays;

/**
 * ggml's dynamic tensor allocator ({@code ggml_dyn_tallocr}): where tensors lie in buffers that are
 * allocated afterwards, as large as they had to be.
 *
 * <p><b>Rules.</b> Sizes are rounded up to the alignment. Places are in chunks, each with a list of
 * free blocks by address. A tensor takes the start of the smallest free block that holds it, in the
 * last chunk that has one, the last among equals; the block at the end of each chunk is left out.
 * Otherwise it takes that end in the chunk where it wastes least or grows least, else a new chunk
 * of the largest buffer size; the last of 16 chunks has no limit. Freed places merge with their
 * neighbours.
 *
 * <p><b>Source.</b> ggml-org/ggml d99724f2 (2026-08-21), {@code src/ggml-alloc.c}, which was
 * compiled and driven by 400 random sequences of 300 operations on 2026-11-29: equal places and
 * chunk sizes.
 */
public final class TensorAllocator {
  /** Free blocks that a chunk may have. */
  private static final int MAX_FREE_BLOCKS = 256;

  private static final int MAX_CHUNKS = 16;
  private static final int OFFSET_BITS = 56;
  private static final int NONE = -1;

  private final long alignmentBytes;
  private final long maxChunkBytes;
  private final Chunk[] chunks = new Chunk[MAX_CHUNKS];
  private int chunkCount;

  private static final class Chunk {
    final long[] offsets = new long[MAX_FREE_BLOCKS];
    final long[] sizes = new long[MAX_FREE_BLOCKS];
    int blocks = 1;
    long bytes;

    Chunk(long availableBytes) {
      sizes[0] = availableBytes;
    }

    void remove(int block) {
      System.arraycopy(offsets, block + 1, offsets, block, blocks - block - 1);
      System.arraycopy(sizes, block + 1, sizes, block, blocks - block - 1);
      blocks--;
    }

    /** Number of free blocks below an offset. */
    int below(long offset) {
      int at = Arrays.binarySearch(offsets, 0, blocks, offset);
      return at < 0 ? -at - 1 : at;
    }

    void free(long offset, long size) {
      int next = below(offset);
      boolean joinsPrevious = next > 0 && offsets[next - 1] + sizes[next - 1] == offset;
      boolean joinsNext = next < blocks && offset + size == offsets[next];
      if (joinsPrevious) {
        sizes[next - 1] += size + (joinsNext ? sizes[next] : 0);
        if (joinsNext) {
          remove(next);
        }
      } else if (joinsNext) {
        offsets[next] = offset;
        sizes[next] += size;
      } else {
        insert(next, offset, size);
      }
    }

    private void insert(int at, long offset, long size) {
      if (blocks == MAX_FREE_BLOCKS) {
        throw new IllegalStateException("a chunk has more than 256 free blocks");
      }
      System.arraycopy(offsets, at, offsets, at + 1, blocks - at);
      System.arraycopy(sizes, at, sizes, at + 1, blocks - at);
      offsets[at] = offset;
      sizes[at] = size;
      blocks++;
    }
  }

  /**
   * An allocator without chunks.
   *
   * @param alignmentBytes unit of sizes, a power of two
   * @param maxChunkBytes size of the largest buffer that the device makes
   */
  public TensorAllocator(long alignmentBytes, long maxChunkBytes) {
    this.alignmentBytes = alignmentBytes;
    this.maxChunkBytes = maxChunkBytes;
  }

  /** A size as it is placed. */
  public long alignedBytes(long bytes) {
    return (bytes + alignmentBytes - 1) & -alignmentBytes;
  }

  /** Places a tensor; answers where, for {@link #chunk} and {@link #offset}. */
  public long allocate(long tensorBytes) {
    long bytes = alignedBytes(tensorBytes);
    int found = smallestBlock(bytes);
    int inChunk = found < 0 ? endOf(bytes) : found / MAX_FREE_BLOCKS;
    if (inChunk == NONE) {
      inChunk = addChunk(bytes);
    }
    Chunk chunk = chunks[inChunk];
    int block = found < 0 ? chunk.blocks - 1 : found % MAX_FREE_BLOCKS;
    long offset = chunk.offsets[block];
    chunk.offsets[block] += bytes;
    chunk.sizes[block] -= bytes;
    if (chunk.sizes[block] == 0) {
      chunk.remove(block);
    }
    chunk.bytes = Math.max(chunk.bytes, offset + bytes);
    return ((long) inChunk << OFFSET_BITS) + offset;
  }

  /** Chunk and number of the smallest block but for the ends, as one number; {@link #NONE}. */
  private int smallestBlock(long bytes) {
    int best = NONE;
    for (int c = 0; c < chunkCount; c++) {
      Chunk chunk = chunks[c];
      long smallest = Long.MAX_VALUE;
      for (int block = 0; block < chunk.blocks - 1; block++) {
        if (chunk.sizes[block] >= bytes && chunk.sizes[block] <= smallest) {
          smallest = chunk.sizes[block];
          best = c * MAX_FREE_BLOCKS + block;
        }
      }
    }
    return best;
  }

  /** The chunk whose end holds a tensor with the least waste, else with the least growth. */
  private int endOf(long bytes) {
    int best = NONE;
    long bestSpare = Long.MIN_VALUE;
    for (int c = 0; c < chunkCount; c++) {
      Chunk chunk = chunks[c];
      int last = chunk.blocks - 1;
      if (last >= 0 && chunk.sizes[last] >= bytes) {
        // What stays unused of the chunk's size, or, negative, by how much it grows.
        long spare = chunk.bytes - chunk.offsets[last] - bytes;
        boolean growsLess = bestSpare < 0 && spare > bestSpare;
        boolean wastesLess = spare >= 0 && spare < bestSpare;
        if (growsLess || wastesLess) {
          best = c;
          bestSpare = spare;
        }
      }
    }
    return best;
  }

  private int addChunk(long bytes) {
    if (chunkCount == MAX_CHUNKS) {
      throw new IllegalStateException("the last chunk has no room");
    }
    chunks[chunkCount] =
        new Chunk(chunkCount == MAX_CHUNKS - 1 ? Long.MAX_VALUE : Math.max(bytes, maxChunkBytes));
    return chunkCount++;
  }

  /**
   * Takes a place back.
   *
   * @param tensorBytes size of the tensor, or of the part of it that is freed
   * @throws IllegalStateException where a chunk would have more than 256 free blocks, which ggml
   *     asserts against
   */
  public void free(long place, long tensorBytes) {
    chunks[chunk(place)].free(offset(place), alignedBytes(tensorBytes));
  }

  /** Chunk of a place. */
  public static int chunk(long place) {
    return (int) (place >>> OFFSET_BITS);
  }

  /** Offset of a place in its chunk. */
  public static long offset(long place) {
    return place & ((1L << OFFSET_BITS) - 1);
  }

  /** Number of chunks. */
  public int chunkCount() {
    return chunkCount;
  }

  /** Bytes that the buffer of a chunk must have. */
  public long chunkBytes(int chunk) {
    return chunks[chunk].bytes;
  }

  /** Bytes of all buffers. */
  public long bytes() {
    long sum = 0;
    for (int chunk = 0; chunk < chunkCount; chunk++) {
      sum += chunks[chunk].bytes;
    }
    return sum;
  }
}
