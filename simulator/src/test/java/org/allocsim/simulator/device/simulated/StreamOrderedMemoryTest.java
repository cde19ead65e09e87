package org.allocsim.simulator.device.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.AsyncCosts;
import org.allocsim.simulator.device.cost.DriverCall;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pool of stream-ordered memory, rule by rule. Addresses count from the pool's first one. */
class StreamOrderedMemoryTest {
  private static final long MIB = 1L << 20;
  private static final long CHUNK = 32 * MIB;
  private static final long BASE = DeviceProfile.RANGE_ADDRESS;
  private static final long CAPACITY = 1L << 30;

  /** More than the memory and less than the addresses of the pool. */
  private static final long TOO_MUCH = CAPACITY + CAPACITY / 2;

  private final SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(CAPACITY));
  private final StreamOrderedMemory pool = device.streamOrdered().orElseThrow();

  private long allocate(long bytes, int stream) {
    long address = pool.allocateAsync(bytes, stream);
    return address == DeviceMemory.REFUSED ? address : address - BASE;
  }

  private void free(long offset, long bytes, int stream) {
    pool.freeAsync(BASE + offset, bytes, stream);
  }

  @Test
  void sizesAreRoundedUpTo512BytesAndUsedBytesAreNot() {
    assertEquals(0, allocate(1, 0));
    assertEquals(512, allocate(513, 0));
    assertEquals(1536, allocate(512, 0));
    assertEquals(1026, pool.poolUsedBytes());
  }

  @Test
  void theFirstBlockBacksOneChunkAndOnesThatReachFurtherBackMore() {
    allocate(1, 0);
    assertEquals(CHUNK, pool.poolReservedBytes());
    assertEquals(CAPACITY - CHUNK, device.freeBytes());
    allocate(70 * MIB, 0);
    assertEquals(3 * CHUNK, pool.poolReservedBytes());
  }

  @Test
  void whatAStreamGaveBackItTakesAgainBeforeAnythingElse() {
    long a = allocate(4 * MIB, 1);
    allocate(1 * MIB, 1);
    free(a, 4 * MIB, 1);
    assertEquals(a, allocate(2 * MIB, 1));
  }

  @Test
  void memoryGoesToTheListOfTheStreamThatFreesIt() {
    long a = allocate(4 * MIB, 1);
    long b = allocate(4 * MIB, 2);
    free(a, 4 * MIB, 2);
    free(b, 4 * MIB, 1);
    assertEquals(b, allocate(4 * MIB, 1));
    assertEquals(a, allocate(4 * MIB, 2));
  }

  @Test
  void amongEqualRangesTheOneThatChangedFirstIsTaken() {
    long a = allocate(MIB, 0);
    allocate(MIB, 0);
    long b = allocate(MIB, 0);
    allocate(MIB, 0);
    free(b, MIB, 0);
    free(a, MIB, 0);
    assertEquals(b, allocate(MIB, 0));
    assertEquals(a, allocate(MIB, 0));
  }

  @Test
  void otherStreamsAreAskedInTheOrderOfTheirFirstUse() {
    long a = allocate(2 * MIB, 7);
    long b = allocate(2 * MIB, 3);
    free(b, 2 * MIB, 3);
    free(a, 2 * MIB, 7);
    assertEquals(a, allocate(MIB, 5));
  }

  @Test
  void rangesOfDifferentStreamsMergeOnlyWhenNothingElseFits() {
    long a = allocate(16 * MIB, 1);
    long b = allocate(16 * MIB, 2);
    free(a, 16 * MIB, 1);
    free(b, 16 * MIB, 2);
    assertEquals(a, allocate(24 * MIB, 1), "both lists and the endless rest are one range now");
    assertEquals(CHUNK, pool.poolReservedBytes());
  }

  @Test
  void rangesEnterTheSharedListLatestFreeFirstAndASplitIsNoFree() {
    long a = allocate(5 * MIB, 0);
    allocate(MIB, 0);
    long b = allocate(2 * MIB, 0);
    allocate(MIB, 0);
    free(a, 5 * MIB, 0);
    free(b, 2 * MIB, 0);
    assertEquals(a, allocate(3 * MIB, 0), "leaves a rest as large as b that changed later");
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    pool.synchronizeStream(0);
    assertEquals(b, allocate(2 * MIB, 0), "freed last, so first in the shared list");
    assertEquals(a + 3 * MIB, allocate(2 * MIB, 0));
  }

  @Test
  void waitingForAStreamReleasesWhatIsIdleDownToTheThreshold() {
    long a = allocate(128 * MIB, 0);
    pool.setReleaseThreshold(2 * CHUNK);
    free(a, 128 * MIB, 0);
    assertEquals(4 * CHUNK, pool.poolReservedBytes());
    pool.synchronizeStream(0);
    assertEquals(2 * CHUNK, pool.poolReservedBytes());
    assertEquals(a, allocate(64 * MIB, 0), "the highest chunks went");
    assertEquals(2 * CHUNK, pool.poolReservedBytes());
  }

  @Test
  void waitingForAStreamThatGaveNothingBackReleasesNothing() {
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    free(allocate(MIB, 1), MIB, 1);
    pool.synchronizeStream(1);
    pool.setReleaseThreshold(0);
    pool.synchronizeStream(1);
    pool.synchronizeStream(4);
    pool.synchronizeDevice();
    assertEquals(CHUNK, pool.poolReservedBytes());
    pool.trimPool(0);
    assertEquals(0, pool.poolReservedBytes());
  }

  @Test
  void trimmingReleasesNothingThatWasFreedSinceTheLastWait() {
    free(allocate(MIB, 0), MIB, 0);
    pool.trimPool(0);
    assertEquals(CHUNK, pool.poolReservedBytes());
    pool.synchronizeDevice();
    assertEquals(0, pool.poolReservedBytes());
    assertEquals(1, device.driverCalls(DriverCall.TRIM_POOL));
  }

  @Test
  void idleChunksMoveToWhereMemoryIsLacking() {
    long a = allocate(CHUNK, 0);
    allocate(CHUNK, 0);
    free(a, CHUNK, 0);
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    pool.synchronizeStream(0);
    assertEquals(2 * CHUNK, allocate(2 * CHUNK, 0));
    assertEquals(3 * CHUNK, pool.poolReservedBytes(), "one chunk is new, one was idle");
  }

  @Test
  void aRefusalKeepsTheCollectedChunksWhereTheThresholdAllows() {
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    allocate(MIB, 0);
    assertEquals(DeviceMemory.REFUSED, allocate(TOO_MUCH, 0));
    assertEquals(CAPACITY, pool.poolReservedBytes(), "the card's last chunks are spare");
    assertEquals(0, device.freeBytes());
    assertEquals(MIB, allocate(CAPACITY - MIB, 0), "spare chunks are used first");
  }

  @Test
  void aRefusalUnderAThresholdOf0ReturnsAllThatIsIdle() {
    allocate(MIB, 0);
    long a = allocate(200 * MIB, 0);
    free(a, 200 * MIB, 0);
    assertEquals(DeviceMemory.REFUSED, allocate(TOO_MUCH, 0));
    assertEquals(CHUNK, pool.poolReservedBytes());
  }

  @Test
  void thePoolHasTwiceAsManyAddressesAsTheDeviceHasMemory() {
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    allocate(MIB, 0);
    assertEquals(DeviceMemory.REFUSED, allocate(2 * CAPACITY - MIB + 1, 0));
    assertEquals(CHUNK, pool.poolReservedBytes(), "nothing is collected where no range is found");
    assertEquals(DeviceMemory.REFUSED, allocate(2 * CAPACITY - MIB, 0));
    assertEquals(CAPACITY, pool.poolReservedBytes());
  }

  @Test
  void aRequestForWhichNoRangeIsLargeEnoughReleasesNothing() {
    long a = allocate(100 * MIB, 0);
    free(a, 100 * MIB, 0);
    assertEquals(DeviceMemory.REFUSED, allocate(2 * CAPACITY + 1, 0));
    assertEquals(4 * CHUNK, pool.poolReservedBytes());
  }

  @Test
  void aLimitHalvesTheAddressesToo() {
    pool.setPoolLimit(2 * CHUNK);
    assertEquals(0, allocate(CHUNK, 0));
    assertEquals(CHUNK, allocate(CHUNK / 2, 0));
    free(0, CHUNK, 0);
    pool.synchronizeStream(0);
    assertEquals(3 * CHUNK / 2, allocate(CHUNK + MIB, 0), "the idle chunk moves here");
    free(3 * CHUNK / 2, CHUNK + MIB, 0);
    pool.synchronizeStream(0);
    assertEquals(DeviceMemory.REFUSED, allocate(5 * CHUNK / 2 + 1, 0));
    assertThrows(IllegalStateException.class, () -> pool.setPoolLimit(CHUNK));
  }

  @Test
  void aLimitRefusesAsAFullCardDoes() {
    pool.setPoolLimit(2 * CHUNK);
    allocate(2 * CHUNK, 0);
    assertEquals(DeviceMemory.REFUSED, allocate(MIB, 0));
    assertEquals(2 * CHUNK, pool.poolReservedBytes());
  }

  @Test
  void aLimitCountsInWholeChunksRoundedUp() {
    pool.setPoolLimit(CHUNK + 1);
    allocate(2 * CHUNK, 0);
    assertEquals(DeviceMemory.REFUSED, allocate(MIB, 0));
    assertEquals(2 * CHUNK, pool.poolReservedBytes());
  }

  @Test
  void withoutOpportunisticReuseTheHostMustHaveWaited() {
    pool.setReuse(false, false);
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    free(allocate(20 * MIB, 1), 20 * MIB, 1);
    assertEquals(20 * MIB, allocate(20 * MIB, 2));
    pool.synchronizeStream(1);
    assertEquals(0, allocate(20 * MIB, 2));
  }

  @Test
  void whatIsFreedOnAHeldStreamServesThatStreamOnly() {
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    long a = allocate(4 * MIB, 1);
    allocate(MIB, 1);
    long b = allocate(4 * MIB, 1);
    allocate(MIB, 1);
    free(a, 4 * MIB, 1);
    device.holdStream(1);
    free(b, 4 * MIB, 1);
    assertEquals(a, allocate(4 * MIB, 2), "freed before");
    assertEquals(10 * MIB, allocate(4 * MIB, 2));
    assertEquals(b, allocate(2 * MIB, 1));
    assertThrows(IllegalStateException.class, () -> pool.synchronizeStream(1));
    device.resumeStream(1);
    assertEquals(b + 2 * MIB, allocate(2 * MIB, 2));
  }

  @Test
  void rangesThatAreNotCompleteStayInTheirListWhenOthersMerge() {
    long a = allocate(16 * MIB, 1);
    long b = allocate(16 * MIB, 2);
    device.holdStream(1);
    free(a, 16 * MIB, 1);
    free(b, 16 * MIB, 2);
    assertEquals(b, allocate(24 * MIB, 3));
    device.resumeStream(1);
    assertEquals(a, allocate(16 * MIB, 3));
  }

  @Test
  void aStreamWaitsForAnotherWhereThePoolCannotGrow() {
    pool.setPoolLimit(CHUNK);
    long a = allocate(20 * MIB, 1);
    allocate(8 * MIB, 1);
    device.holdStream(1);
    free(a, 20 * MIB, 1);
    assertEquals(a, allocate(20 * MIB, 2));
    free(a, 20 * MIB, 2);
    assertEquals(28 * MIB, allocate(4 * MIB, 3), "stream 2 waits for stream 1");
    assertThrows(IllegalStateException.class, () -> pool.synchronizeStream(2));
    device.resumeStream(1);
    assertEquals(a, allocate(4 * MIB, 3));
    pool.synchronizeDevice();
    assertThrows(IllegalStateException.class, () -> device.resumeStream(1));
  }

  @Test
  void requestsOutsideThePoolMakeItGiveBackWhatIsIdle() {
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    long a = allocate(20 * CHUNK, 0);
    free(a, 20 * CHUNK, 0);
    assertEquals(DeviceMemory.REFUSED, device.allocate(16 * CHUNK), "freed since the last wait");
    pool.synchronizeStream(0);
    assertEquals(DeviceMemory.REFUSED, device.allocate(40 * CHUNK));
    assertEquals(0, pool.poolReservedBytes(), "released in vain");
    allocate(20 * CHUNK, 0);
    free(a, 20 * CHUNK, 0);
    pool.synchronizeStream(0);
    assertTrue(device.allocate(16 * CHUNK) != DeviceMemory.REFUSED);
    assertEquals(0, pool.poolReservedBytes());
    allocate(10 * CHUNK, 0);
    free(a, 10 * CHUNK, 0);
    pool.synchronizeStream(0);
    long range = device.reserve(10 * CHUNK, 2 * MIB, 0);
    assertTrue(device.map(range, 10 * CHUNK, 2 * MIB));
  }

  @Test
  void addressesOfVirtualMemoryAndThePoolDoNotOverlap() {
    long range = device.reserve(64 * MIB, 2 * MIB, 0);
    assertEquals(BASE, range);
    assertEquals(BASE + 64 * MIB, pool.allocateAsync(MIB, 0));
    assertEquals(BASE + 64 * MIB + 2 * CAPACITY, device.reserve(64 * MIB, 2 * MIB, 0));
  }

  @Test
  void callsAreCountedAndTakeTheirTime() {
    AsyncCosts costs = AsyncCosts.H100;
    long a = allocate(40 * MIB, 0);
    long expected = costs.createPoolNanos() + costs.mapNanos() + 2 * costs.newChunkNanos();
    assertEquals(expected, device.driverNanos());
    free(a, 40 * MIB, 0);
    expected += costs.freeNanos();
    allocate(MIB, 0);
    expected += costs.allocateOwnNanos();
    allocate(MIB, 1);
    expected += costs.allocateOtherNanos();
    assertEquals(expected, device.driverNanos());
    allocate(45 * MIB - 1, 1);
    expected += costs.allocateMergedNanos() + 23 * costs.allocateMergedPageNanos();
    assertEquals(expected, device.driverNanos());
    allocate(20 * MIB, 1);
    expected += costs.mapNanos() + costs.newChunkNanos();
    assertEquals(expected, device.driverNanos());
    allocate(TOO_MUCH, 1);
    long made = CAPACITY / CHUNK - 3;
    expected += costs.refuseReleaseNanos() + made * costs.refuseReleaseNewChunkNanos();
    assertEquals(expected, device.driverNanos());
    assertEquals(6, device.driverCalls(DriverCall.ALLOCATE_ASYNC));
    assertEquals(1, device.driverCalls(DriverCall.FREE_ASYNC));
  }

  @Test
  void callsThatTheDriverWouldRejectAreErrors() {
    allocate(100, 0);
    assertThrows(IllegalArgumentException.class, () -> pool.allocateAsync(0, 0));
    assertThrows(IllegalArgumentException.class, () -> pool.allocateAsync(1, -1));
    assertThrows(IllegalArgumentException.class, () -> free(0, 101, 0));
    assertThrows(IllegalArgumentException.class, () -> free(512, 100, 0));
    free(0, 100, 0);
    assertThrows(IllegalArgumentException.class, () -> free(0, 100, 0));
  }

  /** A GPU of 40 chunks that is full most of the time, against the rules written plainly. */
  @ParameterizedTest
  @CsvSource({
    "1, 1, 0, true, true",
    "2, 3, 0, true, true",
    "3, 3, 268435456, true, true",
    "4, 4, 9223372036854775807, true, true",
    "5, 3, 9223372036854775807, false, true",
    "6, 3, 0, false, true",
    "7, 3, 0, false, false",
    "8, 2, 9223372036854775807, false, false",
  })
  void randomCallsHaveTheResultsOfThePlainRules(
      int seed, int streams, long threshold, boolean opportunistic, boolean internal) {
    long capacity = 40 * CHUNK + 5;
    SimulatedDevice card = new SimulatedDevice(DeviceProfiles.ofCapacity(capacity));
    StreamOrderedMemory memory = card.streamOrdered().orElseThrow();
    NaivePool naive = new NaivePool(BASE, capacity, opportunistic, internal);
    memory.setReleaseThreshold(threshold);
    memory.setReuse(opportunistic, internal);
    naive.thresholdBytes = threshold;
    SplittableRandom random = new SplittableRandom(seed);
    List<long[]> live = new ArrayList<>();
    int refusals = 0;
    for (int call = 0; call < 6000; call++) {
      String where = "seed " + seed + ", call " + call;
      int stream = random.nextInt(streams);
      int kind = random.nextInt(200);
      if (kind == 0) {
        memory.synchronizeDevice();
        naive.synchronizeDevice();
      } else if (kind < 4) {
        memory.synchronizeStream(stream);
        naive.synchronizeStream(stream);
      } else if (kind == 4) {
        long kept = random.nextInt(40) * CHUNK;
        memory.trimPool(kept);
        naive.trim(kept);
      } else if (kind < 106 || live.isEmpty()) {
        long bytes = bytes(random);
        long address = naive.allocate(bytes, stream);
        assertEquals(address, memory.allocateAsync(bytes, stream), where);
        if (address == DeviceMemory.REFUSED) {
          refusals++;
        } else {
          live.add(new long[] {address, bytes});
        }
      } else {
        long[] block = live.remove(random.nextInt(live.size()));
        memory.freeAsync(block[0], block[1], stream);
        naive.free(block[0], stream);
      }
      assertEquals(naive.reservedBytes, memory.poolReservedBytes(), where);
      assertEquals(naive.usedBytes, memory.poolUsedBytes(), where);
      assertEquals(capacity - naive.reservedBytes, card.freeBytes(), where);
    }
    assertTrue(refusals > 20, refusals + " refusals");
  }

  private static long bytes(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> 1 + random.nextLong(100_000);
      case 1 -> (1L << random.nextInt(9, 26)) + random.nextInt(-1, 2);
      case 2 -> 512L * (1 + random.nextInt(4));
      default -> 1 + random.nextLong(150 * MIB);
    };
  }
}
