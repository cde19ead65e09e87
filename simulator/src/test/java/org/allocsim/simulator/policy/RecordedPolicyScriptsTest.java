package org.allocsim.simulator.policy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests whose results were those of the source when they were recorded: ggml-org/ggml d99724f2
 * and ml-explore/mlx 846d1762, both of August 2026, each with a device as that of {@link
 * PolicyScript}. A line is an operation and, after {@code =>}, its result.
 */
class RecordedPolicyScriptsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ggml-legacy",
        "ggml-legacy-streams",
        "ggml-vmm",
        "ggml-vmm-fine",
        "mlx-cuda-limits",
        "mlx-cuda-pools",
        "mlx-metal-limits",
        "mlx-metal-resources"
      })
  void thePolicyDoesWhatItsSourceDid(String script) {
    RecordedScript.check(PolicyScript.class, script + ".txt", PolicyScript::replay);
  }
}
