package org.allocsim.simulator.policy.pytorch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;

/** What the naive allocator holds: segments as lists of blocks, all fields open. */
final class NaiveHeap {
  static final class Use {
    int stream;
    long rank;
    boolean complete;
  }

  static final class Block {
    Segment segment;
    long address;
    long size;
    long requested;
    boolean mapped = true;
    boolean allocated;
    int allocation = -1;
    List<Use> uses = new ArrayList<>();
    int eventCount;
    long gcBase;

    boolean isFree() {
      return mapped && isAllocatable();
    }

    boolean isAllocatable() {
      return !allocated && eventCount == 0 && uses.isEmpty();
    }

    boolean isSplit() {
      return segment.blocks.size() > 1;
    }

    Block neighbour(int step) {
      int at = segment.blocks.indexOf(this) + step;
      return at < 0 || at >= segment.blocks.size() ? null : segment.blocks.get(at);
    }
  }

  static final class Segment {
    long address;
    long size;
    int stream;
    Pool pool;
    boolean expandable;
    long page;
    List<Block> blocks = new ArrayList<>();
  }

  static final class Pool {
    boolean small;
    PrivatePool owner;
    long lookups;
    List<Segment> segments = new ArrayList<>();

    List<Block> freeBlocks() {
      List<Block> found = new ArrayList<>();
      for (Segment segment : segments) {
        for (Block block : segment.blocks) {
          if (block.isFree()) {
            found.add(block);
          }
        }
      }
      found.sort(ORDER);
      return found;
    }
  }

  static final class PrivatePool {
    int number;
    int driverAllocations;
    boolean freeable;
    PrivatePoolOptions options = PrivatePoolOptions.PLAIN;
    Pool small = new Pool();
    Pool large = new Pool();
  }

  static final Comparator<Block> BY_ADDRESS = (a, b) -> Long.compareUnsigned(a.address, b.address);

  static final Comparator<Block> ORDER =
      Comparator.<Block>comparingInt(b -> b.segment.stream)
          .thenComparing((a, b) -> Long.compareUnsigned(a.size, b.size))
          .thenComparing(BY_ADDRESS);

  final List<Segment> segments = new ArrayList<>();
  long totalAllocated;

  Segment addSegment(Pool pool, int stream, long address, long bytes) {
    Segment segment = new Segment();
    segment.address = address;
    segment.size = bytes;
    segment.stream = stream;
    segment.pool = pool;
    segment.blocks.add(newBlock(segment, address, bytes));
    pool.segments.add(segment);
    segments.add(segment);
    return segment;
  }

  static Block newBlock(Segment segment, long address, long bytes) {
    Block block = new Block();
    block.segment = segment;
    block.address = address;
    block.size = bytes;
    return block;
  }

  void removeSegment(Segment segment) {
    segment.pool.segments.remove(segment);
    segments.remove(segment);
  }

  /** Rule 3.7. */
  static long tryMerge(Block into, Block from) {
    if (from == null || !from.isAllocatable() || from.mapped != into.mapped) {
      return 0;
    }
    into.segment.blocks.remove(from);
    into.address = Math.min(into.address, from.address);
    into.size += from.size;
    return from.size;
  }

  /** Shows everything; each mapped run of an expandable segment counts as a segment. */
  void describe(LayoutVisitor visitor) {
    List<Segment> sorted = new ArrayList<>(segments);
    sorted.sort((a, b) -> Long.compareUnsigned(a.address, b.address));
    for (Segment segment : sorted) {
      List<Block> run = new ArrayList<>();
      for (Block block : segment.blocks) {
        if (block.mapped) {
          run.add(block);
        } else {
          describeRun(run, visitor);
          run.clear();
        }
      }
      describeRun(run, visitor);
    }
  }

  private static void describeRun(List<Block> run, LayoutVisitor visitor) {
    if (run.isEmpty()) {
      return;
    }
    Segment segment = run.getFirst().segment;
    long bytes = run.stream().mapToLong(block -> block.size).sum();
    int pool = segment.pool.owner == null ? 0 : segment.pool.owner.number;
    visitor.segment(
        run.getFirst().address,
        bytes,
        segment.stream,
        segment.pool.small,
        pool,
        segment.expandable);
    for (Block block : run) {
      BlockState state =
          block.allocated
              ? BlockState.ACTIVE_ALLOCATED
              : block.isFree() ? BlockState.INACTIVE : BlockState.ACTIVE_PENDING_FREE;
      visitor.block(block.address, block.size, block.requested, state, block.allocation);
    }
  }
}
