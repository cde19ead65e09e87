package org.allocsim.simulator.policy.rmm;

import java.util.Arrays;
import org.allocsim.simulator.order.AddressOrder;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * The superblocks that tile an arena's memory, each a run of neighbouring blocks that belongs to an
 * owner: {@link #GLOBAL} or the arena of a stream. Free blocks merge inside their superblock only;
 * each owner keeps those of its superblocks in address order, so that its first block that fits
 * lies in its first superblock that has one.
 */
final class Superblocks {
  /** The global arena. */
  static final int GLOBAL = 0;

  private final BlockHeap heap;
  private AddressOrder[] free = {new AddressOrder()};
  private int[] superblockOf = new int[256];
  private int[] firstBlock = new int[16];
  private long[] bytes = new long[16];
  private int[] owner = new int[16];
  private int rows;
  private int[] unused = new int[16];
  private int unusedCount;

  /** No superblocks over a heap that keeps their blocks. */
  Superblocks(BlockHeap heap) {
    this.heap = heap;
  }

  /** Makes a free block a superblock of the global arena. */
  void add(int block) {
    int superblock;
    if (unusedCount > 0) {
      superblock = unused[--unusedCount];
    } else {
      if (rows == firstBlock.length) {
        firstBlock = Arrays.copyOf(firstBlock, rows * 2);
        bytes = Arrays.copyOf(bytes, rows * 2);
        owner = Arrays.copyOf(owner, rows * 2);
        unused = Arrays.copyOf(unused, rows * 2);
      }
      superblock = rows++;
    }
    firstBlock[superblock] = block;
    bytes[superblock] = heap.bytes(block);
    owner[superblock] = GLOBAL;
    join(block, superblock);
    free[GLOBAL].add(block, heap.address(block), heap.bytes(block));
  }

  /** The superblock of a block. */
  int of(int block) {
    return superblockOf[block];
  }

  /** Owner of a superblock. */
  int owner(int superblock) {
    return owner[superblock];
  }

  /** Bytes of a superblock. */
  long bytes(int superblock) {
    return bytes[superblock];
  }

  /** Whether a superblock is one free block. */
  boolean isEmpty(int superblock) {
    int block = firstBlock[superblock];
    return heap.isFree(block) && heap.bytes(block) == bytes[superblock];
  }

  /** An owner's free block at the lowest address that has the bytes, or {@link BlockHeap#NONE}. */
  int firstFit(int ownerNumber, long minBytes) {
    return ownerNumber < free.length ? free[ownerNumber].lowest(minBytes) : BlockHeap.NONE;
  }

  /** Cuts an empty superblock of the global arena; what is after the kept bytes becomes one. */
  void cut(int superblock, long keptBytes) {
    int block = firstBlock[superblock];
    int rest = heap.split(block, keptBytes);
    bytes[superblock] = keptBytes;
    free[GLOBAL].resize(block, heap.address(block), keptBytes);
    add(rest);
  }

  /** Gives a superblock and its free blocks to another owner. */
  void handOver(int superblock, int newOwner) {
    room(newOwner);
    AddressOrder from = free[owner[superblock]];
    AddressOrder to = free[newOwner];
    owner[superblock] = newOwner;
    int block = firstBlock[superblock];
    while (block != BlockHeap.NONE && superblockOf[block] == superblock) {
      if (heap.isFree(block)) {
        from.remove(block);
        to.add(block, heap.address(block), heap.bytes(block));
      }
      block = heap.next(block);
    }
  }

  /** Takes the first bytes of a free block out of the free blocks; the rest stays free. */
  void take(int block, long takenBytes) {
    int superblock = superblockOf[block];
    AddressOrder blocks = free[owner[superblock]];
    if (heap.bytes(block) > takenBytes) {
      int rest = heap.split(block, takenBytes);
      join(rest, superblock);
      blocks.replace(block, rest, heap.address(rest), heap.bytes(rest));
    } else {
      blocks.remove(block);
    }
  }

  /** Puts a block that was freed back into its superblock and merges it there. */
  void takeBack(int block) {
    int superblock = superblockOf[block];
    AddressOrder blocks = free[owner[superblock]];
    int next = heap.next(block);
    boolean joinsNext = heap.isFree(next) && superblockOf[next] == superblock;
    if (joinsNext) {
      heap.mergeNext(block);
    }
    int previous = heap.previous(block);
    if (heap.isFree(previous) && superblockOf[previous] == superblock) {
      if (joinsNext) {
        blocks.remove(next);
      }
      heap.mergeNext(previous);
      blocks.resize(previous, heap.address(previous), heap.bytes(previous));
    } else if (joinsNext) {
      blocks.replace(next, block, heap.address(block), heap.bytes(block));
    } else {
      blocks.add(block, heap.address(block), heap.bytes(block));
    }
  }

  /** Merges an empty superblock of the global arena with its empty neighbours there. */
  void mergeEmpty(int superblock) {
    int merged = superblock;
    int previous = heap.previous(firstBlock[superblock]);
    if (previous != BlockHeap.NONE && isEmptyGlobal(superblockOf[previous])) {
      merged = superblockOf[previous];
      absorbNext(merged);
    }
    int next = heap.next(firstBlock[merged]);
    if (next != BlockHeap.NONE && isEmptyGlobal(superblockOf[next])) {
      absorbNext(merged);
    }
  }

  private boolean isEmptyGlobal(int superblock) {
    return owner[superblock] == GLOBAL && isEmpty(superblock);
  }

  /** Lets an empty superblock absorb the empty one after it. */
  private void absorbNext(int superblock) {
    int block = firstBlock[superblock];
    int absorbed = heap.next(block);
    free[GLOBAL].remove(absorbed);
    unused[unusedCount++] = superblockOf[absorbed];
    firstBlock[superblockOf[absorbed]] = BlockHeap.NONE;
    heap.mergeNext(block);
    bytes[superblock] = heap.bytes(block);
    free[GLOBAL].resize(block, heap.address(block), heap.bytes(block));
  }

  /** Gives all superblocks to the global arena and merges the empty ones there. */
  void returnAll() {
    for (int superblock = 0; superblock < rows; superblock++) {
      if (firstBlock[superblock] != BlockHeap.NONE && owner[superblock] != GLOBAL) {
        handOver(superblock, GLOBAL);
      }
    }
    for (int superblock = 0; superblock < rows; superblock++) {
      if (firstBlock[superblock] != BlockHeap.NONE && isEmpty(superblock)) {
        mergeEmpty(superblock);
      }
    }
  }

  private void join(int block, int superblock) {
    if (block >= superblockOf.length) {
      superblockOf = Arrays.copyOf(superblockOf, Math.max(block + 1, superblockOf.length * 2));
    }
    superblockOf[block] = superblock;
  }

  private void room(int ownerNumber) {
    if (ownerNumber >= free.length) {
      int old = free.length;
      free = Arrays.copyOf(free, Math.max(ownerNumber + 1, old * 2));
      for (int i = old; i < free.length; i++) {
        free[i] = new AddressOrder();
      }
    }
  }
}
