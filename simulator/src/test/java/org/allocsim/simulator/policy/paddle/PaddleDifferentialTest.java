package org.allocsim.simulator.policy.paddle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.policy.NaiveComparison;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PaddleDifferentialTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void randomRequestsAreServedAsTheRulesSay(int seed) {
    AutoGrowthSettings settings =
        new AutoGrowthSettings(256, seed % 2 == 0 ? 0 : 2 * MIB, seed % 3 == 0, seed % 3 == 1, 0);
    NaiveComparison comparison =
        new NaiveComparison(
            seed,
            1,
            60 * MIB,
            4 * MIB,
            device -> new AutoGrowthAllocator(settings, -1, device, EffectListeners.NONE),
            device -> new NaivePaddle(settings, device));
    assertTrue(comparison.run(10_000) > 0, "no request failed");
  }
}
