package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.InvariantChecker;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/**
 * The policy {@code direct} on the simulated device answers every recorded {@code cuMemAlloc} and
 * {@code cuMemFree} as the driver did: address, free memory, refusals. One address, the arena's,
 * differs between processes and is taken from the recording.
 */
class DirectRecordingTest {
  private static final long PAGE = DeviceProfile.PAGE_BYTES;

  /** What the process on the nearly full GPU took before its first recorded call. */
  private static final long FILLER_BYTES = 78_054L << 20;

  /**
   * The filler leaves a hole below the arena that takes the first block; its recorded address is
   * this many pages below the arena.
   */
  private static final long FIRST_BESIDE_FILLER_PAGES = 256;

  @ParameterizedTest
  @CsvSource({
    "drv_raw_1, h100-80gb, false, 3000, 1537, 0",
    "drv_raw_h200_1, h200, false, 2500, 1286, 0",
    "raw_near_1, h100-80gb, true, 3000, 1532, 9",
  })
  void everyOperationIsExact(
      String name, String profile, boolean filled, int operations, int addresses, int refusals) {
    JsonNode recording = DriverCallReplay.recording(name + ".json.xz");
    DeviceProfile named = ShippedProfiles.named(profile);
    long first = recording.get("ops").get(0).get(4).asLong();
    long arena = filled ? first + FIRST_BESIDE_FILLER_PAGES * PAGE : first;
    long top = arena - (named.arenaAddress() - named.topAddress());
    SimulatedDevice device = new SimulatedDevice(named.withAddresses(arena, top));
    if (filled) {
      device.allocate(FILLER_BYTES);
    }
    assertEquals(recording.get("total").asLong(), device.totalBytes());
    assertEquals(recording.get("free_at_start").asLong(), device.freeBytes());
    device.createStreams(2);
    DriverCallReplay.Sums sums = new DriverCallReplay.Sums();
    InvariantChecker checker = new InvariantChecker(InvariantChecker.UNLIMITED);
    AllocatorPolicy policy =
        DriverCallReplay.policy("direct", Map.of(), device, EffectListeners.both(sums, checker));
    long callsBefore = device.driverCalls();
    int done = 0;
    int served = 0;
    for (JsonNode operation : recording.get("ops")) {
      String where = name + ", operation " + done;
      switch (operation.get(0).asString()) {
        case "alloc" -> {
          long address = policy.allocate(operation.get(1).asInt(), operation.get(2).asLong(), 0, 0);
          assertEquals(operation.get(4).asLong(), address, where);
          served++;
        }
        case "oom" ->
            assertEquals(
                AllocatorPolicy.OUT_OF_MEMORY,
                policy.allocate(1_000_000, operation.get(1).asLong(), 0, 0),
                where);
        case "free" -> policy.free(operation.get(1).asInt());
        default -> throw new AssertionError("unknown operation " + operation);
      }
      DriverCallReplay.assertSameFreeBytes(operation, device, where);
      assertEquals(sums.requestedBytes, sums.reservedBytes, where);
      done++;
    }
    checker.check(policy);
    assertEquals(operations, done);
    assertEquals(addresses, served);
    assertEquals(refusals, sums.failures);
    assertEquals(operations, device.driverCalls() - callsBefore);
    assertEquals(operations - addresses - refusals, device.driverCalls(DriverCall.FREE));
  }
}
