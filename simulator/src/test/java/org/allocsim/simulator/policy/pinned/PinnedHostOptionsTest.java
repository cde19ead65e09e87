package org.allocsim.simulator.policy.pinned;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UpwardDevice;
import org.allocsim.simulator.stats.MemoryStats;
import org.junit.jupiter.api.Test;

class PinnedHostOptionsTest {
  private static final long GIB = 1L << 30;

  /** 20.4 GiB, as in sgl-project/sglang#36562. */
  private static final long ASKED_BYTES = GIB * 204 / 10;

  private final UpwardDevice host = new UpwardDevice(GIB, 256 * GIB);
  private final MemoryStats stats = new MemoryStats(-1);

  private AllocatorPolicy create(long limitBytes, Map<String, String> options)
      throws PolicyOptionException {
    return new PinnedHostProvider()
        .create(new PolicySettings(limitBytes, options), FutureRequests.NONE, host, stats);
  }

  @Test
  void largeRequestPinsTheNextPowerOfTwo() throws Exception {
    create(-1, Map.of()).allocate(0, ASKED_BYTES, 0, 0);
    assertEquals(32 * GIB, stats.reservedBytes());
  }

  @Test
  void roundThresholdPinsWhatWasAskedFor() throws Exception {
    AllocatorPolicy policy = create(-1, Map.of("pinned-max-round-threshold", "1GiB"));
    policy.allocate(0, ASKED_BYTES, 0, 0);
    assertEquals(ASKED_BYTES, stats.reservedBytes());
    policy.allocate(1, GIB - 1, 0, 0);
    assertEquals(ASKED_BYTES + GIB, stats.reservedBytes());
  }

  @Test
  void aBackgroundThreadReturnsBlocksWithoutARequest() throws Exception {
    AllocatorPolicy policy =
        create(
            -1, Map.of("pinned-max-cached-size", "1MiB", "pinned-use-background-threads", "true"));
    policy.allocate(0, 3 << 20, 0, 0);
    policy.useStream(0, 1, 0);
    policy.useStream(0, 2, 0);
    policy.free(0);
    policy.synchronizeStream(1);
    assertEquals(List.of("allocate 3145728"), host.calls());
    policy.synchronizeStream(2);
    assertEquals(List.of("allocate 3145728", "free 0x40000000"), host.calls());
  }

  @Test
  void unroundedBlockIsNeverReusedForALargerRequest() throws Exception {
    AllocatorPolicy policy =
        create(
            -1, Map.of("pinned-max-round-threshold", "128MiB", "pinned-max-cached-size", "1GiB"));
    long small = policy.allocate(0, 150 << 20, 0, 0);
    policy.free(0);
    policy.allocate(1, 200 << 20, 0, 0);
    policy.free(1);
    assertEquals(small, policy.allocate(2, 140 << 20, 0, 0) - (150 << 20));
    assertEquals(small, policy.allocate(3, 140 << 20, 0, 0));
  }

  @Test
  void blockAboveTheCachedSizeGoesBackAsSoonAsItIsFree() throws Exception {
    AllocatorPolicy policy = create(-1, Map.of("pinned-max-cached-size", "1MiB"));
    policy.allocate(0, (1 << 20) + 1, 0, 0);
    policy.free(0);
    policy.allocate(1, 3 << 20, 0, 0);
    policy.useStream(1, 1, 0);
    policy.free(1);
    policy.synchronize();
    policy.allocate(2, 1 << 20, 0, 0);
    policy.free(2);
    assertEquals(
        List.of(
            "allocate 1048577",
            "free 0x40000000",
            "allocate 3145728",
            "free 0x40100001",
            "allocate 1048576"),
        host.calls());
  }

  @Test
  void limitIsFinalAndKeepsTheCache() throws Exception {
    AllocatorPolicy policy = create(48 * GIB, Map.of());
    policy.allocate(0, ASKED_BYTES, 0, 0);
    policy.free(0);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(1, 33 * GIB, 0, 0));
    assertEquals(32 * GIB, stats.reservedBytes());
  }

  @Test
  void emptyingReturnsTheSmallestSizesFirstAndOfASizeWhatWasFreedFirst() throws Exception {
    AllocatorPolicy policy = create(-1, Map.of());
    long large = policy.allocate(0, 2, 0, 0);
    long second = policy.allocate(1, 1, 0, 0);
    long first = policy.allocate(2, 1, 0, 0);
    policy.free(0);
    policy.free(2);
    policy.free(1);
    host.newCalls();
    policy.emptyCache();
    policy.emptyCache();
    assertEquals(
        LongStream.of(first, second, large)
            .mapToObj(at -> "free 0x" + Long.toHexString(at))
            .toList(),
        host.calls());
  }

  @Test
  void badValuesAreRefused() {
    assertThrows(
        PolicyOptionException.class, () -> create(-1, Map.of("pinned-max-cached-size", "1GB")));
    assertThrows(PolicyOptionException.class, () -> create(-1, Map.of("conf", "")));
  }
}
