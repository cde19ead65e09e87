package org.allocsim.simulator.policy.mlx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MlxConformanceTest {
  private static final long PAGE = 16384;
  private static final long HEAP = 1 << 20;

  private static RequestScript metal(Map<String, String> options) throws Exception {
    return new RequestScript("mlx-metal", options, 1L << 40, -1);
  }

  @ParameterizedTest
  @CsvSource({
    "mlx-metal, 255, 256",
    "mlx-metal, 256, 256",
    "mlx-metal, 16384, 16384",
    "mlx-metal, 16383, 16383",
    "mlx-metal, 16385, 32768",
    "mlx-cuda, 1, 8",
    "mlx-cuda, 8, 8",
    "mlx-cuda, 9, 16",
    "mlx-cuda, 4097, 8192",
    "mlx-cuda, 16383, 16384",
    "mlx-cuda, 16384, 16384",
    "mlx-cuda, 16385, 32768"
  })
  void mlx1_sizes(String policy, long requested, long block) throws Exception {
    RequestScript script = new RequestScript(policy, Map.of());
    assertEquals(block, script.blockBytes(script.allocate(requested)));
  }

  @Test
  void mlx2_bufferServesBelowTwiceTheRequestAndTwoPagesMore() throws Exception {
    RequestScript script = metal(Map.of());
    int buffer = script.allocate(10 * PAGE);
    script.free(buffer);
    assertFalse(script.address(script.allocate(8 * PAGE)) == script.address(buffer));
    int served = script.allocate(8 * PAGE + 1);
    assertEquals(script.address(buffer), script.address(served));
    assertEquals(10 * PAGE, script.blockBytes(served));
    int small = script.allocate(2000);
    script.free(small);
    assertFalse(script.address(script.allocate(1000)) == script.address(small));
    assertEquals(script.address(small), script.address(script.allocate(1001)));
  }

  @Test
  void mlx3_amongEqualsTheBufferFreedFirstServes() throws Exception {
    RequestScript script = metal(Map.of());
    int first = script.allocate(PAGE);
    int second = script.allocate(PAGE);
    script.free(second);
    script.free(first);
    assertEquals(script.address(second), script.address(script.allocate(PAGE)));
  }

  @Test
  void mlx4_oldestBuffersAreReleasedBeyondTheMemoryLimit() throws Exception {
    RequestScript script = metal(Map.of("memory-limit", String.valueOf(10 * PAGE)));
    int old = script.allocate(4 * PAGE);
    int young = script.allocate(2 * PAGE);
    script.free(old);
    script.free(young);
    script.allocate(7 * PAGE);
    assertEquals(List.of(4 * PAGE), script.returns());
  }

  @Test
  void mlx5_cacheIsEmptiedBySizeWhereNineTenthsMustGo() throws Exception {
    RequestScript script = metal(Map.of("memory-limit", String.valueOf(10 * PAGE)));
    int old = script.allocate(5 * PAGE);
    int young = script.allocate(3 * PAGE);
    script.free(old);
    script.free(young);
    script.allocate(20 * PAGE);
    assertEquals(List.of(3 * PAGE, 5 * PAGE), script.returns());
    assertTrue(script.isServed(script.allocate(100 * PAGE)), "the limit refuses nothing");
  }

  @Test
  void mlx6_freedBufferIsCachedBelowTheLimitOnly() throws Exception {
    RequestScript script = metal(Map.of("cache-limit", String.valueOf(PAGE)));
    int first = script.allocate(5 * PAGE);
    int second = script.allocate(PAGE);
    script.free(first);
    assertEquals(List.of(), script.returns());
    script.free(second);
    assertEquals(List.of(PAGE), script.returns());
    script.allocate(50 * PAGE);
    assertEquals(List.of(PAGE, 5 * PAGE), script.returns());
  }

  @Test
  void mlx7_buffersAreCountedOnMetal() throws Exception {
    RequestScript script = metal(Map.of("resource-limit", "2"));
    int first = script.allocate(PAGE);
    script.allocate(PAGE);
    assertFalse(script.isServed(script.allocate(PAGE)));
    script.free(first);
    assertTrue(script.isServed(script.allocate(5 * PAGE)));
    assertEquals(List.of(PAGE), script.returns());
  }

  @Test
  void mlx8_smallBuffersOfMetalTakeTheHeapUntilItIsFull() throws Exception {
    RequestScript script = metal(Map.of());
    for (int i = 0; i < 4096; i++) {
      assertEquals(256L * i, script.offset(script.allocate(100)));
    }
    assertEquals(List.of(HEAP), script.deviceRequests());
    assertEquals(HEAP, script.offset(script.allocate(100)));
  }

  @Test
  void mlx9_eightBytesOfCudaTakeTheSlotReleasedLast() throws Exception {
    RequestScript script = new RequestScript("mlx-cuda", Map.of("cache-limit", "0"), 1L << 40, -1);
    int first = script.allocate(1);
    int second = script.allocate(1);
    script.allocate(1);
    script.free(second);
    script.free(first);
    assertEquals(script.address(first), script.address(script.allocate(8)));
    assertEquals(script.address(second), script.address(script.allocate(8)));
    assertEquals(List.of(65536L), script.deviceRequests());
  }

  @Test
  void mlx10_cudaKeepsFivePercentOfTheDeviceFreeOfThePool() throws Exception {
    long device = 1000 * PAGE;
    Map<String, String> options = Map.of("memory-limit", String.valueOf(2 * device));
    RequestScript script = new RequestScript("mlx-cuda", options, device, -1);
    int kept = script.allocate(60 * PAGE);
    int other = script.allocate(60 * PAGE);
    script.free(kept);
    script.free(other);
    script.allocate(831 * PAGE);
    assertEquals(List.of(60 * PAGE), script.returns());
  }

  @ParameterizedTest
  @CsvSource({"mlx-metal, 1048576", "mlx-cuda, 65536"})
  void limitOfTheRunLessTheSlotsIsTheMemoryLimit(String policy, long slots) throws Exception {
    RequestScript script = new RequestScript(policy, Map.of(), 1L << 40, slots + 20 * PAGE);
    script.free(script.allocate(15 * PAGE));
    assertTrue(script.isServed(script.allocate(16 * PAGE)));
    assertEquals(List.of(15 * PAGE), script.returns());
    assertFalse(script.isServed(script.allocate(5 * PAGE)));
  }
}
