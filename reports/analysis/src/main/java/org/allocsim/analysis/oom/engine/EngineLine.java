package org.allocsim.analysis.oom.engine;

import static org.allocsim.analysis.oom.engine.Engine.LLAMA_CPP;
import static org.allocsim.analysis.oom.engine.Engine.OLLAMA;
import static org.allocsim.analysis.oom.engine.Engine.SGLANG;
import static org.allocsim.analysis.oom.engine.Engine.TENSORRT_LLM;
import static org.allocsim.analysis.oom.engine.Engine.VLLM;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A form of line in an engine's log.
 *
 * @param engine whose
 * @param figure what its groups print; several groups are added up
 * @param form what the line holds
 * @param scale bytes of the unit in which it prints sizes, else 1
 */
record EngineLine(Engine engine, EngineFigure figure, Pattern form, double scale) {
  private static final double MIB = 0x1p20;

  /** SGLang prints GB and counts 2^30 bytes. */
  private static final double GIB = 0x1p30;

  private static final String RATIO = "(0?\\.\\d{1,6}|1\\.0{1,4})(?!\\d)";
  private static final String COUNT = "(\\d{1,12})(?!\\d)";
  private static final String SIZE = "(-?\\d{1,9}(?:\\.\\d{1,6})?)";
  private static final String ASSIGNED = "['\"]?\\s?[=: (]\\s?\\(?";

