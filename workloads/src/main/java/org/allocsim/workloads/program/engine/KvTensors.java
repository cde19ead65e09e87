package org.allocsim.workloads.program.engine;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/**
 * The tensors of a paged cache: one for each layer of a group, which a layer of every other group
 * shares, all with as many blocks as the memory allows.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code v1/core/kv_cache_utils.py}, {@code get_kv_cache_config}.
 */
final class KvTensors {
  private final Torch torch;
  private final long blocks;
  private final List<Long> blockBytes;
  private final List<Tensor> tensors = new ArrayList<>();

  /**
   * A cache that is not allocated.
   *
   * @param blockBytes bytes of a block in each of its tensors
   * @param availableBytes memory for all of it
   */
  KvTensors(Torch torch, List<Long> blockBytes, long availableBytes) {
    this.torch = torch;
    this.blockBytes = blockBytes;
    long allBytes = blockBytes.stream().mapToLong(Long::longValue).sum();
    blocks = Math.max(0, availableBytes) / allBytes;
  }

  /** Blocks that every tensor has. */
  long blocks() {
    return blocks;
  }

  void allocate() {
    torch.device().enter("vllm/v1/worker/gpu_model_runner.py", "_allocate_kv_cache_tensors");
    for (long bytes : blockBytes) {
      tensors.add(Elementwise.filled(torch, DType.UINT8, blocks * bytes));
    }
    torch.device().leave();
  }

  void release() {
    tensors.forEach(Tensor::release);
    tensors.clear();
  }
}
