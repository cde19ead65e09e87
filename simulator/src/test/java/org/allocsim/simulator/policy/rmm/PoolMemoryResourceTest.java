package org.allocsim.simulator.policy.rmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.api.Test;

class PoolMemoryResourceTest {
  private static final long MIB = 1 << 20;
  private static final long CAPACITY = 1L << 50;

  private static PoolMemoryResource pool(RequestScript script) {
    return (PoolMemoryResource) script.policy();
  }

  @Test
  void rpl1_growthDoublesThePoolAndHalvesOnRefusal() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of(), CAPACITY, 6000);
    script.allocate(1000);
    assertEquals(1024, pool(script).poolBytes());
    script.allocate(4000);
    assertEquals(5120, pool(script).poolBytes());
    int third = script.allocate(500);
    assertTrue(script.isServed(third));
    assertEquals(List.of(1024L, 4096L, 640L), script.deviceRequests());
    assertEquals(List.of(128L), script.freeBlocks());
    assertFalse(script.isServed(script.allocate(2000)));
    assertEquals(5760, pool(script).poolBytes());
    assertEquals(1, script.failures());
  }

  @Test
  void rpl1_everyAttemptToGrowIsAskedOfTheDevice() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of(), 6000, -1);
    script.allocate(1000);
    script.allocate(4000);
    script.allocate(500);
    assertEquals(List.of(5120L, 2560L, 1280L), script.refusals());
    script.allocate(2000);
    assertEquals(List.of(5120L, 2560L, 1280L, 5760L, 2880L, 2048L), script.refusals());
  }

  @Test
  void rpl2_growthTakesHalfOfWhatTheMaximumLeaves() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of("max", "8192"), 6000, -1);
    script.allocate(1000);
    assertEquals(List.of(4096L), script.deviceRequests());
    assertFalse(script.isServed(script.allocate(4000)));
    assertEquals(List.of(4096L), script.refusals());
    assertTrue(script.isServed(script.allocate(500)));
    assertTrue(script.isServed(script.allocate(2000)));
    assertEquals(List.of(512L), script.freeBlocks());
  }

  @Test
  void rpl3_poolWithoutMaximumDoubles() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of());
    script.allocate(MIB);
    script.allocate(MIB);
    script.allocate(MIB);
    script.allocate(8 * MIB);
    assertEquals(List.of(MIB, MIB, 2 * MIB, 8 * MIB), script.deviceRequests());
    assertEquals(12 * MIB, pool(script).poolBytes());
    assertEquals(List.of(MIB), script.freeBlocks());
  }

  @Test
  void rpl4_poolWithMaximumGrowsByHalfOfTheRestAtLeastByTheRequest() throws Exception {
    RequestScript script =
        RequestScript.onStreams("rmm-pool", Map.of("initial", "16MiB", "max", "64MiB"), 0, 16);
    script.allocate(20 * MIB, 1);
    script.allocate(20 * MIB, 1);
    int third = script.allocate(8 * MIB, 1);
    assertEquals(List.of(16 * MIB, 24 * MIB, 20 * MIB), script.deviceRequests());
    assertEquals(0, script.offset(third));
    assertEquals(60 * MIB, pool(script).poolBytes());
  }

  @Test
  void rpl5_otherStreamsAreStolenFromAndThenMerged() throws Exception {
    RequestScript script =
        RequestScript.onStreams("rmm-pool", Map.of("initial", "4MiB"), 0, 16, 32);
    int onA = script.allocate(MIB, 1);
    assertEquals(1, pool(script).streamWaits());
    int onB = script.allocate(MIB, 2);
    assertEquals(2, pool(script).streamWaits());
    script.free(onA);
    script.free(onB);
    assertEquals(List.of(MIB, MIB, 2 * MIB), script.freeBlocks());
    int all = script.allocate(4 * MIB, 1);
    assertEquals(0, script.offset(all));
    assertEquals(4, pool(script).streamWaits());
    assertEquals(List.of(4 * MIB), script.deviceRequests());
  }

  @Test
  void rpl6_sizesThatAreNoMultipleOf256AreRefused() {
    assertRefused(Map.of("initial", "1000031"), "multiple of 256");
    assertRefused(Map.of("max", "1000"), "multiple of 256");
    assertRefused(Map.of("initial", "1024", "max", "512"), "at most the maximum");
    assertRefused(Map.of("initial", "many"), "a size");
    assertRefused(Map.of("maximum", "512"), "no option");
  }

  private static void assertRefused(Map<String, String> options, String part) {
    PolicyOptionException error =
        assertThrows(PolicyOptionException.class, () -> new RequestScript("rmm-pool", options));
    assertTrue(error.getMessage().contains(part), error.getMessage());
  }

  @Test
  void rmm1957_maximumCannotBeAllocatedWhereAnInitialSizeTookPartOfIt() throws Exception {
    RequestScript started = new RequestScript("rmm-pool", Map.of("initial", "256", "max", "1024"));
    assertFalse(started.isServed(started.allocate(1024)));
    RequestScript empty = new RequestScript("rmm-pool", Map.of("initial", "0", "max", "1024"));
    assertTrue(empty.isServed(empty.allocate(1024)));
  }

  @Test
  void initialSizeMayBeHalfOfTheFreeMemory() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of("initial", "half"), 100_001, -1);
    script.allocate(1);
    assertEquals(List.of(49_920L), script.deviceRequests());
  }

  @Test
  void initialSizeThatTheDeviceRefusesFailsTheRequest() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of("initial", "1MiB"), 1000, -1);
    assertFalse(script.isServed(script.allocate(256)));
    assertEquals(0, script.reservedBytes());
  }

  @Test
  void piecesOfTheDeviceNeverMergeEvenWhereTheyTouch() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of());
    int first = script.allocate(1024);
    int second = script.allocate(1024);
    assertEquals(script.address(first) + 1024, script.address(second));
    script.free(first);
    script.free(second);
    assertEquals(List.of(1024L, 1024L), script.freeBlocks());
    script.allocate(2048);
    assertEquals(List.of(1024L, 1024L, 2048L), script.deviceRequests());
  }

  @Test
  void blockGoesToTheListOfTheStreamThatFreesIt() throws Exception {
    RequestScript script = RequestScript.onStreams("rmm-pool", Map.of(), 0, 16);
    int onNull = script.allocate(1024, 0);
    script.free(onNull, 1);
    script.allocate(1024, 1);
    assertEquals(0, pool(script).streamWaits());
  }

  @Test
  void cudaStreamLegacyIsTheNullStream() throws Exception {
    RequestScript script = RequestScript.onStreams("rmm-pool", Map.of("initial", "1MiB"), 0, 1, 16);
    script.allocate(1024, 1);
    script.allocate(1024, 0);
    assertEquals(0, pool(script).streamWaits());
    script.allocate(1024, 2);
    assertEquals(1, pool(script).streamWaits());
  }

  @Test
  void initialPieceBelongsToTheLegacyStreamEvenIfTheTraceHasNone() throws Exception {
    RequestScript script = RequestScript.onStreams("rmm-pool", Map.of("initial", "1MiB"), 16, 32);
    script.allocate(1024, 0);
    assertEquals(1, pool(script).streamWaits());
  }

  @Test
  void lengthsOfScansAreThoseOfTheListsThatAreSearched() throws Exception {
    RequestScript script = new RequestScript("rmm-pool", Map.of("initial", "1MiB"));
    int[] blocks = new int[6];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = script.allocate(1024);
    }
    assertEquals(6, pool(script).searches());
    assertEquals(6, pool(script).scannedBlocks());
    script.free(blocks[0]);
    script.free(blocks[2]);
    script.free(blocks[4]);
    script.allocate(512);
    assertEquals(7, pool(script).searches());
    assertEquals(6 + 4, pool(script).scannedBlocks());
  }
}
