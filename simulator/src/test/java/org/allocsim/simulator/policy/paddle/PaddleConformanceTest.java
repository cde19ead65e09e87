package org.allocsim.simulator.policy.paddle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.LayoutVisitor;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.RequestScript;
import org.allocsim.simulator.policy.UpwardDevice;
import org.junit.jupiter.api.Test;

class PaddleConformanceTest {
  private static final long MIB = 1 << 20;

  private final UpwardDevice device = new UpwardDevice(0x100000, 64 * MIB);

  private AutoGrowthAllocator allocator(AutoGrowthSettings settings) {
    return new AutoGrowthAllocator(settings, -1, device, EffectListeners.NONE);
  }

  @Test
  void pad1To4_requestsGetTheHighEndsAndMissesAChunk() {
    AutoGrowthAllocator paddle = allocator(new AutoGrowthSettings(256, 8 * MIB, false, false, 0));
    assertEquals(0x800000, paddle.allocate(0, MIB, 0, 0));
    assertEquals(0x600000, paddle.allocate(1, 2 * MIB, 0, 0));
    assertEquals(0x5fff00, paddle.allocate(2, 100, 0, 0));
    assertEquals(0xb00000, paddle.allocate(3, 6 * MIB, 0, 0));
    assertEquals(List.of("allocate 8388608", "allocate 8388608"), device.calls());
    MemoryLayout layout = MemoryLayout.of(paddle);
    assertEquals(0x900000, layout.segmentAddress(1));
    int rest = layout.firstBlock(1);
    assertEquals(0x900000, layout.blockAddress(rest));
    assertEquals(2 * MIB, layout.blockBytes(rest));
    assertEquals(LayoutVisitor.BlockState.INACTIVE, layout.state(rest));
  }

  @Test
  void pad5_chunkIsAsLargeAsTheRequestWithoutAChunkSize() {
    AutoGrowthAllocator paddle = allocator(AutoGrowthSettings.DEFAULT);
    paddle.allocate(0, 3 * MIB, 0, 0);
    paddle.free(0);
    assertEquals(0x300000, paddle.allocate(1, MIB, 0, 0));
    MemoryLayout layout = MemoryLayout.of(paddle);
    assertEquals(2 * MIB, layout.blockBytes(0));
    assertEquals(LayoutVisitor.BlockState.INACTIVE, layout.state(0));
    assertEquals(List.of("allocate 3145728"), device.calls());
  }

  @Test
  void inTheWarmupOfVersion2OnlyBlocksOfTheSizeServe() {
    AutoGrowthAllocator paddle = allocator(new AutoGrowthSettings(256, 8 * MIB, false, false, 4));
    paddle.allocate(0, 3 * MIB, 0, 0);
    paddle.free(0);
    assertEquals(0x400000, paddle.allocate(1, 2 * MIB, 0, 0));
    assertEquals(0x100000, paddle.allocate(2, 3 * MIB - 1, 0, 0));
    paddle.free(2);
    // 59 of 64 MiB are free on the device; the free chunk of 3 MiB has to go first.
    paddle.allocate(3, 62 * MIB, 0, 0);
    assertEquals(
        List.of("allocate 3145728", "allocate 2097152", "free 0x100000", "allocate 65011712"),
        device.newCalls());
  }

  @Test
  void theFirstRequestAfterTheWarmupReturnsFreeChunks() {
    AutoGrowthAllocator paddle = allocator(new AutoGrowthSettings(256, 8 * MIB, false, false, 1));
    paddle.allocate(0, 3 * MIB, 0, 0);
    paddle.free(0);
    paddle.allocate(1, MIB, 0, 0);
    paddle.free(1);
    paddle.allocate(2, MIB, 0, 0);
    assertEquals(List.of("allocate 3145728", "free 0x100000", "allocate 8388608"), device.calls());
  }

  @Test
  void refusalReturnsFreeChunksOldestFirstAndIsTriedOnceMore() {
    AutoGrowthAllocator paddle = allocator(AutoGrowthSettings.DEFAULT);
    paddle.allocate(0, 10 * MIB, 0, 0);
    paddle.allocate(1, 5 * MIB, 0, 0);
    paddle.allocate(2, 40 * MIB, 0, 0);
    paddle.free(1);
    paddle.free(0);
    device.newCalls();
    paddle.allocate(3, 20 * MIB, 0, 0);
    assertEquals(
        List.of("allocate 20971520", "free 0x100000", "free 0xb00000", "allocate 20971520"),
        device.newCalls());
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, paddle.allocate(4, 20 * MIB, 0, 0));
  }

  @Test
  void triesAfterARefusalAreReported() throws Exception {
    RequestScript paddle = new RequestScript("paddle-auto-growth", Map.of(), 10 * MIB, -1);
    paddle.free(paddle.allocate(6 * MIB));
    assertEquals(0, paddle.retries());
    paddle.allocate(8 * MIB);
    assertEquals(1, paddle.retries());
  }

  @Test
  void flagReturnsFreeChunksBeforeGrowingAndThenARefusalIsFinal() {
    AutoGrowthAllocator paddle = allocator(new AutoGrowthSettings(256, 0, false, true, 0));
    paddle.allocate(0, 10 * MIB, 0, 0);
    paddle.free(0);
    paddle.allocate(1, 11 * MIB, 0, 0);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, paddle.allocate(2, 60 * MIB, 0, 0));
    assertEquals(
        List.of("allocate 10485760", "free 0x100000", "allocate 11534336", "allocate 62914560"),
        device.calls());
  }

  @Test
  void flagReturnsChunksAsSoonAsTheyAreFree() {
    AutoGrowthAllocator paddle = allocator(new AutoGrowthSettings(256, 0, true, false, 0));
    paddle.allocate(0, MIB, 0, 0);
    paddle.free(0);
    assertEquals(List.of("allocate 1048576", "free 0x100000"), device.calls());
  }

  @Test
  void optionsReachTheAllocator() throws Exception {
    create(Map.of("alignment", "4KiB", "chunk-size", "1000")).allocate(0, 1, 0, 0);
    assertEquals(List.of("allocate 4096"), device.calls());
    assertThrows(PolicyOptionException.class, () -> create(Map.of("alignment", "100")));
    assertThrows(PolicyOptionException.class, () -> create(Map.of("free-idle-chunk", "1")));
  }

  private AllocatorPolicy create(Map<String, String> options) throws PolicyOptionException {
    return new AutoGrowthProvider()
        .create(new PolicySettings(-1, options), FutureRequests.NONE, device, EffectListeners.NONE);
  }
}
