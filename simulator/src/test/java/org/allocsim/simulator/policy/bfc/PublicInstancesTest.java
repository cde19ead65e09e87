package org.allocsim.simulator.policy.bfc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.PublicInstance;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.trace.AllocationTrace;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Peaks of what is asked of the device, of its pages, and the number of calls over public instances
 * are those of independent models (section 17.1 of the specification of the policies).
 */
class PublicInstancesTest {
  private static final long UNBOUNDED = 1L << 60;

  @ParameterizedTest
  @CsvSource({
    "A,1024,2155872256,2155872256,7",
    "D,1024,2147483648,2147483648,8",
    "E,1024,2151677952,2151677952,6",
    "K,1024,4445962240,4445962240,5",
    "resnet50,1,2147483648,2147483648,7",
    "G_1,1,4464836608,4464836608,8"
  })
  void bfcWithGrowth(String name, long factor, long bytes, long pageBytes, int calls)
      throws PolicyOptionException, UnfitTraceException {
    check("bfc", Map.of("preallocate", "false"), name, factor, bytes, pageBytes, calls);
  }

  @ParameterizedTest
  @CsvSource({
    "A,1024,2155872256,2155872256,7",
    "D,1024,2147483648,2147483648,8",
    "E,1024,2151677952,2151677952,6",
    "K,1024,3372220416,3372220416,5",
    "resnet50,1,2147483648,2147483648,7",
    "G_1,1,4465885184,4466933760,9"
  })
  void ortWithDoublingRegions(String name, long factor, long bytes, long pageBytes, int calls)
      throws PolicyOptionException, UnfitTraceException {
    check("ort-arena", Map.of(), name, factor, bytes, pageBytes, calls);
  }

  @ParameterizedTest
  @CsvSource({
    "A,1024,2544893952,2556428288,28",
    "D,1024,1778384896,1818230784,68",
    "E,1024,3317694464,3330277376,28",
    "K,1024,3694133248,3699376128,10",
    "resnet50,1,1680711680,2101346304,261",
    "G_1,1,3071074816,3380609024,174"
  })
  void ortSameAsRequested(String name, long factor, long bytes, long pageBytes, int calls)
      throws PolicyOptionException, UnfitTraceException {
    Map<String, String> options = Map.of("arena-extend-strategy", "kSameAsRequested");
    check("ort-arena", options, name, factor, bytes, pageBytes, calls);
  }

  private static void check(
      String policyId,
      Map<String, String> options,
      String name,
      long factor,
      long bytes,
      long pageBytes,
      int calls)
      throws PolicyOptionException, UnfitTraceException {
    AllocationTrace trace = PublicInstance.trace(name, factor);
    ListedDevice device = new ListedDevice(UNBOUNDED);
    AllocatorPolicy policy =
        Policies.named(policyId)
            .orElseThrow()
            .create(
                new PolicySettings(UNBOUNDED, options),
                FutureRequests.NONE,
                device,
                EffectListeners.NONE);
    new Replay(trace, 0, policy, EffectListeners.NONE, () -> 0).run(event -> true);
    // Nothing goes back, so that the end is the peak.
    assertEquals(calls, device.calls.size());
    assertEquals(bytes, device.takenBytes());
    assertEquals(pageBytes, device.pageBytes());
  }
}
