package org.allocsim.simulator.policy.classic;

import java.util.Arrays;
import org.allocsim.simulator.policy.block.BlockHeap;

/**
 * Two-level segregated fit: free blocks hang in lists by size class, powers of two divided into 32;
 * bitmaps show which lists hold something. A search rounds the size up to a class all of whose
 * blocks are large enough and takes the block that was freed last.
 *
 * <p><b>Source.</b> mattconte/tlsf, tlsf.c: {@code mapping_insert}, {@code mapping_search}, {@code
 * search_suitable_block}.
 */
final class TlsfFit extends FreeBlocks {
  private static final int SECOND_LEVEL_BITS = 5;
  private static final int SECOND_LEVELS = 1 << SECOND_LEVEL_BITS;

  /** Sizes below this share first level 0, in steps of {@value #SMALL_STEP} bytes. */
  private static final long SMALL_BYTES = 256;

  private static final long SMALL_STEP = 8;
  private static final int SMALL_LOG = 8;

  /** First level of 2^63, and one more: every {@code long} has a class. */
  private static final int FIRST_LEVELS = 64 - SMALL_LOG + 1;

  private final int[] heads = new int[FIRST_LEVELS * SECOND_LEVELS];
  private final int[] secondMaps = new int[FIRST_LEVELS];
  private long firstMap;
  private int[] after = new int[256];
  private int[] before = new int[256];

  /**
   * No blocks yet.
   *
   * @param heap keeps the blocks
   */
  TlsfFit(BlockHeap heap) {
    super(heap);
    Arrays.fill(heads, NONE);
  }

  /** The class under which a free block hangs: 32 × first level + second level. */
  static int insertClass(long bytes) {
    if (bytes < SMALL_BYTES) {
      return (int) (bytes / SMALL_STEP);
    }
    int log = 63 - Long.numberOfLeadingZeros(bytes);
    int second = (int) (bytes >>> (log - SECOND_LEVEL_BITS)) - SECOND_LEVELS;
    return (log - SMALL_LOG + 1) * SECOND_LEVELS + second;
  }

  /** The lowest class all of whose blocks serve a request. */
  static int searchClass(long bytes) {
    if (bytes < SMALL_BYTES) {
      return insertClass(bytes);
    }
    int log = 63 - Long.numberOfLeadingZeros(bytes);
    return insertClass(bytes + (1L << (log - SECOND_LEVEL_BITS)) - 1);
  }

  @Override
  int find(long bytes) {
    int least = searchClass(bytes);
    int first = least / SECOND_LEVELS;
    int seconds = secondMaps[first] & (-1 << (least % SECOND_LEVELS));
    if (seconds == 0) {
      long firsts = firstMap & (-2L << first);
      if (firsts == 0) {
        return NONE;
      }
      first = Long.numberOfTrailingZeros(firsts);
      seconds = secondMaps[first];
    }
    return heads[first * SECOND_LEVELS + Integer.numberOfTrailingZeros(seconds)];
  }

  @Override
  void add(int block) {
    if (block >= after.length) {
      int capacity = Math.max(block + 1, Math.addExact(after.length, after.length));
      after = Arrays.copyOf(after, capacity);
      before = Arrays.copyOf(before, capacity);
    }
    int list = insertClass(heap.bytes(block));
    int head = heads[list];
    after[block] = head;
    before[block] = NONE;
    if (head != NONE) {
      before[head] = block;
    }
    heads[list] = block;
    int first = list / SECOND_LEVELS;
    secondMaps[first] |= 1 << (list % SECOND_LEVELS);
    firstMap |= 1L << first;
  }

  @Override
  void remove(int block) {
    int next = after[block];
    int previous = before[block];
    if (next != NONE) {
      before[next] = previous;
    }
    if (previous != NONE) {
      after[previous] = next;
      return;
    }
    int list = insertClass(heap.bytes(block));
    heads[list] = next;
    if (next == NONE) {
      int first = list / SECOND_LEVELS;
      secondMaps[first] &= ~(1 << (list % SECOND_LEVELS));
      if (secondMaps[first] == 0) {
        firstMap &= ~(1L << first);
      }
    }
  }
}
