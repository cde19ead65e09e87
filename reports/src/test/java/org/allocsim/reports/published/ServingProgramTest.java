package org.allocsim.reports.published;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.simulator.device.simulated.SimulatedDevice;
import org.allocsim.simulator.effect.EffectListener;
import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.OutOfMemory;
import org.allocsim.simulator.engine.Replay;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.Policies;
import org.allocsim.simulator.policy.PolicySettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers of language models as workloads. */
class ServingProgramTest {
  private static final int SLOTS = 16 * 200;

  static AllocatorPolicy cache(int blocks, EffectListener listener) throws Exception {
    return Policies.named("paged-kv")
        .orElseThrow()
        .create(
            new PolicySettings(
                -1, Map.of("num-blocks", Integer.toString(blocks), "token-bytes", "1KiB")),
            FutureRequests.NONE,
            new SimulatedDevice(DeviceProfiles.ofCapacity(1L << 34)),
            listener);
  }

  @ParameterizedTest
  @EnumSource(KvReservation.class)
  void sharesAddUpAndTheSeedDecides(KvReservation reservation) throws Exception {
    KvUse use = run(reservation, 3);
    assertEquals(1, use.tokens() + use.future() + use.internal() + use.external(), 1e-12);
    assertTrue(use.external() >= 0, "no more is set aside than there is");
    KvUse again = run(reservation, 3);
    assertEquals(use.tokens(), again.tokens());
    assertEquals(use.trace().eventCount(), again.trace().eventCount());
    assertTrue(use.tokens() != run(reservation, 4).tokens());
  }

  private static KvUse run(KvReservation reservation, long seed) throws Exception {
    TokenLengths lengths = new TokenLengths(40, 80, 1, 512);
    ServingProgram program =
        reservation == KvReservation.PAGED
            ? new ServingProgram(lengths, cache(201, EffectListeners.NONE), SLOTS, 1024, seed)
            : new ServingProgram(reservation, lengths, SLOTS, 1024, seed);
    return program.run(100, 1000);
  }

  @Test
  void theTraceIsGrantedAgain() throws Exception {
    KvUse use = run(KvReservation.PAGED, 1);
    assertTrue(use.preemptions() > 0, "memory must have run out");
    int[] failures = {0};
    AllocatorPolicy cache =
        cache(
            201,
            new EffectListener() {
              @Override
              public void outOfMemory(OutOfMemory failure) {
                failures[0]++;
              }
            });
    new Replay(use.trace(), 0, cache, EffectListeners.NONE, () -> 0).run(event -> true);
    assertEquals(0, failures[0]);
  }

  @Test
  void kv6TheMaximumLeavesWhatIsNotWrittenUnused() {
    assertEquals(2038, KvReservation.MAXIMUM.slots(5, 5, 2048) - 10);
    TokenLengths ten = new TokenLengths(1e-9, 1e-9, 1, 2048);
    KvUse use = new ServingProgram(KvReservation.MAXIMUM, ten, 2048, 1, 1).run(0, 10);
    assertEquals(2046, Math.round(use.internal() * 2048), "a prompt and an output of one token");
  }

  @Test
  void aPowerOfTwoIsAtMostTwiceTheOutput() {
    assertEquals(7 + 32, KvReservation.POWER_OF_TWO.slots(7, 25, 2048));
    assertEquals(7 + 32, KvReservation.POWER_OF_TWO.slots(7, 32, 2048));
    assertEquals(7 + 1, KvReservation.POWER_OF_TWO.slots(7, 1, 2048));
    assertEquals(2048, KvReservation.POWER_OF_TWO.slots(1000, 1030, 2048));
  }

  @Test
  void buddiesNeverOverlapAndMergeAgain() {
    int slots = 1000;
    BuddySlots buddies = new BuddySlots(slots);
    SplittableRandom random = new SplittableRandom(7);
    boolean[] used = new boolean[slots];
    Map<Integer, Integer> live = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      if (random.nextBoolean() && !live.isEmpty()) {
        int first = live.keySet().iterator().next();
        int size = live.remove(first);
        buddies.release(first, size);
        for (int slot = first; slot < first + size; slot++) {
          used[slot] = false;
        }
      } else {
        int size = 1 + random.nextInt(200);
        int first = buddies.take(size);
        if (first != BuddySlots.NONE) {
          live.put(first, size);
          for (int slot = first; slot < first + size; slot++) {
            assertTrue(!used[slot]);
            used[slot] = true;
          }
        }
      }
    }
    live.forEach(buddies::release);
    assertEquals(0, buddies.take(512));
    assertEquals(512, buddies.take(256));
    assertEquals(768, buddies.take(128));
  }

  @Test
  void lengthsHaveTheMeansThatWereAskedFor() {
    TokenLengths lengths = new TokenLengths(161.31, 337.99, 1.14, 1 << 20);
    SplittableRandom random = new SplittableRandom(1);
    double prompts = 0;
    double outputs = 0;
    double squares = 0;
    int count = 200_000;
    for (int i = 0; i < count; i++) {
      int prompt = lengths.promptTokens(random);
      prompts += prompt;
      double output = lengths.outputTokens(random, prompt);
      outputs += output;
      squares += output * output;
    }
    assertEquals(161.31, prompts / count, 1.5);
    assertEquals(337.99, outputs / count, 2.5);
    assertEquals(1.77, squares * count / (outputs * outputs), 0.02);
  }
}
