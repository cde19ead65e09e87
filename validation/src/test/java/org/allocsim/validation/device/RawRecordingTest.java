package org.allocsim.validation.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.cost.DriverCall;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * The simulated device answers 8 500 recorded raw driver calls as the driver did. The recording
 * process created two streams beside the default one. The simulation sees the calls only; one
 * address anchors the arena, and the top lies below it as in all processes of that card.
 */
class RawRecordingTest {
  private static final long PAGE = DeviceProfile.PAGE_BYTES;

  /** What {@code raw_near_1} took before its first recorded call. */
  private static final long FILLER_BYTES = 78_054L << 20;

  @Test
  void everyCallOnH100IsExact() throws IOException {
    JsonNode recording = RecordingFiles.read("cuda-driver", "drv_raw_1.json.xz");
    long arena = firstAddress(recording);
    SimulatedDevice device = deviceLike("h100-80gb", recording, arena, 244);
    assertEquals(recording.get("free_at_start").asLong(), device.freeBytes());
    device.createStreams(2);
    replay(recording, device, 3000, 0);
  }

  @Test
  void everyCallOnH200IsExact() throws IOException {
    JsonNode recording = RecordingFiles.read("cuda-driver", "drv_raw_h200_1.json.xz");
    long arena = firstAddress(recording);
    SimulatedDevice device = deviceLike("h200", recording, arena, 260);
    assertEquals(recording.get("free_at_start").asLong(), device.freeBytes());
    device.createStreams(2);
    replay(recording, device, 2500, 0);
  }

  /**
   * The filler leaves a hole at the end of its reservation, 244 pages below the arena. The page of
   * the streams takes the start of that hole, the first block the page after it.
   */
  @Test
  void everyCallOnANearlyFullH100IsExactRefusalsIncluded() throws IOException {
    JsonNode recording = RecordingFiles.read("cuda-driver", "raw_near_1.json.xz");
    long arena = firstAddress(recording) + 256 * PAGE;
    SimulatedDevice device = deviceLike("h100-80gb", recording, arena, 244);
    device.allocate(FILLER_BYTES);
    assertEquals(recording.get("free_at_start").asLong(), device.freeBytes());
    device.createStreams(2);
    replay(recording, device, 3000, 9);
  }

  private static SimulatedDevice deviceLike(
      String profile, JsonNode recording, long arena, long topDistancePages) {
    DeviceProfile named = ShippedProfiles.named(profile);
    assertEquals(recording.get("total").asLong(), named.totalBytes());
    assertEquals(
        topDistancePages * PAGE,
        named.arenaAddress() - named.topAddress(),
        "the built-in profile has the distance of the recorded process");
    return new SimulatedDevice(named.withAddresses(arena, arena - topDistancePages * PAGE));
  }

  private static void replay(
      JsonNode recording, SimulatedDevice device, int expectedCalls, int expectedRefusals) {
    Map<Integer, long[]> live = new HashMap<>();
    int calls = 0;
    int refusals = 0;
    long allocations = device.driverCalls(DriverCall.ALLOCATE);
    for (JsonNode call : recording.get("ops")) {
      String where = "call " + calls;
      switch (call.get(0).asString()) {
        case "alloc" -> {
          long bytes = call.get(2).asLong();
          long address = device.allocate(bytes);
          assertEquals(call.get(4).asLong(), address, where);
          live.put(call.get(1).asInt(), new long[] {address, bytes});
          allocations++;
        }
        case "free" -> {
          long[] block = live.remove(call.get(1).asInt());
          device.free(block[0], block[1]);
        }
        case "oom" -> {
          assertEquals(DeviceMemory.REFUSED, device.allocate(call.get(1).asLong()), where);
          refusals++;
          allocations++;
        }
        default -> throw new AssertionError("unknown call " + call);
      }
      JsonNode after = call.get(call.size() - 1);
      if (after.isObject()) {
        assertEquals(after.get("free").asLong(), device.freeBytes(), where);
      }
      calls++;
    }
    assertEquals(expectedCalls, calls);
    assertEquals(expectedRefusals, refusals);
    assertEquals(allocations, device.driverCalls(DriverCall.ALLOCATE));
  }

  private static long firstAddress(JsonNode recording) {
    return recording.get("ops").get(0).get(4).asLong();
  }
}
