package org.allocsim.simulator.policy.rmm;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.allocsim.simulator.policy.RequestScript;

/** The arena as its rules read: superblocks that hold their own free blocks, scanned in order. */
final class NaiveArena {
  private static final long MIB = 1 << 20;

  /** Free blocks by address, sizes as values. */
  private static final class Superblock {
    final long address;
    final long bytes;
    final TreeMap<Long, Long> free = new TreeMap<>();

    Superblock(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
      free.put(address, bytes);
    }

    boolean isEmpty() {
      return free.size() == 1 && free.firstEntry().getValue() == bytes;
    }

    boolean fits(long size) {
      return free.values().stream().anyMatch(each -> each >= size);
    }

    long firstFit(long size) {
      Map.Entry<Long, Long> first =
          free.entrySet().stream()
              .filter(block -> block.getValue() >= size)
              .findFirst()
              .orElseThrow();
      long at = first.getKey();
      long rest = first.getValue() - size;
      free.remove(at);
      if (rest > 0) {
        free.put(at + size, rest);
      }
      return at;
    }

    void coalesce(long at, long size) {
      long start = at;
      long total = size;
      Map.Entry<Long, Long> low = free.lowerEntry(at);
      if (low != null && low.getKey() + low.getValue() == at) {
        start = low.getKey();
        total += low.getValue();
      }
      Long above = free.remove(at + size);
      free.put(start, above == null ? total : total + above);
    }
  }

  private record Block(long address, long bytes) {}

  private final TreeMap<Long, Superblock> global = new TreeMap<>();
  private final Map<Integer, TreeMap<Long, Superblock>> arenas = new HashMap<>();
  private final Map<Integer, Block> live = new HashMap<>();
  long deviceSynchronizations;
  long streamSynchronizations;

  NaiveArena(long bytes) {
    global.put(RequestScript.BASE, new Superblock(RequestScript.BASE, bytes));
  }

  private TreeMap<Long, Superblock> arena(int stream) {
    return arenas.computeIfAbsent(stream, _ -> new TreeMap<>());
  }

  /** Address, or −1. */
  long allocate(int id, long requested, int stream) {
    long bytes = (requested + 255) / 256 * 256;
    long address = tryTo(bytes, stream);
    if (address < 0) {
      deviceSynchronizations++;
      for (TreeMap<Long, Superblock> arena : arenas.values()) {
        arena.values().forEach(this::release);
        arena.clear();
      }
      address = tryTo(bytes, stream);
    }
    if (address >= 0) {
      live.put(id, new Block(address, bytes));
    }
    return address;
  }

  private long tryTo(long bytes, int stream) {
    if (bytes > MIB) {
      Superblock found = acquire(bytes);
      if (found == null) {
        return -1;
      }
      global.put(found.address, found);
      return found.firstFit(bytes);
    }
    TreeMap<Long, Superblock> own = arena(stream);
    for (Superblock superblock : own.values()) {
      if (superblock.fits(bytes)) {
        return superblock.firstFit(bytes);
      }
    }
    Superblock found = acquire(bytes);
    if (found == null) {
      return -1;
    }
    own.put(found.address, found);
    return found.firstFit(bytes);
  }

  private Superblock acquire(long bytes) {
    for (Superblock superblock : List.copyOf(global.values())) {
      if (superblock.fits(bytes)) {
        global.remove(superblock.address);
        long kept = Math.max(MIB, bytes);
        if (superblock.isEmpty() && superblock.bytes >= kept + MIB) {
          Superblock rest = new Superblock(superblock.address + kept, superblock.bytes - kept);
          global.put(rest.address, rest);
          return new Superblock(superblock.address, kept);
        }
        return superblock;
      }
    }
    return null;
  }

  /** Gives a superblock to the global arena; empty neighbours merge. */
  private void release(Superblock superblock) {
    Superblock merged = superblock;
    Map.Entry<Long, Superblock> low = global.lowerEntry(superblock.address);
    if (low != null && areEmptyNeighbours(low.getValue(), superblock)) {
      global.remove(low.getKey());
      merged = new Superblock(low.getKey(), low.getValue().bytes + superblock.bytes);
    }
    Map.Entry<Long, Superblock> high = global.higherEntry(superblock.address);
    if (high != null && areEmptyNeighbours(merged, high.getValue())) {
      global.remove(high.getKey());
      merged = new Superblock(merged.address, merged.bytes + high.getValue().bytes);
    }
    global.put(merged.address, merged);
  }

  private static boolean areEmptyNeighbours(Superblock low, Superblock high) {
    return low.isEmpty() && high.isEmpty() && low.address + low.bytes == high.address;
  }

  void free(int id, int stream) {
    Block block = live.remove(id);
    if (block == null) {
      return;
    }
    if (block.bytes > MIB) {
      streamSynchronizations++;
      if (freeIn(global, block)) {
        return;
      }
    }
    if (freeIn(arena(stream), block)) {
      return;
    }
    streamSynchronizations++;
    for (TreeMap<Long, Superblock> arena : arenas.values()) {
      if (freeIn(arena, block)) {
        return;
      }
    }
    if (!freeIn(global, block)) {
      throw new AssertionError("allocation not found");
    }
  }

  @SuppressWarnings("ReferenceEquality") // Which map it is matters, not what it holds.
  private boolean freeIn(TreeMap<Long, Superblock> superblocks, Block block) {
    Map.Entry<Long, Superblock> entry = superblocks.floorEntry(block.address);
    if (entry == null || block.address >= entry.getKey() + entry.getValue().bytes) {
      return false;
    }
    Superblock superblock = entry.getValue();
    superblock.coalesce(block.address, block.bytes);
    if (superblocks == global && superblock.isEmpty()) {
      global.remove(superblock.address);
      release(superblock);
    }
    return true;
  }
}
