package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.Map;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.pinned.PinnedHostAllocator;
import org.allocsim.simulator.policy.pinned.PinnedHostProvider;
import org.allocsim.simulator.stats.HostMemoryStats;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * The simulated pinned-memory allocator reuses the very blocks that the real one did, asks for new
 * ones where it did, and has its statistics after each of 2 500 operations.
 */
class PinnedHostRecordingTest {
  private static final String OPERATIONS = "pytorch-other/host_fuzz.ops.json.xz";
  private static final String RESULT = "pytorch-other/host_fuzz.json.xz";

  @Test
  void everyOperationIsExact() throws Exception {
    assumeTrue(
        Files.exists(Recordings.file(OPERATIONS)),
        "left out: no recording of pinned memory at " + Recordings.file(OPERATIONS));
    RecordedAddresses host = new RecordedAddresses();
    HostMemoryStats hostStats = new HostMemoryStats();
    PinnedHostAllocator allocator =
        new PinnedHostProvider()
            .create(new PolicySettings(-1, Map.of()), host, EffectListeners.NONE, hostStats);
    int operations = 0;
    int reuses = 0;
    for (JsonNode operation : Recordings.json(OPERATIONS)) {
      String where = "operation " + operations;
      switch (operation.get(0).asString()) {
        case "alloc" -> {
          long address = operation.get(3).asLong();
          host.next(address);
          int calls = host.calls();
          assertEquals(
              address,
              allocator.allocate(operation.get(1).asInt(), operation.get(2).asLong(), 0, 0),
              where);
          reuses += host.calls() == calls ? 1 : 0;
        }
        case "free" -> allocator.free(operation.get(1).asInt());
        case "free_after_copy" -> {
          allocator.useStream(operation.get(1).asInt(), 0, operations);
          allocator.synchronize();
          allocator.free(operation.get(1).asInt());
        }
        case "empty_cache" -> allocator.emptyCache();
        default -> throw new AssertionError("unknown operation " + operation);
      }
      Map<String, Long> stats = hostStats.toMap();
      operation
          .get(operation.size() - 1)
          .forEachEntry(
              (key, value) -> assertEquals(value.asLong(), stats.get(key), where + ": " + key));
      operations++;
    }
    assertEquals(2500, operations);
    assertEquals(837, reuses);
    assertEquals(418, host.calls());
    JsonNode result = Recordings.json(RESULT).get("host_stats");
    hostStats.toMap().forEach((key, value) -> assertEquals(result.get(key).asLong(), value, key));
  }
}
