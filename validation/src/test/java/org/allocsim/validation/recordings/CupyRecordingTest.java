package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.LayoutVisitor.BlockState;
import org.allocsim.simulator.policy.MemoryLayout;
import org.allocsim.simulator.policy.cupy.CupyMemoryPool;
import org.allocsim.simulator.policy.cupy.TieBreak;
import org.allocsim.simulator.stats.MemoryStats;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The simulated CuPy pool hands out the very addresses that the real one (14.2.0) did, asks the
 * device when and for what it did, and holds the same bytes and free chunks after each operation.
 * Which of several chunks of equal size serves is taken from the recording; that the recorded one
 * is among them is checked.
 */
class CupyRecordingTest {
  /** Decides ties by the address that the recorded request got. */
  private static final class RecordedTies implements TieBreak {
    long address;
    int ties;

    @Override
    public int choose(long[] addresses, int count) {
      int chosen = Arrays.binarySearch(addresses, 0, count, address);
      assertTrue(chosen >= 0, "the recorded chunk is not among the smallest that fit");
      ties++;
      return chosen;
    }
  }

  /** Segments that the device was asked for, and the last failure. */
  private static final class Seen implements EffectListener {
    final List<String> segments = new ArrayList<>();
    OutOfMemory failure;

    @Override
    public void segmentAllocated(long address, long bytes, int stream, boolean small) {
      segments.add(bytes + " at " + address);
    }

    @Override
    public void outOfMemory(OutOfMemory outOfMemory) {
      failure = outOfMemory;
    }
  }

  static Stream<String> recordings() {
    return Recordings.list("cupy", ".json.xz");
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void everyOperationIsExact(String name) {
    JsonNode recording = Recordings.json(name);
    assertEquals("14.2.0", recording.get("cupy").asString());
    long limitMib = recording.get("limit_mib").asLong();
    RecordedAddresses device = new RecordedAddresses();
    RecordedTies ties = new RecordedTies();
    MemoryStats stats = new MemoryStats(-1);
    Seen seen = new Seen();
    CupyMemoryPool pool =
        new CupyMemoryPool(
            limitMib == 0 ? -1 : limitMib << 20, ties, device, EffectListeners.both(stats, seen));
    Map<Long, Integer> allocations = new HashMap<>();
    int requests = 0;
    int row = 0;
    for (JsonNode operation : recording.get("ops")) {
      String where = name + " operation " + row++;
      seen.segments.clear();
      switch (operation.get(0).asString()) {
        case "alloc" -> {
          allocations.put(operation.get(1).asLong(), requests);
          ties.address = operation.get(3).asLong();
          device.next(ties.address);
          assertEquals(
              ties.address, pool.allocate(requests++, operation.get(2).asLong(), 0, 0), where);
        }
        case "oom" -> {
          assertEquals(
              AllocatorPolicy.OUT_OF_MEMORY,
              pool.allocate(requests++, operation.get(1).asLong(), 0, 0),
              where);
          assertEquals(operation.get(2).asString(), message(seen.failure, stats), where);
        }
        case "free" -> pool.free(allocations.get(operation.get(1).asLong()));
        case "free_all_blocks" -> pool.emptyCache();
        default -> throw new AssertionError("unknown operation " + operation);
      }
      JsonNode state = operation.get(operation.size() - 1);
      if (state.isObject()) {
        List<String> segments = new ArrayList<>();
        state
            .get("device")
            .forEach(call -> segments.add(call.get(1).asLong() + " at " + call.get(2).asLong()));
        assertEquals(segments, seen.segments, where);
        assertEquals(state.get("used").asLong(), stats.allocatedBytes(), where);
        assertEquals(state.get("total").asLong(), stats.reservedBytes(), where);
        assertEquals(state.get("free_blocks").asInt(), freeChunks(pool), where);
      }
    }
    assertTrue(ties.ties > 0, "no tie was met");
  }

  private static int freeChunks(CupyMemoryPool pool) {
    MemoryLayout layout = MemoryLayout.of(pool);
    int count = 0;
    for (int block = 0; block < layout.blockCount(); block++) {
      count += layout.state(block) == BlockState.INACTIVE ? 1 : 0;
    }
    return count;
  }

  private static String message(OutOfMemory failure, MemoryStats stats) {
    return String.format(
        Locale.ROOT,
        "Out of memory allocating %,d bytes (allocated so far: %,d bytes, limit set to: %,d"
            + " bytes).",
        failure.roundedBytes(),
        stats.reservedBytes(),
        failure.limitBytes());
  }
}
