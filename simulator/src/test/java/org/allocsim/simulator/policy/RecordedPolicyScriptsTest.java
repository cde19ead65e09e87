package org.allocsim.simulator.policy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests whose results were those of the source when they were recorded: ggml-org/ggml d99724f2,
 * ml-explore/mlx 846d1762, NVIDIA/cccl 571f2fc and cupy/cupy 6b6d956, all of August 2026,
 * rapidsai/rmm 5d50a37 of July 2026, LLNL/Umpire 5bf5bc1 of October 2024, PaddlePaddle 11ef52e,
 * onnxruntime 009aae1 and, for pinned memory, PyTorch 2.14.1, each with a device as that of {@link
 * PolicyScript}. A line is an operation and, after {@code =>}, its result.
 */
class RecordedPolicyScriptsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "bfc/ort-doubling",
        "bfc/ort-exact",
        "cub/bins",
        "cub/defaults",
        "cupy/device",
        "cupy/limit",
        "ggml-legacy",
        "ggml-legacy-streams",
        "ggml-vmm",
        "ggml-vmm-fine",
        "mlx-cuda-limits",
        "mlx-cuda-pools",
        "mlx-metal-limits",
        "mlx-metal-resources",
        "paddle/auto-growth",
        "paddle/auto-growth-flags",
        "pinned/exempt",
        "pinned/rounded",
        "rmm/arena",
        "rmm/arena-size-classes",
        "rmm/binning",
        "rmm/fixed",
        "rmm/pool-growing",
        "rmm/pool-maximum",
        "umpire/list-blocks",
        "umpire/list-percent",
        "umpire/quick-blocks",
        "umpire/quick-percent"
      })
  void thePolicyDoesWhatItsSourceDid(String script) {
    RecordedScript.check(PolicyScript.class, script + ".txt", PolicyScript::replay);
  }
}
