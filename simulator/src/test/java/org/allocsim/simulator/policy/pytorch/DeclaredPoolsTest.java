package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.pytorch.conf.CachingAllocatorProvider;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.allocsim.simulator.trace.PoolOptions;
import org.allocsim.simulator.trace.StackTable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pools of a trace are made as it says. */
class DeclaredPoolsTest {
  private static final long MIB = 1L << 20;

  /** 46 of the cases: a free block of the pool serves the default pool where memory is out. */
  @ParameterizedTest
  @CsvSource({"true, true", "false, false"})
  void aPoolForEmergenciesServesTheDefaultPool(boolean useOnOom, boolean served) throws Exception {
    AllocatorPolicy policy = policy(new PoolOptions(useOnOom, false), 100 * MIB);
    policy.allocate(0, 8 * MIB, 0, 1);
    policy.allocate(1, 2 * MIB, 0, 1);
    policy.free(0);
    policy.allocate(2, 80 * MIB, 0, 0);
    long address = policy.allocate(3, 3 * MIB, 0, 0);
    assertEquals(served, address != AllocatorPolicy.OUT_OF_MEMORY);
  }

  @ParameterizedTest
  @CsvSource({"true, 2", "false, 1"})
  void blocksOfAPoolWithoutSplitsStayWhole(boolean noSplit, int segments) throws Exception {
    EffectText effects = new EffectText();
    AllocatorPolicy policy = policy(new PoolOptions(false, noSplit), 100 * MIB, effects);
    policy.allocate(0, 2 * MIB, 0, 1);
    policy.allocate(1, 2 * MIB, 0, 1);
    assertEquals(segments, effects.take().split("SA\\(", -1).length - 1);
  }

  private static AllocatorPolicy policy(PoolOptions options, long capacityBytes) throws Exception {
    return policy(options, capacityBytes, new EffectText());
  }

  private static AllocatorPolicy policy(PoolOptions options, long capacityBytes, EffectText effects)
      throws Exception {
    AllocationTrace.Builder trace = new AllocationTrace.Builder();
    trace.declarePool(PoolId.DEFAULT);
    trace.declarePool(new PoolId(0, 1), options);
    return new CachingAllocatorProvider()
        .create(
            new PolicySettings(-1, Map.of()),
            new FutureRequests(trace.build(StackTable.empty()), 0),
            new ScriptedDevice(capacityBytes),
            effects);
  }
}
