package org.allocsim.simulator.policy.cub;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.NaiveComparison;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CubDifferentialTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void randomRequestsAreServedAsTheRulesSay(int seed) {
    CubSettings settings =
        seed % 2 == 0 ? CubSettings.DEFAULT : new CubSettings(2, 4, 20, 20 * MIB);
    NaiveComparison comparison =
        new NaiveComparison(
            seed,
            seed,
            60 * MIB,
            4 * MIB,
            device -> new CachingDeviceAllocator(settings, -1, device, EffectListeners.NONE),
            device -> new NaiveCub(settings, device));
    assertTrue(comparison.run(20_000) > 0, "no request failed");
  }
}
