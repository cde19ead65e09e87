package org.allocsim.simulator.policy.gmlake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.SimulatedDevice;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Random requests against the rules written out chunk by chunk. */
class GmLakeDifferentialTest {
  private static final long CHUNK = 2L << 20;

  private final Map<Long, Integer> segmentAt = new HashMap<>();
  private int segments;
  private NaiveGmLake naive;

  private final class Segments implements EffectListener {
    @Override
    public void segmentAllocated(long address, long bytes, int stream, boolean small) {
      segmentAt.put(address, segments++);
      naive.segmentLiesAt(address);
    }
  }

  /** Chunks that each allocation uses, by address, as the layout shows them. */
  private Map<Integer, List<String>> chunks(AllocatorPolicy policy) {
    MemoryLayout layout = MemoryLayout.of(policy);
    Map<Integer, List<String>> chunks = new HashMap<>();
    for (int s = 0; s < layout.segmentCount(); s++) {
      int segment = segmentAt.get(layout.segmentAddress(s));
      for (int b = layout.firstBlock(s); b < layout.firstBlock(s + 1); b++) {
        if (layout.state(b) != BlockState.INACTIVE) {
          int from = (int) ((layout.blockAddress(b) - layout.segmentAddress(s)) / CHUNK);
          for (int i = 0; i < layout.blockBytes(b) / CHUNK; i++) {
            chunks
                .computeIfAbsent(layout.allocation(b), id -> new ArrayList<>())
                .add(segment + ":" + (from + i));
          }
        }
      }
    }
    return chunks;
  }

  @ParameterizedTest
  @CsvSource({
    "1, 10, 100000, 1e9", "2, 10, 100000, 1.5", "3, 2, 100000, 1e9", "4, 30, 100000, 3",
    "5, 10, 400, 1e9", "6, 2, 300, 4", "7, 20, 250, 10", "8, 2, 500, 1e9"
  })
  void everyRequestIsServedAsTheRulesSay(int seed, int fragLimit, int capacity, double reuse) {
    naive = new NaiveGmLake(fragLimit, reuse, capacity);
    SimulatedDevice device = new SimulatedDevice(DeviceProfiles.ofCapacity(capacity * CHUNK));
    InvariantChecker checker = new InvariantChecker(capacity * CHUNK, true, true);
    GmLakeAllocator allocator =
        new GmLakeAllocator(
            new GmLakeSettings(true, fragLimit * CHUNK, reuse, 0, 1L << 60, false),
            -1,
            device,
            device.handleMemory().orElseThrow(),
            EffectListeners.both(checker, new Segments()));
    SplittableRandom random = new SplittableRandom(seed);
    List<Integer> live = new ArrayList<>();
    int reused = 0;
    int stitched = 0;
    for (int i = 0; i < 4000; i++) {
      if (!live.isEmpty() && random.nextInt(100) < (live.size() > 25 ? 60 : 45)) {
        int index = random.nextInt(live.size());
        int freed = live.set(index, live.getLast());
        live.removeLast();
        allocator.free(freed);
        naive.free(freed);
      } else {
        int chunks = random.nextInt(4) == 0 ? 1 + random.nextInt(60) : 5 * (1 + random.nextInt(6));
        long mapped = device.driverCalls(DriverCall.MAP);
        int before = segments;
        long address = allocator.allocate(i, chunks * CHUNK - 1, 0, 0);
        boolean served = address != AllocatorPolicy.OUT_OF_MEMORY;
        String how = naive.allocate(i, chunks);
        assertEquals(how != null, served, "request " + i);
        if (how != null) {
          live.add(i);
          boolean maps = device.driverCalls(DriverCall.MAP) > mapped;
          boolean makes = segments > before;
          assertEquals(how.equals("segment"), makes, i + " " + how);
          assertEquals(how.startsWith("stitched"), maps && !makes, i + " " + how);
          reused += how.startsWith("reused") ? 1 : 0;
          if (how.startsWith("stitched")) {
            stitched++;
            naive.stitchedLiesAt(i, address);
          }
        }
      }
      checker.check(allocator);
      Map<Integer, List<String>> shown = chunks(allocator);
      for (int allocation : live) {
        List<String> expected = new ArrayList<>(naive.chunkNames(allocation));
        List<String> actual = new ArrayList<>(shown.get(allocation));
        expected.sort(null);
        actual.sort(null);
        assertEquals(expected, actual, "allocation " + allocation + " after " + i);
      }
    }
    assertTrue(stitched > 20 && reused > 10, stitched + " stitched, " + reused + " reused");
  }
}
