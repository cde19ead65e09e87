package org.allocsim.simulator.policy.rmm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.allocsim.simulator.policy.RequestScript;

/** The pool as its rules read: lists that are scanned, blocks that are values. */
final class NaivePool {
  private record Block(long address, long bytes) {
    long end() {
      return address + bytes;
    }
  }

  private final long maximumBytes;
  private final long capacityBytes;
  private final List<Integer> streamsByFirstUse = new ArrayList<>();
  private final Map<Integer, List<Block>> lists = new HashMap<>();
  private final Set<Long> heads = new HashSet<>();
  private final Map<Integer, Block> live = new TreeMap<>();
  private long next = RequestScript.BASE;
  private long taken;
  long poolBytes;
  long streamWaits;
  long searches;
  long scannedBlocks;

  NaivePool(long initialBytes, long maximumBytes, long capacityBytes) {
    this.maximumBytes = maximumBytes;
    this.capacityBytes = capacityBytes;
    if (initialBytes > 0) {
      streamsByFirstUse.add(0);
      lists.put(0, new ArrayList<>(List.of(upstream(initialBytes))));
    }
  }

  private Block upstream(long bytes) {
    if (bytes > capacityBytes - taken) {
      return null;
    }
    taken += bytes;
    Block block = new Block(next, bytes);
    next += (bytes + 255) / 256 * 256;
    heads.add(block.address);
    poolBytes += bytes;
    return block;
  }

  private void use(int stream) {
    if (!streamsByFirstUse.contains(stream)) {
      streamsByFirstUse.add(stream);
    }
  }

  /** Address, or −1. */
  long allocate(int id, long requested, int stream) {
    use(stream);
    long bytes = (requested + 255) / 256 * 256;
    Block block = find(bytes, stream);
    if (block == null) {
      return -1;
    }
    live.put(id, new Block(block.address, bytes));
    return block.address;
  }

  private Block find(long bytes, int stream) {
    if (lists.containsKey(stream)) {
      Block own = best(stream, bytes);
      if (own != null) {
        return own;
      }
    }
    lists.computeIfAbsent(stream, _ -> new ArrayList<>());
    List<Integer> others =
        streamsByFirstUse.stream().filter(s -> s != stream && lists.containsKey(s)).toList();
    for (int other : others) {
      Block stolen = best(other, bytes);
      if (stolen != null) {
        streamWaits++;
        return stolen;
      }
    }
    for (int other : others) {
      streamWaits++;
      lists.remove(other).forEach(block -> insert(stream, block));
      Block merged = best(stream, bytes);
      if (merged != null) {
        return merged;
      }
    }
    long want = Math.max(bytes, poolBytes);
    if (maximumBytes >= 0) {
      long remaining = (maximumBytes - poolBytes + 255) / 256 * 256;
      want = bytes <= remaining ? Math.max(bytes, remaining / 2) : 0;
    }
    while (want >= bytes) {
      Block block = upstream(want);
      if (block != null) {
        return cut(stream, block, bytes);
      }
      if (want == bytes) {
        return null;
      }
      want = Math.max(bytes, want / 2);
    }
    return null;
  }

  private Block best(int stream, long bytes) {
    List<Block> list = lists.get(stream);
    searches++;
    Block best = null;
    for (Block block : list) {
      scannedBlocks++;
      if (block.bytes >= bytes && (best == null || block.bytes < best.bytes)) {
        best = block;
      }
    }
    if (best == null) {
      return null;
    }
    list.remove(best);
    return cut(stream, best, bytes);
  }

  private Block cut(int stream, Block block, long bytes) {
    if (block.bytes > bytes) {
      insert(stream, new Block(block.address + bytes, block.bytes - bytes));
    }
    return block;
  }

  private void insert(int stream, Block block) {
    List<Block> list = lists.computeIfAbsent(stream, _ -> new ArrayList<>());
    list.add(block);
    list.sort(Comparator.comparingLong(Block::address));
    for (int i = list.size() - 1; i > 0; i--) {
      Block low = list.get(i - 1);
      Block high = list.get(i);
      if (low.end() == high.address && !heads.contains(high.address)) {
        list.set(i - 1, new Block(low.address, low.bytes + high.bytes));
        list.remove(i);
      }
    }
  }

  void free(int id, int stream) {
    use(stream);
    Block block = live.remove(id);
    if (block != null) {
      insert(stream, block);
    }
  }

  /** Sizes of all free blocks by address. */
  List<Long> freeBlocks() {
    return lists.values().stream()
        .flatMap(List::stream)
        .sorted(Comparator.comparingLong(Block::address))
        .map(Block::bytes)
        .toList();
  }
}
