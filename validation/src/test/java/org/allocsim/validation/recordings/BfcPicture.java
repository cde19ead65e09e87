package org.allocsim.validation.recordings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.workloads.format.bfclog.BfcEffect;

/**
 * The picture that XLA's BFC allocator draws of its pool: 100 characters over the regions laid end
 * to end, {@code *} for what was asked for, {@code x} for what is wasted after it, {@code _} for
 * the rest.
 */
final class BfcPicture implements LayoutVisitor {
  private static final int WIDTH = 100;

  /** A chunk at a distance from the start of all regions. */
  private record Chunk(
      long address, int region, long start, long bytes, long requestedBytes, boolean free) {}

  private final List<Chunk> chunks = new ArrayList<>();
  private int regions;
  private long totalBytes;
  private long doneBytes;

  /** Forgets what was shown. */
  BfcPicture clear() {
    chunks.clear();
    regions = 0;
    totalBytes = 0;
    doneBytes = 0;
    return this;
  }

  @Override
  public void segment(
      long address, long bytes, int stream, boolean small, int pool, boolean expandable) {
    regions++;
    totalBytes += bytes;
  }

  @Override
  public void block(long address, long bytes, long requested, BlockState state, int allocation) {
    boolean free = state == BlockState.INACTIVE;
    chunks.add(new Chunk(address, regions, doneBytes, bytes, requested, free));
    doneBytes += bytes;
  }

  int chunks() {
    return chunks.size();
  }

  long largestFreeBytes() {
    return chunks.stream().filter(Chunk::free).mapToLong(Chunk::bytes).max().orElse(0);
  }

  /** The merges that freeing the chunk at an address brings, first with the chunk after it. */
  List<BfcEffect.Merge> mergesOf(long address) {
    List<BfcEffect.Merge> merges = new ArrayList<>();
    for (int i = 0; i < chunks.size(); i++) {
      Chunk chunk = chunks.get(i);
      if (chunk.address == address) {
        if (i + 1 < chunks.size() && mayMerge(chunk, chunks.get(i + 1))) {
          merges.add(new BfcEffect.Merge(address, chunks.get(i + 1).address));
        }
        if (i > 0 && mayMerge(chunk, chunks.get(i - 1))) {
          merges.add(new BfcEffect.Merge(chunks.get(i - 1).address, address));
        }
      }
    }
    return merges;
  }

  private static boolean mayMerge(Chunk chunk, Chunk neighbour) {
    return neighbour.free && neighbour.region == chunk.region;
  }

  String render() {
    char[] picture = new char[WIDTH];
    Arrays.fill(picture, '_');
    for (Chunk chunk : chunks) {
      if (!chunk.free) {
        fill(picture, chunk.start + chunk.requestedBytes, chunk.start + chunk.bytes, 'x');
        fill(picture, chunk.start, chunk.start + chunk.requestedBytes, '*');
      }
    }
    return new String(picture);
  }

  private void fill(char[] picture, long from, long to, char what) {
    if (from < to) {
      int first = (int) (from * WIDTH / totalBytes);
      int last = (int) ((to - 1) * WIDTH / totalBytes);
      Arrays.fill(picture, first, last + 1, what);
    }
  }
}
