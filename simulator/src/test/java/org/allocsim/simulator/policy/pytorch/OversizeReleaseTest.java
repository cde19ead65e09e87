package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.PolicyRun;
import org.allocsim.simulator.policy.PolicyTraits;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.junit.jupiter.api.Test;

/** Oversize blocks are released from the largest down, however many are cached. */
class OversizeReleaseTest {
  private static final long MIB = 1L << 20;
  private static final int BLOCKS = 600;
  private static final int MIN_MIB = 22;

  private static long bytes(int block) {
    return (MIN_MIB + 2L * block) * MIB;
  }

  @Test
  void everyCachedOversizeBlockIsReleasedOnTheWayDownThroughSparseLists() {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    int[] first = new int[BLOCKS];
    long total = 0;
    for (int block = 0; block < BLOCKS; block++) {
      first[block] = trace.allocate(bytes(block), 0, PoolId.DEFAULT);
      total += bytes(block);
    }
    for (int block = 0; block < BLOCKS; block++) {
      trace.free(first[block]);
    }
    long cached = 0;
    int cachedBlocks = 0;
    for (int block = 0; block < BLOCKS; block++) {
      if (block < 100 || block % 3 != 0) {
        trace.allocate(bytes(block), 0, PoolId.DEFAULT);
      } else {
        cached += bytes(block);
        cachedBlocks++;
      }
    }
    trace.allocate(cached, 0, PoolId.DEFAULT);
    PolicyRun run =
        PolicyRun.of(
            "pytorch",
            Map.of("conf", "max_split_size_mb:20,max_non_split_rounding_mb:20"),
            RandomTraces.build(trace),
            total,
            -1,
            PolicyTraits.USUAL,
            false);
    assertEquals(0, run.count(EffectKind.OOM));
    assertEquals(cachedBlocks, run.count(EffectKind.SEGMENT_FREE));
    assertEquals(BLOCKS + 1, run.count(EffectKind.SEGMENT_ALLOC));
  }
}
