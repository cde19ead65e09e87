package org.allocsim.simulator.policy.pytorch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.policy.AllocatorPolicy;
import org.allocsim.simulator.policy.FutureRequests;
import org.allocsim.simulator.policy.PolicyProvider;
import org.allocsim.simulator.policy.PolicySettings;
import org.allocsim.simulator.policy.pytorch.conf.CachingAllocatorProvider;
import org.allocsim.simulator.policy.pytorch.conf.XpuAllocatorProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XpuAllocatorTest {
  private static String effects(PolicyProvider provider, Map<String, String> options)
      throws Exception {
    EffectText effects = new EffectText();
    AllocatorPolicy policy =
        provider.create(
            new PolicySettings(-1, options),
            FutureRequests.NONE,
            new ScriptedDevice(ScriptedDevice.UNLIMITED_BYTES),
            effects);
    for (int i = 0; i < 60; i++) {
      policy.allocate(i, 3_000_000L * (1 + i % 7), i % 2, 0);
      if (i % 3 == 2) {
        policy.free(i - 2);
      }
    }
    policy.emptyCache();
    return effects.take();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void itDecidesAsCudasUpTo212(boolean expandable) throws Exception {
    assertEquals(
        effects(
            new CachingAllocatorProvider(),
            Map.of(
                "torch-version",
                "2.12",
                "conf",
                "expandable_segments:" + (expandable ? "True" : "False"))),
        effects(
            new XpuAllocatorProvider(),
            Map.of("expandable-segments", Boolean.toString(expandable))));
  }
}
