package org.allocsim.simulator.policy.rmm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PublicInstance;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reference results of the specification, section 17.1, computed by separately written models. */
class PublicInstancesTest {
  private static final long PAGE_BYTES = 2 << 20;

  @ParameterizedTest
  @CsvSource({
    "A, 1024, 3724541952, 8, 3726639104",
    "D, 1024, 2415919104, 9, 2418016256",
    "E, 1024, 3858759680, 7, 3860856832",
    "K, 1024, 3858759680, 5, 3860856832",
    "resnet50, 1, 2877292544, 8, 2883584000",
    "G_1, 1, 5235416064, 12, 5257560064"
  })
  void poolThatStartsEmpty(String name, long sizeFactor, long peak, int grown, long pages)
      throws Exception {
    Grown seen = new Grown();
    replay("rmm-pool", Map.of(), PublicInstance.trace(name, sizeFactor), seen);
    assertEquals(peak, seen.bytes);
    assertEquals(grown, seen.segments);
    assertEquals(pages, seen.pageBytes);
  }

  @ParameterizedTest
  @CsvSource({
    "A, 1024, 1647312896, 149",
    "D, 1024, 1576009728, 204",
    "E, 1024, 2028994560, 212",
    "K, 1024, 2152726528, 450",
    "resnet50, 1, 1534676992, 299",
    "G_1, 1, 3073192960, 201"
  })
  void arenaOf64GiB(String name, long sizeFactor, long highest, long streamSynchronizations)
      throws Exception {
    Grown seen = new Grown();
    ArenaMemoryResource arena =
        (ArenaMemoryResource)
            replay(
                "rmm-arena", Map.of("size", "64GiB"), PublicInstance.trace(name, sizeFactor), seen);
    assertEquals(highest, seen.highestEnd - seen.firstAddress);
    assertEquals(0, seen.synchronizations);
    assertEquals(streamSynchronizations, arena.streamSynchronizations());
  }

  private static AllocatorPolicy replay(
      String policyId, Map<String, String> options, AllocationTrace trace, EffectListener listener)
      throws Exception {
    AllocatorPolicy policy =
        Policies.named(policyId)
            .orElseThrow()
            .create(
                new PolicySettings(-1, options),
                FutureRequests.NONE,
                new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 42)),
                listener);
    new Replay(trace, 0, policy, EffectListeners.NONE, () -> 0).run(_ -> true);
    return policy;
  }

  /** Segments, none of which goes back, and the end of the highest block. */
  private static final class Grown implements EffectListener {
    private int synchronizations;
    int segments;
    long bytes;
    long pageBytes;
    long firstAddress;
    long highestEnd;

    @Override
    public void streamsSynchronized() {
      synchronizations++;
    }

    @Override
    public void segmentAllocated(long address, long segmentBytes, int stream, boolean small) {
      firstAddress = segments == 0 ? address : firstAddress;
      segments++;
      bytes += segmentBytes;
      pageBytes += (segmentBytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    }

    @Override
    public void segmentFreed(long address, long segmentBytes, int stream, boolean small) {
      throw new AssertionError("RMM returns nothing before its end");
    }

    @Override
    public void blockAllocated(
        int id, long address, long requested, long block, int stream, boolean small) {
      highestEnd = Math.max(highestEnd, address + block);
    }
  }
}
