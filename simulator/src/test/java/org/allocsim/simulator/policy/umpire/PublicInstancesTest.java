package org.allocsim.simulator.policy.umpire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.PolicyRun;
import org.allocsim.simulator.policy.PolicyTraits;
import org.allocsim.simulator.policy.PublicInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reference results of the specification, section 17.1, computed by a separately written model. */
class PublicInstancesTest {
  @ParameterizedTest
  @CsvSource({
    "A, 1024, 2550136992, 11, 10, 2569011200",
    "D, 1024, 1661993424, 30, 29, 1704984576",
    "E, 1024, 2216689824, 16, 15, 2235564032",
    "K, 1024, 3157262400, 5, 4, 3164602368",
    "resnet50, 1, 1652426736, 128, 127, 1830813696",
    "G_1, 1, 3087007888, 6, 5, 3097493504"
  })
  void quickPoolWithDefaults(
      String name, long sizeFactor, long peak, int obtained, int returned, long pages) {
    PolicyRun run =
        PolicyRun.of(
            "umpire-quick",
            Map.of(),
            PublicInstance.trace(name, sizeFactor),
            1L << 42,
            -1,
            PolicyTraits.USUAL,
            false);
    assertEquals(peak, run.peakReservedBytes());
    assertEquals(obtained, run.count(EffectKind.SEGMENT_ALLOC));
    assertEquals(returned, run.count(EffectKind.SEGMENT_FREE));
    assertEquals(pages, run.maxDeviceBytes());
  }
}
