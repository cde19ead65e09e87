package org.allocsim.simulator.policy.gmlake;

import java.util.Arrays;

/**
 * The physical memory of a large segment: chunks of 2 MiB, each with its handle, and the parts of
 * stitched blocks that map them a second time.
 */
final class ChunkedSegment {
  /** Bytes of a chunk ({@code kGranularity}). */
  static final long CHUNK_BYTES = 2L << 20;

  final long address;
  final long[] handles;

  /** Block that begins at a chunk, or {@link PrimitiveBlocks#NONE}. */
  private final int[] blockFrom;

  private StitchedPart[] parts = new StitchedPart[2];
  private int partCount;

  ChunkedSegment(long address, long[] handles) {
    this.address = address;
    this.handles = handles;
    blockFrom = new int[handles.length];
    Arrays.fill(blockFrom, PrimitiveBlocks.NONE);
  }

  int chunks() {
    return handles.length;
  }

  int chunkAt(long blockAddress) {
    return (int) ((blockAddress - address) / CHUNK_BYTES);
  }

  void setBlockFrom(int chunk, int block) {
    blockFrom[chunk] = block;
  }

  /** The block that a chunk belongs to. */
  int blockOf(int chunk) {
    int at = chunk;
    while (blockFrom[at] == PrimitiveBlocks.NONE) {
      at--;
    }
    return blockFrom[at];
  }

  int partCount() {
    return partCount;
  }

  StitchedPart part(int index) {
    return parts[index];
  }

  void addPart(StitchedPart part) {
    if (partCount == parts.length) {
      parts = Arrays.copyOf(parts, partCount * 2);
    }
    parts[partCount++] = part;
  }

  void removePart(StitchedPart part) {
    for (int i = 0; i < partCount; i++) {
      if (parts[i] == part) {
        partCount--;
        System.arraycopy(parts, i + 1, parts, i, partCount - i);
        parts[partCount] = null;
        return;
      }
    }
  }
}
