package org.allocsim.simulator.policy.pagedkv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.junit.jupiter.api.Test;

/** The conformance cases KV-1 to KV-5 of the paged cache; KV-6 is the serving program's. */
class PagedKvConformanceTest {
  private static final long TOKEN = 1 << 20;

  private static final class Run {
    final InvariantChecker checker = new InvariantChecker(InvariantChecker.UNLIMITED, false, true);
    final PagedKvCache cache;
    int splits;
    long splitBytes;
    int splitReports;
    OutOfMemory failure;
    private int next;

    Run(int blocks, double watermark) {
      this(blocks, watermark, -1);
    }

    Run(int blocks, double watermark, long limitBytes) {
      EffectListener listener =
          new EffectListener() {
            @Override
            public void inactiveSplitChanged(int count, long bytes, boolean small) {
              splits += count;
              splitBytes += bytes;
              splitReports++;
            }

            @Override
            public void outOfMemory(OutOfMemory outOfMemory) {
              failure = outOfMemory;
            }
          };
      cache =
          new PagedKvCache(
              new PagedKvSettings(16, TOKEN, blocks, 0.92, watermark),
              limitBytes,
              new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 40)),
              EffectListeners.both(checker, listener));
    }

    int tokens(int count, int sequence) {
      assertNotEquals(
          AllocatorPolicy.OUT_OF_MEMORY, cache.allocate(next, count * TOKEN, 0, sequence));
      checker.check(cache);
      return next++;
    }

    boolean refuses(int count, int sequence) {
      boolean refused =
          cache.allocate(next++, count * TOKEN, 0, sequence) == AllocatorPolicy.OUT_OF_MEMORY;
      checker.check(cache);
      return refused;
    }

    void free(int allocation) {
      cache.free(allocation);
      checker.check(cache);
    }

    /** Numbers of the blocks that an allocation's tokens lie in. */
    int[] blocksOf(int allocation) {
      MemoryLayout layout = MemoryLayout.of(cache);
      TreeSet<Integer> blocks = new TreeSet<>();
      for (int i = 0; i < layout.blockCount(); i++) {
        if (layout.state(i) != BlockState.INACTIVE && layout.allocation(i) == allocation) {
          blocks.add((int) ((layout.blockAddress(i) - layout.segmentAddress(0)) / (16 * TOKEN)));
        }
      }
      return blocks.stream().mapToInt(Integer::intValue).toArray();
    }
  }

  @Test
  void kv1ASequenceTakesABlockWhenItsLastOneIsFull() {
    Run run = new Run(10, 0);
    int prompt = run.tokens(7, 1);
    assertArrayEquals(new int[] {1}, run.blocksOf(prompt), "block 0 is never used");
    assertEquals(9 * TOKEN, run.splitBytes);
    int more = run.tokens(9, 1);
    assertArrayEquals(new int[] {1}, run.blocksOf(more));
    assertEquals(0, run.splitBytes);
    assertArrayEquals(new int[] {2}, run.blocksOf(run.tokens(1, 1)));
    assertEquals(15 * TOKEN, run.splitBytes);
  }

  @Test
  void kv1TheLastBlockIsFilledWhereNoneIsLeft() {
    Run run = new Run(3, 0);
    run.tokens(16 + 7, 1);
    run.tokens(9, 1);
    assertEquals(true, run.refuses(33, 1));
    assertEquals(3 * 16 * TOKEN, run.failure.segmentBytes());
  }

  @Test
  void whatIsEmptyInABlockInUseIsASplit() {
    Run run = new Run(10, 0);
    run.tokens(16, 0);
    assertEquals(0, run.splitReports, "a full block is none");
    int first = run.tokens(7, 1);
    int second = run.tokens(4, 1);
    assertEquals(1, run.splits);
    assertEquals(5 * TOKEN, run.splitBytes);
    run.free(first);
    assertEquals(1, run.splits);
    assertEquals(12 * TOKEN, run.splitBytes);
    run.free(second);
    assertEquals(0, run.splits);
    assertEquals(0, run.splitBytes);
  }

  @Test
  void theAddressIsThatOfTheFirstToken() {
    Run run = new Run(10, 0);
    long prompt = run.cache.allocate(0, 7 * TOKEN, 0, 1);
    long arena = MemoryLayout.of(run.cache).segmentAddress(0);
    assertEquals(arena + 16 * TOKEN, prompt);
    assertEquals(arena + 23 * TOKEN, run.cache.allocate(1, 20 * TOKEN, 0, 1));
    assertEquals(arena + 48 * TOKEN, run.cache.allocate(2, 1, 0, 2));
    run.checker.check(run.cache);
  }

  @Test
  void everyBlockButTheLastHoldsAFullShareOfItsRequest() {
    Run run = new Run(10, 0);
    run.cache.allocate(0, 7 * TOKEN, 0, 1);
    run.cache.allocate(1, 30 * TOKEN - 5, 0, 1);
    MemoryLayout layout = MemoryLayout.of(run.cache);
    List<Long> shares = new ArrayList<>();
    for (int i = 0; i < layout.blockCount(); i++) {
      if (layout.allocation(i) == 1) {
        shares.add(layout.requestedBytes(i));
      }
    }
    assertEquals(List.of(9 * TOKEN, 16 * TOKEN, 5 * TOKEN - 5), shares);
  }

  @Test
  void everySequenceHasABlockOfItsOwnHoweverManyThereAre() {
    Run run = new Run(60, 0);
    for (int sequence = 1; sequence <= 50; sequence += 7) {
      int block = run.blocksOf(run.tokens(1, sequence))[0];
      assertArrayEquals(new int[] {block}, run.blocksOf(run.tokens(15, sequence)));
      assertEquals(0, run.splitBytes);
    }
    int longest = run.tokens(16 * 40, 0);
    assertEquals(40, run.blocksOf(longest).length);
    run.free(longest);
    assertEquals(40, run.blocksOf(run.tokens(16 * 40, 0)).length);
  }

  @Test
  void freeOfAnAllocationThatWasNeverMadeIsIgnored() {
    Run run = new Run(10, 0);
    run.cache.allocate(1024, TOKEN, 0, 0);
    run.free(1025);
    run.free(5000);
    run.free(1024);
    assertEquals(9 * 16, run.blocksOf(run.tokens(9 * 16, 0)).length * 16);
  }

  @Test
  void theCacheIsAShareOfTheFreeMemoryAndOfTheLimitAtMost() {
    PagedKvSettings half = new PagedKvSettings(16, TOKEN, 0, 0.5, 0);
    long block = 16 * TOKEN;
    assertEquals(32, PagedKvCache.blocksFor(half, -1, 65 * block));
    assertEquals(10, PagedKvCache.blocksFor(half, 11 * block - 1, 65 * block));
    assertEquals(0, PagedKvCache.blocksFor(half, 0, 65 * block));
  }

  @Test
  void aCacheOfAGivenSizeNeedsALimitThatAllowsAllOfIt() {
    new Run(10, 0, 160 * TOKEN).tokens(1, 0);
    assertEquals(true, new Run(10, 0, 160 * TOKEN - 1).refuses(1, 0));
    assertEquals(true, new Run(10, 0, 0).refuses(1, 0));
  }

  @Test
  void kv4ASequenceThatNeedsAllButTheUnusedBlockCanBegin() {
    Run run = new Run(10, 0);
    int first = run.tokens(1, 1);
    assertEquals(PagedKvCache.Admission.LATER, run.cache.admission(16 * 9));
    assertEquals(PagedKvCache.Admission.NEVER, run.cache.admission(16 * 9 + 1));
    run.free(first);
    assertEquals(PagedKvCache.Admission.NOW, run.cache.admission(16 * 9));
  }

  @Test
  void kv2KnownPrefixesAreSharedAndLeaveTheQueueTheRestComesFromItsHead() {
    KvBlocks blocks = queue(7, 8, 9, 4, 3, 2, 6, 5, 1, 0);
    int[] table = new int[8];
    for (int i = 0; i < table.length; i++) {
      table[i] = i < 3 ? blocks.share(100 + i) : blocks.take();
    }
    assertArrayEquals(new int[] {0, 1, 2, 7, 8, 9, 4, 3}, table, "29 tokens, 4 a block");
    assertArrayEquals(new int[] {6, 5}, blocks.queue());
  }

  /** A pool of ten whose free blocks are queued so; blocks 0, 1 and 2 hold prefixes. */
  private static KvBlocks queue(int... order) {
    KvBlocks blocks = new KvBlocks(order.length);
    for (int i = 0; i < order.length; i++) {
      blocks.take();
    }
    for (int block = 0; block < 3; block++) {
      blocks.prefixes().add(block, 100 + block);
    }
    Arrays.stream(order).forEach(blocks::release);
    return blocks;
  }

  @Test
  void kv3BlocksOfARequestJoinTheQueueLastOneFirst() {
    Run run = new Run(10, 0);
    int request = run.tokens(40, 0);
    assertArrayEquals(new int[] {1, 2, 3}, run.blocksOf(request));
    run.free(request);
    int others = run.tokens(16 * 6, 0);
    assertArrayEquals(new int[] {4, 5, 6, 7, 8, 9}, run.blocksOf(others));
    assertArrayEquals(new int[] {3}, run.blocksOf(run.tokens(1, 0)));
    assertArrayEquals(new int[] {2}, run.blocksOf(run.tokens(1, 0)));
    assertArrayEquals(new int[] {1}, run.blocksOf(run.tokens(1, 0)));
  }

  @Test
  void kv4TheWatermarkStaysFreeWhenASequenceBegins() {
    Run run = new Run(100, 0.01);
    run.tokens(16 * 89, 1);
    assertEquals(PagedKvCache.Admission.LATER, run.cache.admission(16 * 10));
    assertEquals(PagedKvCache.Admission.NOW, run.cache.admission(16 * 9));
    assertEquals(PagedKvCache.Admission.NEVER, run.cache.admission(16 * 100));
    assertEquals(true, run.refuses(16 * 10, 2));
    run.tokens(16 * 9, 2);
    run.tokens(16, 1);
    assertEquals(true, run.refuses(1, 1), "sequences may grow into the watermark, no further");
  }

  @Test
  void kv5ASharedBlockStaysUntilItsLastSequenceEnds() {
    KvBlocks blocks = new KvBlocks(2);
    int first = blocks.take();
    blocks.prefixes().add(first, 7);
    assertEquals(first, blocks.share(7));
    assertEquals(2, blocks.references(first));
    blocks.release(first);
    assertArrayEquals(new int[] {1}, blocks.queue());
    blocks.release(first);
    assertArrayEquals(new int[] {1, 0}, blocks.queue());
    assertEquals(1, blocks.keptCount());
    assertEquals(first, blocks.share(7), "a free block keeps its prefix");
    blocks.release(first);
    blocks.take();
    blocks.take();
    assertEquals(KvBlocks.NONE, blocks.share(7), "until it is taken for something else");
    assertThrows(IllegalStateException.class, () -> new KvBlocks(1).release(0));
  }

  @Test
  void kv5OfSeveralBlocksWithOnePrefixTheFirstThatIsLeftIsItsHolder() {
    KvBlocks blocks = new KvBlocks(4);
    for (int block = 0; block < 4; block++) {
      blocks.prefixes().add(blocks.take(), 7);
    }
    IntStream.of(2, 1, 0, 3).forEach(blocks::release);
    assertEquals(4, blocks.keptCount());
    assertEquals(0, blocks.prefixes().holder(7));
    assertEquals(2, blocks.take());
    assertEquals(1, blocks.take());
    assertEquals(2, blocks.keptCount());
    assertEquals(0, blocks.share(7));
    assertEquals(1, blocks.keptCount());
    blocks.release(0);
    assertEquals(3, blocks.take());
    assertEquals(0, blocks.prefixes().holder(7));
    assertEquals(0, blocks.take());
    assertEquals(KvBlocks.NONE, blocks.prefixes().holder(7));
    assertEquals(0, blocks.keptCount());
    assertEquals(KvBlocks.NONE, blocks.take());
  }

  @Test
  void kv5WhatForgetsAPrefixLeavesItToTheNextOfItsHolders() {
    KvBlocks blocks = new KvBlocks(3);
    for (int block = 0; block < 3; block++) {
      blocks.prefixes().add(blocks.take(), 7);
    }
    IntStream.of(0, 1, 2).forEach(blocks::release);
    for (int block = 0; block < 3; block++) {
      assertEquals(block, blocks.prefixes().holder(7));
      blocks.take();
    }
    assertEquals(KvBlocks.NONE, blocks.prefixes().holder(7));
  }

  @Test
  void largestTokensAndMostBlocksArePossible() throws Exception {
    assertEquals(0, create("64GiB", 1L << 36).allocate(0, 0, 0, 0));
    assertEquals(0, create("1", 1L << 26).allocate(0, 0, 0, 0));
    assertThrows(PolicyOptionException.class, () -> create("68719476737", 1L << 36));
    assertThrows(PolicyOptionException.class, () -> create("1", (1L << 26) + 1));
  }

  private static AllocatorPolicy create(String tokenBytes, long limitBytes)
      throws PolicyOptionException {
    return new PagedKvProvider()
        .create(
            new PolicySettings(limitBytes, Map.of("token-bytes", tokenBytes, "block-size", "1")),
            FutureRequests.NONE,
            new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 40)),
            EffectListeners.NONE);
  }

  @Test
  void sequencesThatGrowAndEndInAnyOrderKeepTheBooks() {
    Run run = new Run(60, 0);
    SplittableRandom random = new SplittableRandom(5);
    int[][] live = new int[8][64];
    int[] count = new int[8];
    for (int i = 0; i < 4000; i++) {
      int sequence = random.nextInt(8);
      if (count[sequence] == 64 || random.nextInt(10) == 0) {
        boolean forward = random.nextBoolean();
        for (int j = 0; j < count[sequence]; j++) {
          run.free(live[sequence][forward ? j : count[sequence] - 1 - j]);
        }
        count[sequence] = 0;
      } else {
        int id = run.next;
        if (!run.refuses(1 + random.nextInt(40), sequence)) {
          live[sequence][count[sequence]++] = id;
        }
      }
    }
  }

  @Test
  void aCacheOfMoreBlocksThanCanBeCountedIsRefusedWithASentence() {
    PolicyOptionException error =
        assertThrows(
            PolicyOptionException.class,
            () ->
                new PagedKvProvider()
                    .create(
                        new PolicySettings(-1, Map.of("token-bytes", "1", "block-size", "1")),
                        FutureRequests.NONE,
                        new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 40)),
                        EffectListeners.NONE));
    assertEquals(true, error.getMessage().contains("token-bytes"), error.getMessage());
  }
}
