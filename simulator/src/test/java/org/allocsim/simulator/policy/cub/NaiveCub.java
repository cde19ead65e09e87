package org.allocsim.simulator.policy.cub;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor;

/** The rules of CUB's allocator in the plainest form: one list of cached blocks. */
final class NaiveCub implements AllocatorPolicy {
  private final CubSettings settings;
  private final DeviceMemory device;
  private final Map<Integer, Block> live = new HashMap<>();
  private final List<Block> cached = new ArrayList<>();

  private static final class Block {
    final long address;
    final long bytes;
    final boolean hasBin;
    int stream;
    boolean finished;

    Block(long address, long bytes, boolean hasBin, int stream) {
      this.address = address;
      this.bytes = bytes;
      this.hasBin = hasBin;
      this.stream = stream;
    }
  }

  NaiveCub(CubSettings settings, DeviceMemory device) {
    this.settings = settings;
    this.device = device;
  }

  @Override
  public long allocate(int allocation, long requestedBytes, int stream, int pool) {
    long bytes = 1;
    int bin = 0;
    while (bytes < requestedBytes || bin < settings.minBin()) {
      bytes *= settings.growth();
      bin++;
    }
    boolean hasBin = bin <= settings.maxBin();
    if (!hasBin) {
      bytes = requestedBytes;
    }
    for (Block block : cached) {
      if (hasBin && block.bytes == bytes && (block.stream == stream || block.finished)) {
        cached.remove(block);
        block.stream = stream;
        live.put(allocation, block);
        return block.address;
      }
    }
    long address = device.allocate(bytes);
    if (address == DeviceMemory.REFUSED) {
      emptyCache();
      address = device.allocate(bytes);
    }
    if (address != DeviceMemory.REFUSED) {
      live.put(allocation, new Block(address, bytes, hasBin, stream));
    }
    return address == DeviceMemory.REFUSED ? OUT_OF_MEMORY : address;
  }

  @Override
  public void free(int allocation) {
    Block block = live.remove(allocation);
    if (block == null) {
      return;
    }
    long cachedBytes = cached.stream().mapToLong(other -> other.bytes).sum();
    if (block.hasBin && cachedBytes + block.bytes <= settings.maxCachedBytes()) {
      block.finished = false;
      cached.add(block);
    } else {
      device.free(block.address, block.bytes);
      synchronize();
    }
  }

  @Override
  public void synchronize() {
    cached.forEach(block -> block.finished = true);
  }

  @Override
  public void synchronizeStream(int stream) {
    cached.forEach(block -> block.finished |= block.stream == stream);
  }

  @Override
  public void emptyCache() {
    cached.stream()
        .sorted((a, b) -> Long.compare(a.bytes, b.bytes))
        .forEach(block -> device.free(block.address, block.bytes));
    cached.clear();
  }

  @Override
  public void describeLayout(LayoutVisitor visitor) {
    throw new UnsupportedOperationException();
  }
}