  static final List<EngineLine> ALL =
      List.of(
          line(VLLM, EngineFigure.SHARE, "gpu[_-]memory[_-]utilization" + ASSIGNED + RATIO, 1),
          line(VLLM, EngineFigure.SHARE, "desired GPU memory utilization \\(" + RATIO, 1),
          line(VLLM, EngineFigure.TOTAL, "total_gpu_memory ?[=(]" + SIZE + " ?GiB", GIB),
          line(VLLM, EngineFigure.TOTAL, "\\([\\d.]{1,12}/" + SIZE + " GiB\\) on startup", GIB),
          line(
              VLLM,
              EngineFigure.FREE_AT_START,
              "\\(" + SIZE + "/[\\d.]{1,12} GiB\\) on startup",
              GIB),
          line(
              VLLM,
              EngineFigure.WEIGHTS,
              "[Mm]odel (?:loading|weights) took " + SIZE + " Gi?B",
              GIB),
          line(VLLM, EngineFigure.WEIGHTS, "model weights take " + SIZE + "GiB", GIB),
          line(
              VLLM,
              EngineFigure.KV_CACHE,
              "[Aa]vailable KV cache memory:? \\(?" + SIZE + " GiB",
              GIB),
          line(VLLM, EngineFigure.KV_CACHE, "reserved for KV Cache is " + SIZE + "GiB", GIB),
          line(VLLM, EngineFigure.KV_CACHE, "kv_cache_size=" + SIZE + "GiB", GIB),
          line(VLLM, EngineFigure.KV_NEEDED, SIZE + " GiB KV cache is needed", GIB),
          line(VLLM, EngineFigure.KV_TOKENS, "GPU KV cache size: ([\\d,]{1,15}) tokens", 1),
          line(VLLM, EngineFigure.KV_TOKENS, "stored in KV cache \\(" + COUNT, 1),
          line(
              VLLM,
              EngineFigure.GRAPHS,
              "[Gg]raph capturing finished .{1,40} took " + SIZE + " GiB",
              GIB),
          line(VLLM, EngineFigure.LENGTH, "max seq len \\(" + COUNT, 1),
          line(VLLM, EngineFigure.LENGTH, "max_seq_len=" + COUNT, 1),
          line(VLLM, EngineFigure.LENGTH, "max[_-]model[_-]len" + ASSIGNED + COUNT, 1),
          line(VLLM, EngineFigure.LONGEST, "estimated maximum model length is " + COUNT, 1),
          line(SGLANG, EngineFigure.SHARE, "mem[_-]fraction[_-]static" + ASSIGNED + RATIO, 1),
          line(
              SGLANG, EngineFigure.GRAPH_BATCH, "cuda[_-]graph[_-]max[_-]bs" + ASSIGNED + COUNT, 1),
          line(
              SGLANG,
              EngineFigure.FREE_AT_START,
              "Load weight begin\\. avail mem=" + SIZE + " GB",
              GIB),
          line(
              SGLANG,
              EngineFigure.FREE_AFTER_WEIGHTS,
              "Load weight end\\..{0,200}avail mem=" + SIZE + " GB",
              GIB),
          line(
              SGLANG,
              EngineFigure.WEIGHTS,
              "Load weight end\\..{0,200}mem usage=" + SIZE + " GB",
              GIB),
          line(
              SGLANG,
              EngineFigure.KV_CACHE,
              "KV Cache is allocated.{0,80}K size: " + SIZE + " GB, V size: " + SIZE + " GB",
              GIB),
          line(SGLANG, EngineFigure.KV_TOKENS, "KV Cache is allocated.{0,40}#tokens: " + COUNT, 1),
          line(SGLANG, EngineFigure.KV_TOKENS, "max_total_num_tokens=" + COUNT, 1),
          line(
              SGLANG,
              EngineFigure.FREE_AFTER_CACHE,
              "Memory pool end\\. avail mem=" + SIZE + " GB",
              GIB),
          line(
              SGLANG,
              EngineFigure.GRAPHS,
              "Capture cuda graph end.{0,80}mem usage=" + SIZE + " GB",
              GIB),
          line(
              TENSORRT_LLM,
              EngineFigure.SHARE,
              "free[_-]gpu[_-]mem(?:ory)?[_-]fraction" + ASSIGNED + RATIO,
              1),
          line(
              TENSORRT_LLM,
              EngineFigure.FREE_AFTER_WEIGHTS,
              "tokens in paged kv cache: total: [\\d.]{1,12} GiB, available: " + SIZE + " GiB",
              GIB),
          line(
              TENSORRT_LLM,
              EngineFigure.KV_CACHE,
              "Allocated " + SIZE + " GiB for max tokens in paged KV cache",
              GIB),
          line(
              TENSORRT_LLM,
              EngineFigure.KV_TOKENS,
              "GiB for max tokens in paged KV cache \\(" + COUNT,
              1),
          line(
              LLAMA_CPP,
              EngineFigure.FREE_AT_START,
              "using device \\w{1,20} \\(.{1,120}\\) - " + SIZE + " MiB free",
              MIB),
          line(
              LLAMA_CPP,
              EngineFigure.GPU_LAYERS,
              "offloaded " + COUNT + "/\\d{1,6} layers to GPU",
              1),
          line(LLAMA_CPP, EngineFigure.LAYERS, "offloaded \\d{1,6}/" + COUNT + " layers to GPU", 1),
          line(
              LLAMA_CPP,
              EngineFigure.WEIGHTS,
              "(?:CUDA|ROCm|Vulkan)\\d{1,3} model buffer size\\s*=\\s*" + SIZE + " MiB",
              MIB),
          line(
              LLAMA_CPP,
              EngineFigure.KV_CACHE,
              "(?:CUDA|ROCm|Vulkan)\\d{1,3} KV buffer size\\s*=\\s*" + SIZE + " MiB",
              MIB),
          line(LLAMA_CPP, EngineFigure.LENGTH, "n_ctx\\s{0,20}= " + COUNT, 1),
          line(
              LLAMA_CPP,
              EngineFigure.BUFFER,
              "allocating " + SIZE + " MiB on device \\d{1,3}: cudaMalloc failed",
              MIB),
          line(OLLAMA, EngineFigure.LAYERS, "layers\\.model=" + COUNT, 1),
          line(OLLAMA, EngineFigure.GPU_LAYERS, "layers\\.offload=" + COUNT, 1),
          line(
              OLLAMA,
              EngineFigure.FREE_AT_START,
              "memory\\.available=\"\\[" + SIZE + " GiB\\]",
              GIB),
          line(OLLAMA, EngineFigure.LENGTH, "OLLAMA_CONTEXT_LENGTH[:=]" + COUNT, 1));

  private static EngineLine line(Engine engine, EngineFigure figure, String form, double scale) {
    return new EngineLine(engine, figure, Pattern.compile(form), scale);
  }
}
