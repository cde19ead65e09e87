package org.allocsim.analysis.serving.kvcache;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import org.allocsim.analysis.serving.kvcache.stdlib.UnorderedKeys;

/**
 * kvcached's pages and the blocks in them. A page is mapped when a block of it is needed and given
 * back when it is empty; a few pages stay mapped in reserve. Free blocks of a page are used again
 * first in, first out. Blocks that are given back together are so page by page, in the order of the
 * map in which kvcached groups them.
 *
 * <p><b>Source.</b> ovg-project/kvcached, {@code kvcached/kv_cache_manager.py} and {@code
 * csrc/page_allocator.cpp} e8e6406 (20 August 2026).
 *
 * <p><b>Compared.</b> With that source: blocks, refusals and pages in 120 random sequences of 300
 * operations, all equal, on 29 November 2026.
 */
final class ElasticPages {
  static final int NONE = -1;

  /** Pages that a thread keeps mapped in reserve, and the most that stay so when pages empty. */
  static final int LEAST_RESERVED = 5;

  static final int MOST_RESERVED = 10;

  private final long pageBytes;
  private final long blockBytes;
  private final long handleBytes;
  private final int blocksPerPage;
  private final int pages;
  private final DriverWork driver;
  private final Deque<Integer> unmapped = new ArrayDeque<>();
  private final Deque<Integer> reserved = new ArrayDeque<>();

  /** By page in use: free blocks, the first of them. */
  private final int[] freeInPage;

  private final int[] firstFree;
  private final int[] lastFree;

  /** Pages of blocks that are given back together, and of each the first block, the last, all. */
  private final UnorderedKeys groups = new UnorderedKeys();

  private int[] order = new int[16];
  private int[] groupFirst = new int[16];
  private int[] groupLast = new int[16];
  private int[] groupCount = new int[16];
  private final int[] single = new int[1];

  /** By block: the next free one of its page. */
  private final int[] nextFree;

  /** Pages with free blocks, by how many, the one that was touched longest ago first. */
  private final int[] bucketFirst;

  private final int[] bucketLast;
  private final int[] before;
  private final int[] after;
  private final BitSet buckets = new BitSet();

  private long freeBlocks;
  private int pagesInUse;

  /**
   * Pages of which a few are mapped in reserve.
   *
   * @param pages number of pages
   * @param pageBytes bytes of a page in one layer's keys
   * @param blockBytes bytes of a block there, at most those of a page
   * @param handleBytes bytes of a page in all layers, which are mapped together
   */
  ElasticPages(int pages, long pageBytes, long blockBytes, long handleBytes, DriverWork driver) {
    this.pages = pages;
    this.pageBytes = pageBytes;
    this.blockBytes = blockBytes;
    this.handleBytes = handleBytes;
    this.driver = driver;
    blocksPerPage = (int) (pageBytes / blockBytes);
    freeInPage = new int[pages];
    firstFree = new int[pages];
    lastFree = new int[pages];
    nextFree = new int[endBlock(pages - 1)];
    before = new int[pages];
    after = new int[pages];
    bucketFirst = new int[blocksPerPage + 1];
    bucketLast = new int[blocksPerPage + 1];
    for (int page = 0; page < pages; page++) {
      unmapped.add(page);
    }
    refill();
  }

  int blockCount() {
    return nextFree.length;
  }

  int pageOf(int block) {
    return (int) (block * blockBytes / pageBytes);
  }

  /** First block that lies wholly in a page; one that two pages share is never used. */
  int startBlock(int page) {
    return (int) ((page * pageBytes + blockBytes - 1) / blockBytes);
  }

  int endBlock(int page) {
    return (int) ((page + 1) * pageBytes / blockBytes);
  }

  /** Blocks of a page that are taken. */
  int takenIn(int page) {
    return endBlock(page) - startBlock(page) - freeInPage[page];
  }

  /** Blocks that can be had. */
  long available() {
    return freeBlocks + (long) (unmapped.size() + reserved.size()) * blocksPerPage;
  }

  /** Free blocks of pages in use. */
  long freeBlocks() {
    return freeBlocks;
  }

  int mappedPages() {
    return pages - unmapped.size();
  }

  int reservedPages() {
    return reserved.size();
  }

  int pagesInUse() {
    return pagesInUse;
  }

