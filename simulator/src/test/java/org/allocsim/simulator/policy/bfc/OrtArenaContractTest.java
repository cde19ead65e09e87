package org.allocsim.simulator.policy.bfc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.allocsim.simulator.effect.EffectKind;
import org.allocsim.simulator.policy.PolicyContract;
import org.allocsim.simulator.policy.PolicyRun;
import org.allocsim.simulator.policy.PolicyTraits;
import org.allocsim.simulator.policy.RandomTraces;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Doubling regions. Shrinking keeps the first one. */
class OrtArenaContractTest extends PolicyContract {
  OrtArenaContractTest() {
    super("ort-arena");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  @Override
  protected void whatIsFreedAndEmptiedGoesBackToTheDevice(int seed) {
    PolicyRun run =
        PolicyRun.of(
            policyId(),
            options(),
            RandomTraces.emptied(seed, 400, 1),
            1L << 42,
            -1,
            PolicyTraits.USUAL,
            false);
    assertEquals(0, run.liveBytes());
    assertEquals(firstSegmentBytes(run), run.reservedBytes());
  }

  private static long firstSegmentBytes(PolicyRun run) {
    return run.effects()
        .lines()
        .filter(line -> line.startsWith(EffectKind.SEGMENT_ALLOC.action() + " "))
        .mapToLong(line -> Long.parseLong(line.split(" ")[2]))
        .findFirst()
        .orElseThrow();
  }
}
