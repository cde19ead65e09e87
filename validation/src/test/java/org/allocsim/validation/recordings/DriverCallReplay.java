package org.allocsim.validation.recordings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.Map;
import org.allocsim.simulator.device.DeviceMemory;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.UnfitTraceException;
import tools.jackson.databind.JsonNode;

/** What the recordings of driver calls have in common. */
final class DriverCallReplay {
  private DriverCallReplay() {}

  static JsonNode recording(String name) {
    String path = "cuda-driver/" + name;
    assumeTrue(
        Files.exists(Recordings.file(path)), "left out: no recording " + Recordings.file(path));
    return Recordings.json(path);
  }

  static AllocatorPolicy policy(
      String id, Map<String, String> options, DeviceMemory device, EffectListener listener) {
    try {
      return Policies.named(id)
          .orElseThrow()
          .create(new PolicySettings(-1, options), FutureRequests.NONE, device, listener);
    } catch (PolicyOptionException | UnfitTraceException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Free bytes that the driver reported after an operation; where it did not, nothing is compared.
   */
  static void assertSameFreeBytes(JsonNode operation, DeviceMemory device, String where) {
    JsonNode after = operation.get(operation.size() - 1);
    if (after.isObject()) {
      assertEquals(after.get("free").asLong(), device.freeBytes(), where + ": free bytes");
    }
  }

  /** Adds up what a policy reports. */
  static final class Sums implements EffectListener {
    long reservedBytes;
    long requestedBytes;
    int failures;

    @Override
    public void blockAllocated(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      requestedBytes += requested;
    }

    @Override
    public void freeRequested(
        int allocation, long address, long requested, long block, int stream, boolean small) {
      requestedBytes -= requested;
    }

    @Override
    public void segmentAllocated(long address, long bytes, int stream, boolean small) {
      reservedBytes += bytes;
    }

    @Override
    public void segmentFreed(long address, long bytes, int stream, boolean small) {
      reservedBytes -= bytes;
    }

    @Override
    public void segmentMapped(long address, long bytes, int stream, boolean small) {
      reservedBytes += bytes;
    }

    @Override
    public void segmentUnmapped(long address, long bytes, int stream, boolean small) {
      reservedBytes -= bytes;
    }

    @Override
    public void outOfMemory(OutOfMemory failure) {
      failures++;
    }
  }
}
