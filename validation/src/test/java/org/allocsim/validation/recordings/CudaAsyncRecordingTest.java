package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.device.StreamOrderedMemory;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.cudaasync.CudaAsyncAllocator;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * The policy {@code cuda-async} on the simulated device answers every recorded stream-ordered call
 * as the driver did: address, reserved and used bytes, free memory, refusals. The simulation sees
 * the calls only and runs freely through each recording.
 */
class CudaAsyncRecordingTest {
  private static final long MAX = -1;

  /** Operations between two checks of the whole layout. */
  private static final int CHECK_INTERVAL = 50;

  @ParameterizedTest
  @CsvSource({
    "drv_async_1, 0, 3000, 1529, 0",
    "drv_async_multi_1, 0, 3000, 1512, 0",
    "drv_async_max_1, max, 3000, 1529, 0",
    "drv_async_max_multi_1, max, 3000, 1512, 0",
    "async2_t0_s1_1, 0, 3008, 1523, 0",
    "async2_t0_s1_2, 0, 3014, 1511, 0",
    "async2_t0_s3_1, 0, 3007, 1520, 0",
    "async2_t0_s3_2, 0, 3012, 1503, 0",
    "async2_t512_s1_1, 512MiB, 3008, 1523, 0",
    "async2_t512_s1_2, 512MiB, 3014, 1511, 0",
    "async2_t512_s3_1, 512MiB, 3007, 1520, 0",
    "async2_t512_s3_2, 512MiB, 3012, 1503, 0",
    "async2_max_s3_cross_1, max, 3011, 1499, 0",
    "async2_max_s3_cross_2, max, 3007, 1490, 0",
    "async2_max_s1_near_1, max, 3006, 1463, 106",
    "async2_max_s1_near_2, max, 3013, 1465, 64",
    "async2_t0_s3_near_1, 0, 3008, 1475, 45",
    "async2_t0_s3_near_2, 0, 3011, 1484, 23",
  })
  void everyOperationIsExact(
      String name, String threshold, int operations, int addresses, int refusals) {
    JsonNode recording = DriverCallReplay.recording(name + ".json.xz");
    Replay replay = new Replay(recording, threshold);
    int done = 0;
    for (JsonNode operation : recording.get("ops")) {
      replay.follow(operation, name + ", operation " + done);
      done++;
      if (done % CHECK_INTERVAL == 0) {
        replay.check();
      }
    }
    replay.check();
    assertEquals(operations, done);
    assertEquals(addresses, replay.addresses);
    assertEquals(refusals, replay.sums.failures);
    assertEquals(addresses + refusals, replay.device.driverCalls(DriverCall.ALLOCATE_ASYNC));
    assertEquals(replay.frees, replay.device.driverCalls(DriverCall.FREE_ASYNC));
  }

  /** One recorded process, simulated. */
  private static final class Replay {
    final SimulatedDevice device = new SimulatedDevice(ShippedProfiles.named("h100-80gb"));
    final DriverCallReplay.Sums sums = new DriverCallReplay.Sums();
    final InvariantChecker checker = new InvariantChecker(InvariantChecker.UNLIMITED, false);
    final StreamOrderedMemory pool = device.streamOrdered().orElseThrow();
    final AllocatorPolicy policy;
    int addresses;
    int frees;

    Replay(JsonNode recording, String threshold) {
      assertEquals(recording.get("total").asLong(), device.totalBytes());
      assertEquals(recording.get("free_at_start").asLong(), device.freeBytes());
      boolean singleSynchronizations = recording.has("streams");
      // The other recorder made two streams beside the default one, whatever it used.
      device.createStreams(singleSynchronizations ? recording.get("streams").asInt() : 2);
      long leftMib = singleSynchronizations ? recording.get("leave_mib").asLong() : 0;
      if (leftMib > 0) {
        device.allocate(recording.get("free_at_start").asLong() - (leftMib << 20));
      }
      if (singleSynchronizations) {
        long recorded = recording.get("threshold").asLong();
        assertEquals(
            recorded == MAX ? "max" : (recorded >> 20) + "MiB",
            threshold.equals("0") ? "0MiB" : threshold);
      }
      policy =
          DriverCallReplay.policy(
              "cuda-async",
              Map.of("release-threshold", threshold),
              device,
              EffectListeners.both(sums, checker));
    }

    void follow(JsonNode operation, String where) {
      switch (operation.get(0).asString()) {
        case "alloc" -> {
          assertEquals(
              operation.get(4).asLong(),
              policy.allocate(
                  operation.get(1).asInt(), operation.get(2).asLong(), operation.get(3).asInt(), 0),
              where);
          addresses++;
        }
        case "oom" ->
            assertEquals(
                AllocatorPolicy.OUT_OF_MEMORY,
                policy.allocate(1_000_000, operation.get(1).asLong(), operation.get(2).asInt(), 0),
                where);
        case "free" -> {
          policy.free(operation.get(1).asInt(), operation.get(2).asInt());
          frees++;
        }
        case "sync" -> {
          policy.synchronizeStream(0);
          policy.synchronizeStream(1);
          policy.synchronizeStream(2);
        }
        case "sync_stream" -> policy.synchronizeStream(operation.get(1).asInt());
        case "sync_device" -> policy.synchronize();
        case "trim" -> ((CudaAsyncAllocator) policy).trim(operation.get(1).asLong());
        default -> throw new AssertionError("unknown operation " + operation);
      }
      DriverCallReplay.assertSameFreeBytes(operation, device, where);
      JsonNode after = operation.get(operation.size() - 1);
      if (after.isObject()) {
        long reserved = after.get("reserved").asLong();
        assertEquals(reserved, pool.poolReservedBytes(), where + ": reserved bytes");
        assertEquals(reserved, sums.reservedBytes, where + ": reported as reserved");
        long used = after.get("used").asLong();
        assertEquals(used, pool.poolUsedBytes(), where + ": used bytes");
        assertEquals(used, sums.requestedBytes, where + ": reported as allocated");
      }
    }

    void check() {
      checker.check(policy);
    }
  }
}
