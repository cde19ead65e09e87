package org.allocsim.simulator.policy.pinned;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.stats.HostMemoryStats;
import org.allocsim.simulator.stats.MemoryStats;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PinnedHostAllocatorTest {
  private static final long MIB = 1 << 20;

  private final Host host = new Host();
  private final MemoryStats effects = new MemoryStats(-1);
  private final HostMemoryStats stats = new HostMemoryStats();
  private final PinnedHostAllocator allocator = new PinnedHostAllocator(host, effects, stats);

  /** Host memory of 1 GiB, addresses never used twice. */
  private static final class Host implements DeviceMemory {
    private long next = 1L << 40;
    private long used;

    @Override
    public long allocate(long bytes) {
      if (used + bytes > 1L << 30) {
        return REFUSED;
      }
      used += bytes;
      long address = next;
      next += bytes;
      return address;
    }

    @Override
    public void free(long address, long bytes) {
      used -= bytes;
    }

    @Override
    public long reserve(long bytes, long pageBytes, int stream) {
      throw new AssertionError();
    }

    @Override
    public void unreserve(long address, long bytes) {
      throw new AssertionError();
    }

    @Override
    public boolean map(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public void unmap(long address, long bytes, long pageBytes) {
      throw new AssertionError();
    }

    @Override
    public long freeBytes() {
      return (1L << 30) - used;
    }

    @Override
    public long totalBytes() {
      return 1L << 30;
    }
  }

  private void expect(String key, long value) {
    assertEquals(value, stats.toMap().get(key), key);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "2, 2",
    "3, 4",
    "8, 8",
    "9, 16",
    "4096, 4096",
    "12582912, 16777216",
    "16777217, 33554432",
    "4611686018427387904, 4611686018427387904"
  })
  void case66_sizesAreRoundedUpToPowersOfTwoWithoutAMinimum(long requested, long rounded) {
    assertEquals(rounded, PinnedHostAllocator.roundedBytes(requested));
  }

  @Test
  void case66_blockUsedByACopyIsReusableOnlyAfterIt() {
    long first = allocator.allocate(0, 12_582_912, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.free(0);
    long second = allocator.allocate(1, 12_582_912, 0, 0);
    assertNotEquals(first, second);
    allocator.useComplete(0, AllocationTrace.ANY_STREAM);
    assertEquals(first, allocator.allocate(2, 16_000_000, 0, 0));
  }

  @Test
  void case66_blockFreedLastIsReusedFirst() {
    long a = allocator.allocate(0, MIB, 0, 0);
    long b = allocator.allocate(1, MIB, 0, 0);
    allocator.free(0);
    allocator.free(1);
    assertEquals(b, allocator.allocate(2, MIB, 0, 0));
    assertEquals(a, allocator.allocate(3, MIB - 1, 0, 0));
  }

  @Test
  void blocksServeTheirOwnSizeOnly() {
    long a = allocator.allocate(0, 2 * MIB, 0, 0);
    allocator.free(0);
    assertNotEquals(a, allocator.allocate(1, MIB, 0, 0));
    expect("num_host_alloc", 2);
  }

  @Test
  void blockUsedOnTwoStreamsNeedsBothCopiesFinished() {
    long a = allocator.allocate(0, MIB, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.useStream(0, 2, 1);
    allocator.useStream(0, 1, 2);
    allocator.free(0);
    allocator.synchronize();
    assertEquals(a, allocator.allocate(1, MIB, 0, 0));
    expect("active_requests.freed", 1);
  }

  @Test
  void waitingForAStreamFinishesTheCopiesOnItAndNoOthers() {
    long a = allocator.allocate(0, MIB, 0, 0);
    long b = allocator.allocate(1, MIB, 0, 0);
    allocator.useStream(0, 0, 0);
    allocator.useStream(1, 3, 1);
    allocator.free(0);
    allocator.free(1);
    allocator.synchronizeStream(2);
    allocator.synchronizeStream(0);
    assertEquals(a, allocator.allocate(2, MIB, 0, 0));
    long c = allocator.allocate(3, MIB, 0, 0);
    assertNotEquals(b, c);
    allocator.synchronizeStream(3);
    assertEquals(b, allocator.allocate(4, MIB, 0, 0));
  }

  @Test
  void copyAfterTheWaitIsNotFinishedByIt() {
    long a = allocator.allocate(0, MIB, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.synchronizeStream(1);
    allocator.synchronize();
    allocator.useComplete(0, 1);
    allocator.useComplete(0, AllocationTrace.ANY_STREAM);
    allocator.useStream(0, 1, 1);
    allocator.free(0);
    assertNotEquals(a, allocator.allocate(1, MIB, 0, 0));
    allocator.synchronizeStream(1);
    assertEquals(a, allocator.allocate(2, MIB, 0, 0));
  }

  @Test
  void completionOnOneStreamLeavesTheCopiesOnOthers() {
    long a = allocator.allocate(0, MIB, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.useStream(0, 2, 1);
    allocator.free(0);
    allocator.useComplete(0, 3);
    allocator.useComplete(0, 1);
    assertNotEquals(a, allocator.allocate(1, MIB, 0, 0));
    allocator.useComplete(0, 2);
    assertEquals(a, allocator.allocate(2, MIB, 0, 0));
  }

  @Test
  void useOfAFreedBlockIsIgnored() {
    long a = allocator.allocate(0, MIB, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.free(0);
    allocator.useStream(0, 1, 1);
    allocator.useStream(0, 2, 2);
    allocator.useComplete(0, 1);
    assertEquals(a, allocator.allocate(1, MIB, 0, 0));
    allocator.free(1);
    assertEquals(a, allocator.allocate(2, MIB, 0, 0), "its copies went with its first free");
  }

  /** More blocks and copies than any table begins with, in rounds so that rows are used again. */
  @Test
  void blocksOfManyCopiesBecomeFreeInTheOrderOfTheirFrees() {
    int blocks = 300;
    List<Long> addresses = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      int first = round * blocks;
      List<Long> served = new ArrayList<>();
      for (int i = first; i < first + blocks; i++) {
        served.add(allocator.allocate(i, 1, 0, 0));
        allocator.useStream(i, i % 5, 0);
        allocator.useStream(i, 5 + i % 7, 0);
      }
      if (round > 0) {
        assertEquals(addresses.reversed(), served, "the block freed last serves first");
      }
      addresses = served;
      for (int i = first; i < first + blocks; i++) {
        allocator.free(i);
      }
      allocator.synchronize();
    }
    expect("num_host_alloc", blocks);
  }

  @Test
  void finishedCopyWaitsBehindAnUnfinishedOneOfAnEarlierFree() {
    allocator.allocate(0, MIB, 0, 0);
    long b = allocator.allocate(1, MIB, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.useStream(1, 2, 1);
    allocator.free(0);
    allocator.free(1);
    allocator.useComplete(1, AllocationTrace.ANY_STREAM);
    assertNotEquals(b, allocator.allocate(2, MIB, 0, 0));
    allocator.useComplete(0, AllocationTrace.ANY_STREAM);
    assertEquals(b, allocator.allocate(3, MIB, 0, 0));
  }

  @Test
  void freeAloneNeverChangesTheStatisticsOfABlockThatACopyUsed() {
    allocator.allocate(0, MIB, 0, 0);
    allocator.useStream(0, 1, 0);
    allocator.synchronize();
    allocator.free(0);
    expect("active_requests.current", 1);
    allocator.allocate(1, 1, 0, 0);
    expect("active_requests.current", 1);
    expect("active_requests.freed", 1);
  }

  @Test
  void returnAfterACopyAddsAByteAndReturnWithoutOneCountsNothing() {
    allocator.allocate(0, MIB, 0, 0);
    allocator.free(0);
    expect("active_requests.current", 1);
    expect("active_bytes.current", MIB);
    allocator.allocate(1, MIB, 0, 0);
    allocator.useStream(1, 1, 0);
    allocator.free(1);
    allocator.synchronize();
    allocator.emptyCache();
    expect("active_requests.current", 1);
    expect("active_bytes.current", 2 * MIB + 1);
    expect("active_bytes.freed", -1);
    expect("active_bytes.peak", 2 * MIB);
    expect("allocations.current", 0);
    expect("allocated_bytes.freed", MIB);
    expect("num_host_free", 1);
  }

  @Test
  void everyBlockIsASegmentOfItsOwn() {
    allocator.allocate(0, 3 * MIB, 0, 0);
    allocator.allocate(1, MIB, 0, 0);
    allocator.free(0);
    assertEquals(5 * MIB, effects.reservedBytes());
    assertEquals(MIB, effects.allocatedBytes());
    allocator.emptyCache();
    assertEquals(MIB, effects.reservedBytes());
    assertEquals(2, effects.get("segment.all.allocated"));
  }

  @Test
  void refusalIsFinal() {
    allocator.allocate(0, 1 << 29, 0, 0);
    allocator.free(0);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(1, 1 << 30, 0, 0));
    assertEquals(1, effects.outOfMemories());
    expect("num_host_free", 0);
    allocator.free(1);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, allocator.allocate(2, Long.MAX_VALUE, 0, 0));
  }

  @Test
  void sizesBeyondTwoToThe62AreRejectedAndTheHostRefusesThatSize() {
    List<Long> rejected = new ArrayList<>();
    List<Long> failed = new ArrayList<>();
    EffectListener listener =
        new EffectListener() {
          @Override
          public void requestRejected(int allocation, long bytes, String reason) {
            rejected.add(bytes);
          }

          @Override
          public void outOfMemory(OutOfMemory failure) {
            failed.add(failure.requestedBytes());
          }
        };
    PinnedHostAllocator strict = new PinnedHostAllocator(host, listener, stats);
    for (long bytes : new long[] {1L << 62, (1L << 62) + 1, -1}) {
      assertEquals(AllocatorPolicy.OUT_OF_MEMORY, strict.allocate(0, bytes, 0, 0));
    }
    assertEquals(List.of(1L << 62), failed);
    assertEquals(List.of((1L << 62) + 1, -1L), rejected);
  }

  @Test
  void requestForNothingDoesNothing() {
    assertEquals(0, allocator.allocate(0, 0, 0, 0));
    allocator.free(0);
    stats.toMap().forEach((key, value) -> assertEquals(0, value, key));
  }

  @Test
  void listenerMayBeOneThatDoesNothing() {
    PinnedHostAllocator silent =
        new PinnedHostAllocator(host, new EffectListener() {}, new HostMemoryStats());
    assertNotEquals(AllocatorPolicy.OUT_OF_MEMORY, silent.allocate(0, 1, 0, 0));
  }
}