  /**
   * Takes blocks, those of one page as long as it has some: of the pages in use the fullest that
   * has enough, else the emptiest.
   *
   * @return whether all of them were there; if not, none is taken
   */
  boolean take(int count, int[] taken) {
    if (count > available()) {
      return false;
    }
    int done = 0;
    while (done < count) {
      int page = pick(count - done);
      if (page == NONE) {
        page = open();
        if (page == NONE) {
          give(taken, done);
          return false;
        }
      } else {
        unlink(page);
      }
      while (done < count && freeInPage[page] > 0) {
        int block = firstFree[page];
        firstFree[page] = nextFree[block];
        freeInPage[page]--;
        freeBlocks--;
        taken[done++] = block;
      }
      link(page);
    }
    return true;
  }

  private int pick(int count) {
    int size = count > blocksPerPage ? -1 : buckets.nextSetBit(count);
    if (size < 0) {
      size = buckets.previousSetBit(blocksPerPage);
    }
    return size < 0 ? NONE : bucketFirst[size];
  }

  private int open() {
    int page;
    if (!reserved.isEmpty()) {
      page = reserved.poll();
      if (reserved.size() < LEAST_RESERVED) {
        refill();
      }
    } else if (!unmapped.isEmpty()) {
      page = unmapped.poll();
      driver.createAndMap(page * handleBytes, handleBytes, true);
      refill();
    } else {
      return NONE;
    }
    pagesInUse++;
    freeInPage[page] = endBlock(page) - startBlock(page);
    freeBlocks += freeInPage[page];
    firstFree[page] = startBlock(page);
    for (int block = startBlock(page); block < endBlock(page); block++) {
      nextFree[block] = block + 1;
    }
    lastFree[page] = endBlock(page) - 1;
    return page;
  }

  /** What the thread does that maps in advance. */
  private void refill() {
    while (reserved.size() < LEAST_RESERVED && !unmapped.isEmpty()) {
      int page = unmapped.poll();
      reserved.add(page);
      driver.createAndMap(page * handleBytes, handleBytes, false);
    }
  }

  /** Gives a block back. */
  void give(int block) {
    single[0] = block;
    give(single, 1);
  }

  /** Gives the first of some blocks back, together. */
  void give(int[] blocks, int count) {
    group(blocks, count);
    groups.places(order);
    for (int i = 0; i < groups.count(); i++) {
      int place = order[i];
      int page = groups.key(place);
      unlink(page);
      if (freeInPage[page] == 0) {
        firstFree[page] = groupFirst[place];
      } else {
        nextFree[lastFree[page]] = groupFirst[place];
      }
      lastFree[page] = groupLast[place];
      freeInPage[page] += groupCount[place];
      freeBlocks += groupCount[place];
      if (takenIn(page) > 0) {
        link(page);
      }
    }
    for (int i = 0; i < groups.count(); i++) {
      int page = groups.key(order[i]);
      if (takenIn(page) == 0) {
        close(page);
      }
    }
  }

  /** Puts blocks to those of the same page. */
  private void group(int[] blocks, int count) {
    groups.clear(count / blocksPerPage + 1);
    if (count > order.length) {
      int length = Math.max(count, 2 * order.length);
      order = new int[length];
      groupFirst = new int[length];
      groupLast = new int[length];
      groupCount = new int[length];
    }
    for (int i = 0; i < count; i++) {
      int known = groups.count();
      int place = groups.place(pageOf(blocks[i]));
      if (place == known) {
        groupFirst[place] = blocks[i];
        groupCount[place] = 0;
      } else {
        nextFree[groupLast[place]] = blocks[i];
      }
      groupLast[place] = blocks[i];
      groupCount[place]++;
    }
  }

  /** A page is empty. */
  private void close(int page) {
    freeBlocks -= freeInPage[page];
    freeInPage[page] = 0;
    pagesInUse--;
    if (reserved.size() < MOST_RESERVED) {
      reserved.add(page);
    } else {
      unmapped.add(page);
      driver.unmapAndRelease(page * handleBytes, handleBytes, true);
    }
  }

  private void link(int page) {
    int size = freeInPage[page];
    if (size == 0) {
      return;
    }
    after[page] = NONE;
    if (buckets.get(size)) {
      before[page] = bucketLast[size];
      after[bucketLast[size]] = page;
    } else {
      buckets.set(size);
      before[page] = NONE;
      bucketFirst[size] = page;
    }
    bucketLast[size] = page;
  }

  private void unlink(int page) {
    int size = freeInPage[page];
    if (size == 0) {
      return;
    }
    if (before[page] == NONE) {
      bucketFirst[size] = after[page];
    } else {
      after[before[page]] = after[page];
    }
    if (after[page] == NONE) {
      bucketLast[size] = before[page];
    } else {
      before[after[page]] = before[page];
    }
    if (bucketFirst[size] == NONE) {
      buckets.clear(size);
    }
  }
}
