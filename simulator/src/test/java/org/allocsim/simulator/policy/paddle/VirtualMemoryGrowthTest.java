package org.allocsim.simulator.policy.paddle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.stats.MemoryStats;
import org.junit.jupiter.api.Test;

class VirtualMemoryGrowthTest {
  private static final long MIB = 1L << 20;
  private static final long BASE = 1L << 40;

  private MemoryStats stats;
  private AllocatorPolicy policy;
  private long mappedBytes;
  private int ranges;

  private void start(long maxSmallBytes, long totalBytes) {
    stats = new MemoryStats(-1);
    mappedBytes = 0;
    ranges = 0;
    DeviceMemory device =
        (DeviceMemory)
            Proxy.newProxyInstance(
                DeviceMemory.class.getClassLoader(),
                new Class<?>[] {DeviceMemory.class},
                (_, method, arguments) ->
                    switch (method.getName()) {
                      case "totalBytes", "freeBytes" -> totalBytes;
                      case "reserve" -> BASE * ++ranges;
                      case "map" -> {
                        long bytes = (Long) arguments[1];
                        boolean maps = mappedBytes + bytes <= totalBytes;
                        mappedBytes += maps ? bytes : 0;
                        yield maps;
                      }
                      default -> throw new AssertionError(method);
                    });
    policy = new VirtualMemoryGrowth(maxSmallBytes, -1, device, stats);
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

  /** Sequences with what Paddle's own functions answered (032d325). */
  @Test
  void blocksLieWherePaddlePutsThem() throws Exception {
    int operations = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    VirtualMemoryGrowthTest.class.getResourceAsStream("virtual-memory.txt")),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "#" -> {}
          case "total" -> start(0, Long.parseLong(words[1]));
          case "f" -> policy.free(Integer.parseInt(words[1]));
          default -> {
            int id = Integer.parseInt(words[1]);
            long address = policy.allocate(id, Long.parseLong(words[2]), 0, 0);
            String answer =
                address == AllocatorPolicy.OUT_OF_MEMORY
                    ? "oom"
                    : address - BASE + " " + blockBytes(id) + " " + stats.reservedBytes();
            String expected =
                words[3].equals("oom") ? "oom" : String.join(" ", words[3], words[4], words[5]);
            assertEquals(expected, answer, line);
          }
        }
        operations++;
      }
    }
    assertTrue(operations > 900, "operations: " + operations);
  }

  @Test
  void smallRequestsHaveARangeOfTheirOwn() {
    start(MIB, 100 * MIB);
    assertEquals(BASE, policy.allocate(0, MIB, 0, 0));
    assertEquals(2 * BASE, policy.allocate(1, MIB + 1, 0, 0));
    assertEquals(4 * MIB, stats.reservedBytes());
    policy.free(0);
    assertEquals(BASE, policy.allocate(2, 1000, 0, 0));
    assertEquals(BASE + 1024, policy.allocate(3, MIB, 0, 0));
    policy.free(1);
    policy.free(2);
    policy.free(3);
    assertEquals(2 * BASE, policy.allocate(4, 2 * MIB - 256, 0, 0));
    assertEquals(4 * MIB, stats.reservedBytes());
  }

  @Test
  void whatIsMappedStaysAndAFullRangeFails() {
    start(0, 10 * MIB);
    policy.allocate(0, 9 * MIB, 0, 0);
    policy.free(0);
    policy.emptyCache();
    assertEquals(10 * MIB, stats.reservedBytes());
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(1, 10 * MIB + 1, 0, 0));
    assertEquals(BASE, policy.allocate(2, 10 * MIB, 0, 0));
  }
}
