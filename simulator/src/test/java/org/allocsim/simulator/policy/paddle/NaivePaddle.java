package org.allocsim.simulator.policy.paddle;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;

/** The rules of Paddle's allocator in the plainest form: chunks with lists of blocks. */
final class NaivePaddle implements AllocatorPolicy {
  private final AutoGrowthSettings settings;
  private final DeviceMemory device;
  private final List<List<Block>> chunks = new ArrayList<>();
  private final Map<Integer, Block> live = new HashMap<>();

  private static final class Block {
    final List<Block> chunk;
    final long address;
    long bytes;
    boolean free = true;

    Block(List<Block> chunk, long address, long bytes) {
      this.chunk = chunk;
      this.address = address;
      this.bytes = bytes;
    }
  }

  NaivePaddle(AutoGrowthSettings settings, DeviceMemory device) {
    this.settings = settings;
    this.device = device;
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    long unit = settings.alignmentBytes();
    long bytes = (requestedBytes + unit - 1) / unit * unit;
    Block block =
        chunks.stream()
            .flatMap(List::stream)
            .filter(candidate -> candidate.free && candidate.bytes >= bytes)
            .min(
                Comparator.comparingLong((Block candidate) -> candidate.bytes)
                    .thenComparingLong(candidate -> candidate.address))
            .orElseGet(() -> grow(bytes));
    if (block == null) {
      return OUT_OF_MEMORY;
    }
    if (block.bytes > bytes) {
      block.bytes -= bytes;
      Block tail = new Block(block.chunk, block.address + block.bytes, bytes);
      block.chunk.add(block.chunk.indexOf(block) + 1, tail);
      block = tail;
    }
    block.free = false;
    live.put(allocation, block);
    return block.address;
  }

  private Block grow(long bytes) {
    if (settings.freesBeforeGrowing()) {
      emptyCache();
    }
    long size = Math.max(bytes, settings.chunkBytes());
    long address = device.allocate(size);
    if (address == DeviceMemory.REFUSED && !settings.freesBeforeGrowing()) {
      emptyCache();
      address = device.allocate(size);
    }
    if (address == DeviceMemory.REFUSED) {
      return null;
    }
    List<Block> chunk = new ArrayList<>();
    chunk.add(new Block(chunk, address, size));
    chunks.add(chunk);
    return chunk.getFirst();
  }

  @Override
  public void free(int allocation) {
    Block block = live.remove(allocation);
    if (block == null) {
      return;
    }
    block.free = true;
    for (int i = block.chunk.size() - 2; i >= 0; i--) {
      Block lower = block.chunk.get(i);
      if (lower.free && block.chunk.get(i + 1).free) {
        lower.bytes += block.chunk.remove(i + 1).bytes;
      }
    }
    if (settings.freesIdleChunks()) {
      emptyCache();
    }
  }

  @Override
  public void emptyCache() {
    Iterator<List<Block>> each = chunks.iterator();
    while (each.hasNext()) {
      List<Block> chunk = each.next();
      Block first = chunk.getFirst();
      if (chunk.size() == 1 && first.free) {
        device.free(first.address, first.bytes);
        each.remove();
      }
    }
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    throw new UnsupportedOperationException();
  }
}
