package org.allocsim.validation.instances;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How high the heaps of the classics and planners become, to the byte, with units of one byte. */
class HeapHeightsTest {
  /** Ends of the blocks above the start of the only segment. */
  private static final class Height implements EffectListener {
    long base = -1;
    long bytes;

    @Override
    public void segmentMapped(long address, long size, int stream, boolean small) {
      base = base < 0 ? address : base;
    }

    @Override
    public void segmentAllocated(long address, long size, int stream, boolean small) {
      base = base < 0 ? address : base;
    }

    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      bytes = Math.max(bytes, address + block - base);
    }
  }

  private static long height(String policy, Map<String, String> options, AllocationTrace trace)
      throws Exception {
    Height height = new Height();
    InvariantChecker checker = new InvariantChecker(1L << 40, !policy.equals("buddy"));
    AllocatorPolicy allocator =
        Policies.named(policy)
            .orElseThrow()
            .create(
                new PolicySettings(-1, options),
                new FutureRequests(trace, 0),
                new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 40)),
                EffectListeners.all(height, checker));
    new Replay(trace, 0, allocator, EffectListeners.NONE, () -> 0)
        .run(event -> {
          if (trace.eventCount() < 5000) {
            checker.check(allocator);
          }
          return true;
        });
    checker.check(allocator);
    return height.bytes;
  }

  @ParameterizedTest
  @CsvSource({
    "A, 1048576, 1374208, 1608704, 1837056, 1837056, 2060288, 3145728",
    "B, 1048576, 1412096, 1775616, 1775616, 1775616, 2001920, 3145728",
    "C, 1039360, 1417216, 1769472, 1822720, 1932288, 2034688, 4194304",
    "D, 986112, 1315840, 1547264, 1468416, 1498112, 1754112, 2359296",
    "E, 1048576, 1469440, 1981440, 1945600, 1892352, 2259968, 2621440",
    "F, 1048576, 1441792, 1277952, 1281024, 1235968, 1356800, 1703936",
    "G, 1048576, 1396736, 1343488, 1277952, 1413120, 1315840, 1835008",
    "H, 1048576, 1421312, 1299456, 1229824, 1238016, 1311744, 1835008",
    "I, 1048576, 1478656, 1629184, 1840128, 1737728, 1948672, 3145728",
    "J, 989184, 1333248, 1587200, 1617920, 1716224, 1825792, 2621440",
    "K, 1048576, 1391616, 2102272, 1892352, 1941504, 2172928, 4194304",
    "G_1, 3030937746, 3030940307, 3057964734, 3040663228, 3053246141, 3057964734, 5368709120",
    "resnet50, 1515472556, 1525964460, 1528512004, 1520092676, 1541516804, 1548795396, 2013265920",
    "example, 12, 12, 12, 12, 12, 12, 768"
  })
  void heightsAreThoseOfTheReferenceModels(
      String name, long live, long greedy, long first, long best, long next, long worst, long buddy)
      throws Exception {
    AllocationTrace trace = Instances.trace(name);
    List<Long> heights = new ArrayList<>();
    heights.add(height("plan-greedy-size", Map.of("alignment", "1"), trace));
    for (String policy : List.of("first-fit", "best-fit", "next-fit", "worst-fit")) {
      heights.add(height(policy, Map.of("unit", "1"), trace));
    }
    heights.add(height("buddy", Map.of(), trace));
    assertEquals(List.of(greedy, first, best, next, worst, buddy), heights, name);
    assertEquals(
        best, height("plan-greedy-size", Map.of("alignment", "1", "order", "time"), trace));
    assertTrue(live <= heights.stream().mapToLong(Long::longValue).min().orElseThrow());
  }

  @ParameterizedTest
  @CsvSource({
    "A, 1048576",
    "B, 1048576",
    "C, 1048576",
    "D, 1048576",
    "E, 1048576",
    "F, 1048576",
    "G, 1048576",
    "H, 1048576",
    "I, 1048576",
    "J, 1048576",
    "K, 1048576"
  })
  void theSearchReachesTheCapacityOfEveryMiniMallocProblem(String name, long capacity)
      throws Exception {
    AllocationTrace trace = Instances.trace(name);
    long height = height("plan-search", Map.of("alignment", "1"), trace);
    assertTrue(height <= capacity, () -> name + " " + height);
  }
}
