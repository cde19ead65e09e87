package org.allocsim.simulator.policy.rmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.RequestScript;
import org.junit.jupiter.api.Test;

class FixedSizeAndBinningTest {
  private static final long KIB = 1 << 10;
  private static final long MIB = 1 << 20;

  @Test
  void rfx1_everyBinTakesAChunkAtOnce() throws Exception {
    RequestScript script = new RequestScript("rmm-binning", Map.of());
    script.allocate(1);
    assertEquals(5, script.deviceRequests().size());
    assertEquals(1_040_187_392L, script.reservedBytes());
  }

  @Test
  void rfx2_requestGoesToTheSmallestBinThatHoldsIt() throws Exception {
    RequestScript script = new RequestScript("rmm-binning", Map.of());
    assertEquals(256 * KIB, script.blockBytes(script.allocate(262_144)));
    assertEquals(512 * KIB, script.blockBytes(script.allocate(262_145)));
    assertEquals(4 * MIB, script.blockBytes(script.allocate(4 * MIB)));
    int large = script.allocate(4 * MIB + 1);
    assertEquals(4 * MIB + 1, script.deviceRequests().getLast());
    script.free(large);
    assertEquals(List.of(4 * MIB + 1), script.returns());
  }

  @Test
  void rfx3_chunkIsTakenWhereTheBinRunsDry() throws Exception {
    RequestScript script = new RequestScript("rmm-binning", Map.of());
    for (int i = 0; i < 128; i++) {
      script.allocate(256 * KIB);
    }
    assertEquals(5, script.deviceRequests().size());
    script.allocate(256 * KIB);
    assertEquals(6, script.deviceRequests().size());
    assertEquals(32 * MIB, script.deviceRequests().getLast());
  }

  @Test
  void rfx4_requestAboveTheBlockSizeFailsAndTakesNoBlock() throws Exception {
    RequestScript script = new RequestScript("rmm-fixed", Map.of());
    assertFalse(script.isServed(script.allocate(MIB + 1)));
    assertEquals(128 * MIB, script.reservedBytes());
    assertEquals(1, script.failures());
    assertTrue(script.isServed(script.allocate(MIB)));
    assertEquals(List.of(128 * MIB), script.deviceRequests());
    assertFalse(script.isServed(script.allocate(MIB + 1)));
    assertEquals(128 * MIB, script.reservedBytes());
  }

  @Test
  void blocksAreUsedFirstInFirstOut() throws Exception {
    RequestScript script = new RequestScript("rmm-fixed", Map.of("blocks", "3"));
    int[] blocks = {script.allocate(1), script.allocate(1), script.allocate(1)};
    script.free(blocks[2]);
    script.free(blocks[0]);
    script.free(blocks[1]);
    assertEquals(script.address(blocks[2]), script.address(script.allocate(1)));
    assertEquals(script.address(blocks[0]), script.address(script.allocate(1)));
    assertEquals(script.address(blocks[1]), script.address(script.allocate(1)));
  }

  @Test
  void streamWithoutBlocksTakesThoseOfTheFirstThatHasSome() throws Exception {
    RequestScript script = RequestScript.onStreams("rmm-fixed", Map.of("blocks", "3"), 0, 16, 32);
    int first = script.allocate(1, 1);
    int second = script.allocate(1, 2);
    script.allocate(1, 2);
    script.free(first, 1);
    script.free(second, 2);
    assertEquals(script.address(first), script.address(script.allocate(1, 0)));
    assertEquals(script.address(second), script.address(script.allocate(1, 0)));
    assertEquals(1, script.deviceRequests().size());
  }

  @Test
  void aStreamWhoseRequestFailsForItsSizeCountsFromThenOn() throws Exception {
    RequestScript script = RequestScript.onStreams("rmm-fixed", Map.of("blocks", "2"), 0, 16, 32);
    assertFalse(script.isServed(script.allocate(MIB + 1, 2)));
    int first = script.allocate(1, 1);
    int second = script.allocate(1, 1);
    script.free(first, 1);
    script.free(second, 2);
    assertEquals(script.address(second), script.address(script.allocate(1, 0)));
  }

  @Test
  void optionsOutOfRangeAreRefused() {
    for (Map<String, String> options :
        List.of(
            Map.of("min-exponent", "7"),
            Map.of("max-exponent", "31"),
            Map.of("min-exponent", "20", "max-exponent", "19"))) {
      assertThrows(PolicyOptionException.class, () -> new RequestScript("rmm-binning", options));
    }
    assertThrows(
        PolicyOptionException.class, () -> new RequestScript("rmm-fixed", Map.of("block", "2TiB")));
    assertThrows(
        PolicyOptionException.class, () -> new RequestScript("rmm-fixed", Map.of("blocks", "0")));
  }

  @Test
  void limitCountsSizesRoundedUpTo256AndGivesThemBack() {
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 34));
    Upstream upstream = new Upstream(device, 10 * MIB);
    long first = upstream.allocate(4 * MIB);
    assertTrue(upstream.allocate(4 * MIB) != DeviceMemory.REFUSED);
    upstream.free(first, 4 * MIB);
    assertTrue(upstream.allocate(6 * MIB) != DeviceMemory.REFUSED);
    assertEquals(DeviceMemory.REFUSED, upstream.allocate(1));
    Upstream other = new Upstream(device, 10 * MIB);
    other.allocate(4 * MIB);
    other.allocate(4 * MIB);
    assertEquals(DeviceMemory.REFUSED, other.allocate(3 * MIB));
    assertEquals(DeviceMemory.REFUSED, other.allocate(2 * MIB + 1));
    assertTrue(other.allocate(2 * MIB - 255) != DeviceMemory.REFUSED);
  }
}
