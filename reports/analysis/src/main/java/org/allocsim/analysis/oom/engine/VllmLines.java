package org.allocsim.analysis.oom.engine;

import static org.allocsim.analysis.oom.engine.EngineLine.ASSIGNED;
import static org.allocsim.analysis.oom.engine.EngineLine.COMMA_COUNT;
import static org.allocsim.analysis.oom.engine.EngineLine.COUNT;
import static org.allocsim.analysis.oom.engine.EngineLine.RATIO;
import static org.allocsim.analysis.oom.engine.EngineLine.SIZE;

import java.util.List;
import org.allocsim.analysis.oom.engine.EngineLine.Unit;

/**
 * What vLLM prints, 0.4 of April 2024 to 0.2x of August 2026: {@code worker/worker.py} and {@code
 * executor} of its first engine, {@code v1/worker/gpu_worker.py}, {@code v1/worker/utils.py},
 * {@code v1/worker/gpu_model_runner.py} and {@code v1/core/kv_cache_utils.py} of its second.
 */
final class VllmLines {
  static final List<EngineLine> ALL =
      List.of(
          line(EngineFigure.SHARE, "memory", "gpu[_-]memory[_-]utilization" + ASSIGNED + RATIO),
          line(EngineFigure.SHARE, "desired", "desired GPU memory utilization \\(" + RATIO),
          line(EngineFigure.SHARE, "Desired", "Desired GPU memory utilization is \\(" + RATIO),
          line(EngineFigure.SHARE, "(util)", "Requested memory: " + RATIO + " \\(util\\)"),
          size(EngineFigure.TOTAL, "total_gpu_memory", "total_gpu_memory ?[=(]" + SIZE + " ?GiB"),
          size(EngineFigure.TOTAL, "on startup", "\\([\\d.]{1,12}/" + SIZE + " GiB\\) on startup"),
          size(
              EngineFigure.FREE_AT_START,
              "on startup",
              "\\(" + SIZE + "/[\\d.]{1,12} GiB\\) on startup"),
          size(
              EngineFigure.FREE_AT_START, "Initial free", "Initial free memory:? " + SIZE + " GiB"),
          size(EngineFigure.WEIGHTS, "took", "[Mm]odel (?:loading|weights) took " + SIZE + " Gi?B"),
          size(EngineFigure.WEIGHTS, "weights take", "model weights take " + SIZE + "GiB"),
          size(EngineFigure.WEIGHTS, "for weight", "usage is " + SIZE + " GiB for weight"),
          size(
              EngineFigure.ACTIVATIONS,
              "activation",
              "activation peak memory takes " + SIZE + "GiB"),
          size(
              EngineFigure.ACTIVATIONS,
              "activation",
              "weight, " + SIZE + " GiB for peak activation"),
          size(EngineFigure.OUTSIDE, "non_torch", "non_torch_memory takes " + SIZE + "GiB"),
          size(EngineFigure.OUTSIDE, "non-torch", "activation, " + SIZE + " GiB for non-torch"),
          size(
              EngineFigure.KV_CACHE,
              "KV cache memory",
              "[Aa]vailable KV cache memory:? \\(?" + SIZE + " GiB"),
          size(
              EngineFigure.KV_CACHE, "reserved for KV", "reserved for KV Cache is " + SIZE + "GiB"),
          size(EngineFigure.KV_CACHE, "kv_cache_size", "kv_cache_size=" + SIZE + "GiB"),
          size(
              EngineFigure.KV_CACHE,
              "kv_cache_memory_bytes",
              "reserved " + SIZE + " GiB memory for KV Cache as specified"),
          size(
              EngineFigure.KV_CACHE,
              "available for KV",
              "\\(" + SIZE + " GiB available for KV cache"),
          size(EngineFigure.KV_NEEDED, "KV cache is needed", SIZE + " GiB KV cache is needed"),
          line(
              EngineFigure.KV_TOKENS,
              "KV cache size",
              "GPU KV cache size: " + COMMA_COUNT + " tokens"),
          line(EngineFigure.KV_TOKENS, "stored in", "stored in KV cache \\(" + COUNT),
          size(
              EngineFigure.GRAPHS,
              "apturing finished",
              "[Gg]raph capturing finished .{1,40} took " + SIZE + " GiB"),
          size(
              EngineFigure.GRAPHS,
              "CUDA graph memory",
              "Estimated CUDA graph memory: " + SIZE + " GiB"),
          size(
              EngineFigure.GRAPHS,
              "graph pool memory",
              "CUDA graph pool memory: " + SIZE + " GiB \\(actual\\)"),
          line(EngineFigure.LENGTH, "max seq len", "max seq len \\(" + COUNT),
          line(EngineFigure.LENGTH, "max_seq_len", "max_seq_len=" + COUNT),
          line(EngineFigure.LENGTH, "max", "max[_-]model[_-]len" + ASSIGNED + COUNT),
          line(
              EngineFigure.LENGTH,
              "per request",
              "Maximum concurrency for " + COMMA_COUNT + " tokens per request"),
          line(EngineFigure.LENGTH, "Auto-fit", "Auto-fit max_model_len: reduced from " + COUNT),
          line(
              EngineFigure.LONGEST,
              "Auto-fit",
              "Auto-fit max_model_len: reduced from \\d{1,12} to " + COUNT),
          line(
              EngineFigure.LONGEST,
              "estimated maximum",
              "estimated maximum model length is (\\d{1,12})"),
          line(EngineFigure.SEQUENCES, "num", "max[_-]num[_-]seqs" + ASSIGNED + COUNT));

  private VllmLines() {}

  private static EngineLine line(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.VLLM, figure, word, form, Unit.ONE);
  }

  private static EngineLine size(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.VLLM, figure, word, form, Unit.GIB_HUNDREDTHS);
  }
}
