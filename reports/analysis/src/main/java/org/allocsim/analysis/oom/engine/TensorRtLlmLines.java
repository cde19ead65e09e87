package org.allocsim.analysis.oom.engine;

import static org.allocsim.analysis.oom.engine.EngineLine.ASSIGNED;
import static org.allocsim.analysis.oom.engine.EngineLine.COUNT;
import static org.allocsim.analysis.oom.engine.EngineLine.RATIO;
import static org.allocsim.analysis.oom.engine.EngineLine.SIZE;

import java.util.List;
import org.allocsim.analysis.oom.engine.EngineLine.Unit;

/**
 * What TensorRT-LLM prints, 0.9 to 1.2: {@code kvCacheManager.cpp} of its engines, {@code
 * _torch/pyexecutor/_util.py} and {@code resource_manager.py} of its PyTorch backend.
 */
final class TensorRtLlmLines {
  static final List<EngineLine> ALL =
      List.of(
          line(
              EngineFigure.SHARE,
              "fraction",
              "free[_-]gpu[_-]mem(?:ory)?[_-]fraction" + ASSIGNED + RATIO),
          line(
              EngineFigure.SHARE,
              "are set (to",
              "free_gpu_memory_fraction and max_tokens are set \\(to " + RATIO),
          line(EngineFigure.SHARE, "fraction is set", "fraction is set " + RATIO),
          size(
              EngineFigure.FREE_AFTER_WEIGHTS,
              "paged kv cache",
              "tokens in paged kv cache: total: [\\d.]{1,12} GiB, available: " + SIZE + " GiB"),
          size(
              EngineFigure.TOTAL,
              "paged kv cache",
              "tokens in paged kv cache: total: " + SIZE + " GiB"),
          size(EngineFigure.TOTAL, "device total", "device total memory " + SIZE + " GiB"),
          size(
              EngineFigure.WEIGHTS,
              "(inside torch)",
              "after loading model weights \\(inside torch\\).{0,60}: " + SIZE + " GiB"),
          size(
              EngineFigure.OUTSIDE,
              "outside torch",
              "used outside torch \\(e\\.g\\., NCCL and CUDA graphs\\).{0,60}: " + SIZE + " GiB"),
          size(
              EngineFigure.ACTIVATIONS,
              "during inference",
              "allocated during inference \\(inside torch\\).{0,60}: " + SIZE + " GiB"),
          size(
              EngineFigure.PEAK,
              "Peak memory",
              "Peak memory during memory usage profiling \\(torch \\+ non-torch\\): "
                  + SIZE
                  + " GiB"),
          size(
              EngineFigure.KV_CACHE,
              "calculating max",
              "available KV cache memory when calculating max tokens: " + SIZE + " GiB"),
          size(
              EngineFigure.KV_CACHE,
              "max memory in KV",
              "Estimated max memory in KV cache : " + SIZE + " GiB"),
          size(
              EngineFigure.KV_CACHE,
              "paged KV cache",
              "Allocated " + SIZE + " GiB for max tokens in paged KV cache"),
          line(
              EngineFigure.KV_TOKENS,
              "paged KV cache",
              "GiB for max tokens in paged KV cache \\(" + COUNT),
          line(EngineFigure.LENGTH, "ttention", "window size " + COUNT + " exceeds upper bound"),
          line(EngineFigure.LONGEST, "exceeds upper", "exceeds upper bound " + COUNT),
          line(EngineFigure.LENGTH, "max_num_requests", "max_seq_len=" + COUNT),
          line(EngineFigure.SEQUENCES, "max_batch_size", "max_batch_size=" + COUNT));

  private TensorRtLlmLines() {}

  private static EngineLine line(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.TENSORRT_LLM, figure, word, form, Unit.ONE);
  }

  private static EngineLine size(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.TENSORRT_LLM, figure, word, form, Unit.GIB);
  }
}
