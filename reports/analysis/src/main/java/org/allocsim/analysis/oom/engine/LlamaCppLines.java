package org.allocsim.analysis.oom.engine;

import static org.allocsim.analysis.oom.engine.EngineLine.COUNT;
import static org.allocsim.analysis.oom.engine.EngineLine.GPU;
import static org.allocsim.analysis.oom.engine.EngineLine.SIZE;

import java.util.List;
import org.allocsim.analysis.oom.engine.EngineLine.Unit;

/**
 * What llama.cpp prints, builds of January 2025 to May 2026: {@code llama.cpp}, {@code
 * llama-model.cpp}, {@code llama-context.cpp}, {@code llama-kv-cache.cpp} and {@code ggml-cuda.cu}.
 * The same lines come from Ollama, which runs it.
 */
final class LlamaCppLines {
  static final List<EngineLine> ALL =
      List.of(
          size(
              EngineFigure.FREE_AT_START,
              "using device",
              "using device " + GPU + " \\(.{1,160}\\) - " + SIZE + " MiB free"),
          line(
              EngineFigure.GPU_LAYERS,
              "layers to GPU",
              "offloaded " + COUNT + "/\\d{1,6} layers to GPU"),
          line(
              EngineFigure.LAYERS,
              "layers to GPU",
              "offloaded \\d{1,6}/" + COUNT + " layers to GPU"),
          adding(
              EngineFigure.WEIGHTS,
              "model buffer",
              GPU + " model buffer size\\s{0,20}= {1,20}" + SIZE + " MiB"),
          // Models whose layers look back differently far have several caches.
          adding(
              EngineFigure.KV_CACHE,
              "KV buffer",
              GPU + " KV buffer size\\s{0,20}= {1,20}" + SIZE + " MiB"),
          size(
              EngineFigure.COMPUTE,
              "compute buffer",
              GPU + " compute buffer size\\s{0,20}= {1,20}" + SIZE + " MiB"),
          line(EngineFigure.LENGTH, "n_ctx", "\\bn_ctx\\s{0,20}= " + COUNT),
          line(EngineFigure.LENGTH, "context size", "context size reduced from " + COUNT),
          line(
              EngineFigure.LONGEST,
              "context size",
              "context size reduced from \\d{1,12} to " + COUNT),
          line(EngineFigure.MICRO_BATCH, "n_ubatch", "\\bn_ubatch\\s{0,20}= " + COUNT),
          size(
              EngineFigure.NEEDED,
              "projected to use",
              "projected to use " + SIZE + " MiB of device memory"),
          size(
              EngineFigure.FREE_FOR_ALL,
              "projected to use",
              "device memory vs\\. " + SIZE + " MiB of free device memory"),
          size(
              EngineFigure.BUFFER,
              "cudaMalloc failed",
              "allocating " + SIZE + " MiB on device (?<gpu>\\d{1,3}): cudaMalloc failed"));

  private LlamaCppLines() {}

  private static EngineLine line(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.LLAMA_CPP, figure, word, form, Unit.ONE);
  }

  private static EngineLine size(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.LLAMA_CPP, figure, word, form, Unit.MIB);
  }

  private static EngineLine adding(EngineFigure figure, String word, String form) {
    return EngineLine.adding(Engine.LLAMA_CPP, figure, word, form, Unit.MIB);
  }
}
