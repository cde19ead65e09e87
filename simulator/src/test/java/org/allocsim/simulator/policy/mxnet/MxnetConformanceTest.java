package org.allocsim.simulator.policy.mxnet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.RequestScript;
import org.allocsim.simulator.policy.UpwardDevice;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MxnetConformanceTest {
  private static final long MIB = 1 << 20;
  private static final BucketRule NAIVE = new BucketRule.Pages(4096, 2 * MIB);
  private static final BucketRule ROUND = new BucketRule.PowersOfTwo(4096, 24);

  private final UpwardDevice device = new UpwardDevice(MIB, 100 * MIB);
  private final PooledStorage naive = new PooledStorage(NAIVE, 5, -1, device, EffectListeners.NONE);

  @ParameterizedTest
  @CsvSource({
    "1, 4096",
    "100, 4096",
    "4096, 4096",
    "4097, 8192",
    "5000, 8192",
    "2097152, 2097152",
    "2097153, 4194304",
    "9223372036852678656, 9223372036852678656",
    "9223372036852678657, 9223372036854775807",
    "9223372036854775807, 9223372036854775807"
  })
  void mxn1_naiveRoundsToPagesAndLargeSizesTo2MiB(long requested, long bytes) {
    assertEquals(bytes, NAIVE.bucketBytes(requested));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 4096",
    "100, 4096",
    "4096, 4096",
    "4097, 8192",
    "3145728, 4194304",
    "16777216, 16777216",
    "16777217, 33554432",
    "50331649, 67108864",
    "9223372036854775807, 9223372036854775807"
  })
  void mxn2_roundTakesPowersOfTwoAndMultiplesOf16MiBAbove(long requested, long bytes) {
    assertEquals(bytes, ROUND.bucketBytes(requested));
  }

  @Test
  void mxn3_blockServesItsOwnBucketOnly() {
    naive.allocate(0, 4096, 0, 0);
    naive.free(0);
    naive.allocate(1, 8192, 0, 0);
    assertEquals(List.of("allocate 4096", "allocate 8192"), device.calls());
  }

  @Test
  void mxn4_cacheIsReturnedWhereTheReserveWouldNotStayFree() {
    naive.allocate(0, 80 * MIB, 0, 0);
    long cached = naive.allocate(1, 10 * MIB, 0, 0);
    naive.free(1);
    device.newCalls();
    naive.allocate(2, 4 * MIB, 0, 0);
    assertEquals(List.of("allocate 4194304"), device.newCalls());
    naive.free(2);
    naive.allocate(3, 2 * MIB, 0, 0);
    assertEquals(
        List.of(
            "free 0x" + Long.toHexString(cached + 10 * MIB),
            "free 0x" + Long.toHexString(cached),
            "allocate 2097152"),
        device.newCalls());
  }

  @Test
  void mxn4_tenFreeMiBDoNotServeSixWithoutReturningTheCache() {
    naive.allocate(0, 80 * MIB, 0, 0);
    naive.allocate(1, 10 * MIB, 0, 0);
    naive.free(1);
    device.newCalls();
    naive.allocate(2, 6 * MIB, 0, 0);
    assertEquals(List.of("free 0x5100000", "allocate 6291456"), device.newCalls());
  }

  @ParameterizedTest
  @CsvSource({"90, 0", "91, 1"})
  void mxn4_reserveIsItsShareOfTheDeviceToTheByte(long requestedBytes, int returned) {
    UpwardDevice odd = new UpwardDevice(MIB, 199);
    PooledStorage pool =
        new PooledStorage(new BucketRule.Pages(1, MIB), 50, -1, odd, EffectListeners.NONE);
    pool.allocate(0, 10, 0, 0);
    pool.free(0);
    odd.newCalls();
    pool.allocate(1, requestedBytes, 0, 0);
    assertEquals(returned + 1, odd.calls().size(), "half of 199 bytes are 99");
  }

  @Test
  void mxn4_cacheIsReturnedWhereNothingWouldStayFreeEvenWithoutAReserve() {
    UpwardDevice small = new UpwardDevice(MIB, 100);
    PooledStorage pool =
        new PooledStorage(new BucketRule.Pages(1, MIB), 0, -1, small, EffectListeners.NONE);
    pool.allocate(0, 10, 0, 0);
    pool.free(0);
    small.newCalls();
    pool.allocate(1, 90, 0, 0);
    assertEquals(List.of("free 0x100000", "allocate 90"), small.calls());
  }

  @Test
  void refusalReturnsTheCacheAndIsTriedOnceMore() throws Exception {
    RequestScript script = new RequestScript("mxnet-naive", Map.of(), 100 * MIB, 10 * MIB);
    script.free(script.allocate(6 * MIB));
    assertEquals(List.of(), script.returns());
    script.allocate(8 * MIB);
    assertEquals(List.of(6 * MIB), script.returns());
    assertEquals(List.of(6 * MIB, 8 * MIB), script.deviceRequests());
    assertEquals(1, script.retries());
  }

  @Test
  void mxn5_blocksOfManyBucketsAreReusedForTheirOwnSizeOnly() {
    int buckets = 400;
    UpwardDevice large = new UpwardDevice(MIB, 1L << 40);
    PooledStorage pool = new PooledStorage(NAIVE, 5, -1, large, EffectListeners.NONE);
    long[] address = new long[buckets];
    for (int i = 0; i < buckets; i++) {
      address[i] = pool.allocate(i, 4096L * (i + 1), 0, 0);
    }
    for (int i = 0; i < buckets; i++) {
      pool.free(i);
    }
    for (int i = 0; i < buckets; i++) {
      assertEquals(address[i], pool.allocate(buckets + i, 4096L * (i + 1), 0, 0));
    }
    pool.emptyCache();
    assertEquals(buckets, large.calls().size(), "all are in use");
  }

  @Test
  void mxn5_blockFreedLastIsReusedFirst() {
    long a = naive.allocate(0, 4096, 0, 0);
    long b = naive.allocate(1, 4096, 0, 0);
    naive.free(0);
    naive.free(1);
    assertEquals(b, naive.allocate(2, 4000, 0, 0));
    assertEquals(a, naive.allocate(3, 4000, 0, 0));
  }

  @Test
  void mallocGoesAheadBelowTheReserveOnceTheCacheIsEmpty() {
    naive.allocate(0, 98 * MIB, 0, 0);
    assertEquals(MIB, naive.allocate(1, 2 * MIB, 0, 0) - 98 * MIB);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, naive.allocate(2, 1, 0, 0));
  }

  @Test
  void bucketsKeepTheirNumbersWhileTheTableGrows() {
    BucketTable table = new BucketTable();
    SplittableRandom random = new SplittableRandom(1);
    long[] sizes = random.longs(5000, 1, 1L << 40).map(size -> size << 12).distinct().toArray();
    Set<Integer> numbers = new HashSet<>();
    for (long size : sizes) {
      assertTrue(numbers.add(table.bucket(size)));
    }
    for (long size : sizes) {
      assertEquals(size, table.bytes(table.bucket(size)));
    }
    assertEquals(sizes.length, table.count());
  }

  @Test
  void optionsReachThePool() throws Exception {
    round(Map.of("linear-cutoff", "20", "page-size", "64KiB", "reserve", "0"))
        .allocate(0, (1 << 20) + 1, 0, 0);
    round(Map.of("page-size", "64KiB")).allocate(0, 1, 0, 0);
    assertEquals(List.of("allocate 2097152", "allocate 65536"), device.calls());
    assertThrows(PolicyOptionException.class, () -> round(Map.of("page-size", "5000")));
    assertThrows(PolicyOptionException.class, () -> round(Map.of("linear-cutoff", "35")));
    assertThrows(PolicyOptionException.class, () -> round(Map.of("large-round-size", "4MiB")));
  }

  private AllocatorPolicy round(Map<String, String> options) throws PolicyOptionException {
    return new RoundProvider()
        .create(new PolicySettings(-1, options), FutureRequests.NONE, device, EffectListeners.NONE);
  }
}
