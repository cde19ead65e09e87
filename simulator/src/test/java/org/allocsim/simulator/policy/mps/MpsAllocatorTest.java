package org.allocsim.simulator.policy.mps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UpwardDevice;
import org.allocsim.simulator.stats.MemoryStats;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MpsAllocatorTest {
  private static final long MIB = 1L << 20;
  private static final long BASE = 1L << 30;

  private UpwardDevice device;
  private MemoryStats stats;
  private AllocatorPolicy policy;

  @BeforeEach
  void startPlain() throws PolicyOptionException {
    start(16_384, Map.of());
  }

  private void start(long deviceMib, Map<String, String> options) throws PolicyOptionException {
    device = new UpwardDevice(BASE, deviceMib * MIB);
    stats = new MemoryStats(-1);
    policy =
        new MpsProvider()
            .create(new PolicySettings(-1, options), FutureRequests.NONE, device, stats);
  }

  /** Offset in MiB from the first heap, −1 where there is no memory. */
  private double allocate(int allocation, double mib) {
    long address = policy.allocate(allocation, (long) (mib * MIB), 0, 0);
    return address == AllocatorPolicy.OUT_OF_MEMORY ? -1 : (double) (address - BASE) / MIB;
  }

  private double reservedMib() {
    return (double) stats.reservedBytes() / MIB;
  }

  @ParameterizedTest
  @CsvSource({
    "0.001, 8",
    "1, 8",
    "1.001, 32",
    "9.99, 32",
    "10, 1024",
    "511, 1024",
    "512, 512",
    "600.5, 602",
  })
  void theHeapDependsOnTheRequest(double requestMib, double heapMib) {
    allocate(0, requestMib);
    assertEquals(heapMib, reservedMib());
  }

  @Test
  void buffersShareHeapsOfTheirPool() {
    assertEquals(0, allocate(0, 0.5));
    assertEquals(0.5, allocate(1, 1));
    assertEquals(8, allocate(2, 5));
    assertEquals(13, allocate(3, 20));
    assertEquals(40, reservedMib());
    assertEquals(40, allocate(4, 30));
    assertEquals(1064, reservedMib());
  }

  @Test
  void aCachedBufferServesWholeIfItIsAtMost32MebibytesLarger() {
    allocate(0, 100);
    policy.free(0);
    assertEquals(0, allocate(1, 68));
    assertEquals(100, allocate(2, 10), "the 100 MiB are in use");
    policy.free(1);
    assertEquals(110, allocate(3, 67), "the heap has room, so the larger buffer stays");
  }

  @Test
  void aMuchLargerBufferMakesRoomInItsHeap() {
    allocate(0, 600);
    policy.free(0);
    assertEquals(0, allocate(1, 520));
    assertEquals(600, reservedMib());
    assertEquals(520, allocate(2, 60));
    assertEquals(600, reservedMib());
  }

  @Test
  void cachedBuffersKeepTheirSizesUntilTheyAreReleased() {
    for (int i = 0; i < 8; i++) {
      allocate(i, 1);
    }
    for (int i = 0; i < 8; i++) {
      policy.free(i);
    }
    allocate(8, 0.5);
    allocate(9, 0.5);
    assertEquals(8, reservedMib());
    policy.free(8);
    policy.free(9);
    policy.emptyCache();
    assertEquals(0, reservedMib());
    assertEquals(List.of("allocate 8388608", "free 0x40000000"), device.calls());
  }

  @Test
  void theHighWatermarkCountsHeapsAndIsTriedAgainWithoutTheCache() throws Exception {
    // 0.6 of the 1000 MiB that Metal recommends.
    start(
        2000,
        Map.of("working-set", "0.5", "high-watermark-ratio", "0.6", "low-watermark-ratio", "0"));
    assertEquals(0, allocate(0, 520));
    assertEquals(-1, allocate(1, 550));
    assertEquals(1, stats.outOfMemories());
    policy.free(0);
    assertEquals(520, allocate(2, 550), "the cached buffer was released");
    assertEquals(550, reservedMib());
  }

  @Test
  void aboveTheLowWatermarkHeapsAreMadeToMeasure() throws Exception {
    start(4096, Map.of("working-set", "1", "low-watermark-ratio", "0.1"));
    allocate(0, 500);
    allocate(1, 500);
    assertEquals(1024, reservedMib());
    assertEquals(1024, allocate(2, 31));
    assertEquals(1024 + 32, reservedMib());
  }

  @Test
  void aboveTheLowWatermarkOldBuffersAreReleased() throws Exception {
    start(4096, Map.of("working-set", "1", "low-watermark-ratio", "0.8"));
    allocate(0, 520);
    allocate(1, 540);
    policy.free(0);
    for (int i = 2; i < 6; i++) {
      allocate(i, 600 + i);
    }
    policy.free(1);
    double before = reservedMib();
    // Both together are more than the request; the older one is enough to come below the mark.
    allocate(6, 700);
    assertEquals(before + 700 - 520, reservedMib());
  }

  @ParameterizedTest
  @CsvSource({
    "alignment, 300, power of two",
    "high-watermark-ratio, 3, from 0.0 to 2.0",
    "low-watermark-ratio, 1.8, from 0.0 to 1.7",
  })
  void badValuesAreRefused(String option, String value, String expected) {
    PolicyOptionException error =
        assertThrows(PolicyOptionException.class, () -> start(1000, Map.of(option, value)));
    assertTrue(error.getMessage().contains(expected), error.getMessage());
  }
}
