package org.allocsim.simulator.policy.pinned;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.allocsim.simulator.effect.EffectListeners;
import org.allocsim.simulator.effect.HostMemoryListener;
import org.allocsim.simulator.policy.NaiveComparison;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PinnedHostDifferentialTest {
  private static final long MIB = 1 << 20;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6})
  void randomRequestsAreServedAsTheRulesSay(int seed) {
    HostSettings settings =
        switch (seed % 3) {
          case 0 -> HostSettings.DEFAULT;
          case 1 -> new HostSettings(MIB / 4, Long.MAX_VALUE, false);
          default -> new HostSettings(MIB / 4, MIB, false);
        };
    NaiveComparison comparison =
        new NaiveComparison(
            seed,
            seed,
            60 * MIB,
            4 * MIB,
            host ->
                new PinnedHostAllocator(
                    settings, -1, host, EffectListeners.NONE, HostMemoryListener.NONE),
            host -> new NaivePinnedHost(settings, host));
    assertTrue(comparison.run(20_000) > 0, "no request failed");
  }
}
