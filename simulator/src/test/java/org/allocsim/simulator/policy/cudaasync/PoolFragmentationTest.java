package org.allocsim.simulator.policy.cudaasync;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.junit.jupiter.api.Test;

/**
 * The shape of rapidsai/rmm#1245: a pool that reserves a whole GPU of 84 490 059 776 bytes, of
 * which 53 514 136 688 are used by many blocks of 2^18 to 2^19 bytes, refuses 132 870 728 bytes.
 */
class PoolFragmentationTest {
  private static final long CARD_BYTES = 84_490_059_776L;
  private static final double USED_SHARE = 53_514_136_688.0 / CARD_BYTES;
  private static final long REFUSED_BYTES = 132_870_728L;
  private static final long CHUNK_BYTES = 32L << 20;

  @Test
  void smallBlocksThatStayKeepAPoolFromServingALargeOneThoughAThirdOfItIsFree() {
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(CARD_BYTES));
    StreamOrderedMemory pool = device.streamOrdered().orElseThrow();
    pool.setReleaseThreshold(StreamOrderedMemory.KEEP_ALL);
    AllocatorPolicy policy = new CudaAsyncAllocator(-1, device, pool, EffectListeners.NONE);
    SplittableRandom random = new SplittableRandom(1245);
    int allocation = 0;
    while (true) {
      long stays = random.nextLong(1 << 18, 1 << 19);
      long goes = (long) (stays * (1 - USED_SHARE) / USED_SHARE);
      if (policy.allocate(allocation, stays, 0, 0) == AllocatorPolicy.OUT_OF_MEMORY
          || policy.allocate(allocation + 1, goes, 0, 0) == AllocatorPolicy.OUT_OF_MEMORY) {
        break;
      }
      allocation += 2;
    }
    for (int each = 1; each < allocation; each += 2) {
      policy.free(each);
    }
    policy.synchronize();
    assertEquals(CARD_BYTES / CHUNK_BYTES * CHUNK_BYTES, pool.poolReservedBytes());
    double used = (double) pool.poolUsedBytes() / pool.poolReservedBytes();
    assertEquals(USED_SHARE, used, 0.001);
    assertTrue(pool.poolReservedBytes() - pool.poolUsedBytes() > 200 * REFUSED_BYTES);
    assertEquals(AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(allocation, REFUSED_BYTES, 0, 0));
    for (int each = 0; each < allocation; each += 2) {
      policy.free(each);
    }
    policy.synchronize();
    assertNotEquals(
        AllocatorPolicy.OUT_OF_MEMORY, policy.allocate(allocation + 1, REFUSED_BYTES, 0, 0));
  }
}
