package org.allocsim.simulator.policy.bfc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionedBfcTest {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long BASE = 1L << 40;

  /** What the device was asked for, in MiB where it is whole ones. */
  private final List<String> calls = new ArrayList<>();

  /** Bytes that the device maps before it refuses. */
  private long mappableBytes = Long.MAX_VALUE;

  private AllocatorPolicy policy;

  private DeviceMemory device(long totalBytes) {
    return (DeviceMemory)
        Proxy.newProxyInstance(
            DeviceMemory.class.getClassLoader(),
            new Class<?>[] {DeviceMemory.class},
            (_, method, arguments) ->
                switch (method.getName()) {
                  case "totalBytes", "freeBytes" -> totalBytes;
                  case "allocate", "reserve" -> {
                    calls.add(method.getName() + " " + (Long) arguments[0] / MIB);
                    yield BASE;
                  }
                  case "map" -> {
                    long bytes = (Long) arguments[1];
                    boolean maps = bytes <= mappableBytes;
                    mappableBytes -= maps ? bytes : 0;
                    calls.add((maps ? "map " : "refuse ") + bytes / MIB);
                    yield maps;
                  }
                  default -> throw new AssertionError(method);
                });
  }

  private void start(Partition partition, long bytes) {
    policy =
        new PartitionedBfcAllocator(
            partition,
            bytes,
            bytes,
            BfcSettings.MAX_WASTE_BYTES,
            device(bytes),
            EffectListeners.NONE);
  }

  /** Offset of an ordinary buffer, −1 where there is no memory. */
  private long allocate(int allocation, long bytes) {
    return offset(policy.allocate(allocation, bytes, 0, 0));
  }

  private long allocateCollective(int allocation, long bytes) {
    return offset(policy.allocate(allocation, bytes, 0, 1));
  }

  private static long offset(long address) {
    return address == AllocatorPolicy.OUT_OF_MEMORY ? -1 : address - BASE;
  }

  private long blockBytes(int allocation) {
    MemoryLayout layout = MemoryLayout.of(policy);
    for (int block = 0; block < layout.blockCount(); block++) {
      if (layout.state(block) == BlockState.ACTIVE_ALLOCATED
          && layout.allocation(block) == allocation) {
        return layout.blockBytes(block);
      }
    }
    throw new AssertionError("allocation " + allocation + " has no block");
  }

  /** Sequences with what XLA's own placement functions answered (00df9ee). */
  @Test
  void collectiveBuffersAtTheHighEndLieWhereXlaPutsThem() throws Exception {
    int operations = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    PartitionedBfcTest.class.getResourceAsStream("both-ends.txt")),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "#" -> {}
          case "total" -> start(Partition.COLLECTIVE_HIGH, Long.parseLong(words[1]));
          case "f" -> policy.free(Integer.parseInt(words[1]));
          default -> {
            int id = Integer.parseInt(words[1]);
            long bytes = Long.parseLong(words[2]);
            long found = words[3].equals("1") ? allocateCollective(id, bytes) : allocate(id, bytes);
            String answer = found < 0 ? "oom" : found + " " + blockBytes(id);
            String expected = words[4].equals("oom") ? "oom" : words[4] + " " + words[5];
            assertEquals(expected, answer, line);
          }
        }
        operations++;
      }
    }
    assertTrue(operations > 1_200, "operations: " + operations);
  }

  @Test
  void collectiveBuffersAtTheLowEndGrowUpExactlyAndOrdinaryOnesDown() {
    start(Partition.COLLECTIVE_LOW, GIB);
    assertEquals(0, allocateCollective(0, 1000));
    assertEquals(1024, allocateCollective(1, 1000));
    assertEquals(GIB - 100 * MIB, allocate(2, 100 * MIB));
    assertEquals(GIB - 200 * MIB, allocate(3, 100 * MIB));
    policy.free(0);
    assertEquals(0, allocateCollective(4, 512));
    assertEquals(512, blockBytes(4));
    assertEquals(512, allocateCollective(5, 300));
  }

  @Test
  void ordinaryBuffersTakeTheHighestOfEqualHolesAndKeepSmallRests() {
    start(Partition.COLLECTIVE_LOW, GIB);
    for (int i = 0; i < 5; i++) {
      allocate(i, 100 * MIB);
    }
    policy.free(1);
    policy.free(3);
    assertEquals(GIB - 200 * MIB, allocate(5, 60 * MIB));
    assertEquals(100 * MIB, blockBytes(5));
  }

  /** 48834: what is left of the gap is not cut off where it is small. */
  @Test
  void theLastOrdinaryBufferTakesASmallGapWhole() {
    start(Partition.COLLECTIVE_LOW, 300 * MIB);
    allocate(0, 100 * MIB);
    assertEquals(0, allocate(1, 150 * MIB));
    assertEquals(200 * MIB, blockBytes(1));
    start(Partition.COLLECTIVE_HIGH, 300 * MIB);
    allocate(0, 100 * MIB);
    allocate(1, 150 * MIB);
    assertEquals(150 * MIB, blockBytes(1));
  }

  @Test
  void neitherEndUsesTheHolesOfTheOther() {
    start(Partition.COLLECTIVE_LOW, 100 * MIB);
    allocateCollective(0, 40 * MIB);
    allocateCollective(1, 10 * MIB);
    allocate(2, 50 * MIB);
    policy.free(0);
    assertEquals(-1, allocate(3, 20 * MIB));
    assertEquals(0, allocateCollective(3, 20 * MIB));
    policy.free(1);
    assertEquals(20 * MIB, allocate(4, 20 * MIB), "the gap is back");
  }

  private void growing(long totalBytes, Map<String, String> options) throws PolicyOptionException {
    policy =
        new BfcProvider()
            .create(
                new PolicySettings(-1, options),
                FutureRequests.NONE,
                device(totalBytes),
                EffectListeners.NONE);
  }

  @Test
  void jaxOfLate2026MapsThreeQuartersAndThenTheRest() throws Exception {
    growing(1000 * MIB, Map.of("preset", "jax-growing"));
    allocate(0, 700 * MIB);
    assertEquals(List.of("reserve 1000", "map 750"), calls);
    assertEquals(940 * MIB, allocate(1, 60 * MIB));
    assertEquals(List.of("reserve 1000", "map 750", "map 250"), calls);
  }

  @Test
  void aFreeTailIsCompletedAndTheDeviceAskedForNineTenths() throws Exception {
    growing(1000 * MIB, Map.of("preset", "jax-growing"));
    allocate(0, 450 * MIB);
    allocate(1, 290 * MIB);
    policy.free(0);
    calls.clear();
    mappableBytes = 60 * MIB;
    // 450 MiB lie free at the end of the range; 50 MiB are missing.
    assertEquals(750 * MIB - 450 * MIB, allocate(2, 500 * MIB));
    assertEquals("refuse 250", calls.getFirst());
    assertEquals("refuse 226", calls.get(1));
    assertEquals("map 58", calls.getLast());
    assertEquals(-1, allocate(3, 300 * MIB));
  }

  @Test
  void collectiveBuffersStayInThePreallocatedPart() throws Exception {
    growing(1000 * MIB, Map.of("preset", "jax-growing"));
    allocate(0, 740 * MIB);
    assertNotEquals(-1, allocate(1, 200 * MIB));
    policy.free(0);
    policy.free(1);
    assertEquals(-1, allocateCollective(2, 800 * MIB));
    assertEquals(0, allocateCollective(2, 750 * MIB));
  }

  @Test
  void aCapAndAFractionLimitGrowth() throws Exception {
    growing(1000 * MIB, Map.of("preset", "jax-growing", "fraction", "0.5", "growth-cap", "0.6"));
    allocate(0, 400 * MIB);
    assertEquals(-1, allocate(1, 250 * MIB));
    assertNotEquals(-1, allocate(2, 90 * MIB));
    assertEquals(-1, allocate(3, MIB));
    assertEquals(List.of("reserve 600", "map 500", "map 100"), calls);
  }

  @ParameterizedTest
  @CsvSource({
    "partition, middle, 'one of none, collective-high, collective-low'",
    "growth-cap, 0.9, 0 unless partition is collective-low",
    "growth-cap, 2, ''",
  })
  void badValuesAreRefused(String option, String value, String expected) {
    PolicyOptionException error =
        assertThrows(PolicyOptionException.class, () -> growing(GIB, Map.of(option, value)));
    assertTrue(error.getMessage().contains(expected), error.getMessage());
  }

  @Test
  void aPartitionNeedsAPreallocatedPool() {
    assertThrows(
        PolicyOptionException.class,
        () -> growing(GIB, Map.of("partition", "collective-low", "preallocate", "false")));
  }
}
