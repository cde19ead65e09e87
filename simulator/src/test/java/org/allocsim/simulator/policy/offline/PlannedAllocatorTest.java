package org.allocsim.simulator.policy.offline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicyOptionException;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.RandomTraces;
import org.allocsim.simulator.policy.UnfitTraceException;
import org.allocsim.simulator.policy.UpwardDevice;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.simulator.trace.PoolId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What plans and the bound answer and report, request by request. */
class PlannedAllocatorTest {
  private static final long BASE = 1 << 20;
  private static final long FAILED = AllocatorPolicy.OUT_OF_MEMORY;

  private final AllocationTrace.Builder trace = new AllocationTrace.Builder();
  private final List<OutOfMemory> failures = new ArrayList<>();
  private @Nullable AllocationTrace requests;
  private UpwardDevice device = new UpwardDevice(BASE, 1 << 30);

  private int request(long bytes) {
    return trace.allocate(bytes, 0, PoolId.DEFAULT);
  }

  private AllocatorPolicy policy(String id, long limitBytes, Map<String, String> options)
      throws PolicyOptionException, UnfitTraceException {
    if (requests == null) {
      requests = RandomTraces.build(trace);
    }
    EffectListener listener =
        new EffectListener() {
          @Override
          public void outOfMemory(OutOfMemory failure) {
            failures.add(failure);
          }
        };
    return Policies.named(id)
        .orElseThrow()
        .create(
            new PolicySettings(limitBytes, options),
            new FutureRequests(requests, 0),
            device,
            listener);
  }

  private AllocatorPolicy greedy(long limitBytes)
      throws PolicyOptionException, UnfitTraceException {
    return policy("plan-greedy-size", limitBytes, Map.of());
  }

  @Test
  void theSegmentIsAsHighAsThePlanAndSizesAreRoundedUp() throws Exception {
    int a = request(512);
    int b = request(1025);
    trace.free(b);
    int c = request(1);
    AllocatorPolicy policy = greedy(-1);
    assertEquals(BASE + 1536, policy.allocate(a, 512, 0, 0));
    assertEquals(BASE, policy.allocate(b, 1025, 0, 0));
    policy.free(b);
    assertEquals(BASE, policy.allocate(c, 1, 0, 0));
    assertEquals(List.of("allocate 2048"), device.calls());
  }

  @Test
  void aLimitOfJustThePlanHoldsItAndOneOfLessHoldsNothing() throws Exception {
    int a = request(512);
    int b = request(1024);
    AllocatorPolicy enough = greedy(1536);
    assertEquals(BASE + 1024, enough.allocate(a, 512, 0, 0));
    assertEquals(BASE, enough.allocate(b, 1024, 0, 0));
    AllocatorPolicy less = greedy(1535);
    assertEquals(FAILED, less.allocate(a, 512, 0, 0));
    assertEquals(List.of("allocate 1536"), device.calls(), "the second plan is not even asked for");
    assertEquals(512, failures.getFirst().requestedBytes());
    assertEquals(1536, failures.getFirst().segmentBytes());
  }

  @Test
  void aRequestThatNothingCouldHoldFailsAloneAndIsNotPlanned() throws Exception {
    int tooLarge = request(4097);
    int whole = request(4096);
    AllocatorPolicy policy = greedy(4096);
    assertEquals(FAILED, policy.allocate(tooLarge, 4097, 0, 0));
    assertEquals(4097, failures.getFirst().segmentBytes());
    assertEquals(BASE, policy.allocate(whole, 4096, 0, 0));
  }

  @Test
  void underALimitOfNothingEveryRequestFails() throws Exception {
    int a = request(512);
    assertEquals(FAILED, greedy(0).allocate(a, 512, 0, 0));
    assertEquals(FAILED, policy("max-live", 0, Map.of()).allocate(a, 512, 0, 0));
    assertEquals(List.of(), device.calls());
  }

  @Test
  void aRequestThatThePlanDoesNotKnowFails() throws Exception {
    int a = request(512);
    AllocatorPolicy policy = greedy(-1);
    assertEquals(FAILED, policy.allocate(a + 1, 512, 0, 0));
    assertEquals(BASE, policy.allocate(a, 512, 0, 0));
  }

  @Test
  void requestsInAnotherOrderThanPlannedEndTheRun() throws Exception {
    int wide = request(1024);
    trace.free(wide);
    int low = request(512);
    int high = request(512);
    AllocatorPolicy policy = greedy(-1);
    assertEquals(BASE + 512, policy.allocate(high, 512, 0, 0));
    assertThrows(IllegalStateException.class, () -> policy.allocate(wide, 1024, 0, 0));
    policy.allocate(low, 512, 0, 0);
    assertThrows(IllegalStateException.class, () -> policy.allocate(wide, 1024, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan-greedy-size", "plan-search"})
  void aDeviceThatDoesNotSayItsSizeGetsAllRequestsPlanned(String id) throws Exception {
    device = new UpwardDevice(BASE, -1);
    int a = request(1 << 20);
    AllocatorPolicy policy = policy(id, -1, Map.of());
    assertEquals(FAILED, policy.allocate(a, 1 << 20, 0, 0));
    assertEquals(List.of("allocate 1048576"), device.calls());
  }

  @Test
  void theLargestAlignmentIsOneGibibyte() throws Exception {
    int a = request(1);
    AllocatorPolicy policy = policy("plan-greedy-size", -1, Map.of("alignment", "1GiB"));
    assertEquals(BASE, policy.allocate(a, 1, 0, 0));
    assertEquals(List.of("allocate 1073741824"), device.calls());
    assertThrows(
        PolicyOptionException.class,
        () -> policy("plan-greedy-size", -1, Map.of("alignment", "2GiB")));
  }

  @Test
  void theBoundHoldsWhatIsLiveUpToTheLastByteOfTheDevice() throws Exception {
    device = new UpwardDevice(BASE, 1000);
    AllocatorPolicy policy = policy("max-live", -1, Map.of());
    policy.allocate(0, 600, 0, 0);
    policy.allocate(1, 400, 0, 0);
    assertEquals(List.of(), failures);
    policy.free(0);
    assertEquals(FAILED, policy.allocate(2, 601, 3, 0));
    assertEquals(List.of(new OutOfMemory(2, 601, 601, 601, 3, -1, 0, 600, 1000)), failures);
    policy.allocate(3, 600, 0, 0);
    assertEquals(1, failures.size());
    assertEquals(FAILED, policy.allocate(4, 1, 0, 0));
  }
}
