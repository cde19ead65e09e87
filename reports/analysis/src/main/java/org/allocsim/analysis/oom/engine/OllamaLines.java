package org.allocsim.analysis.oom.engine;

import static org.allocsim.analysis.oom.engine.EngineLine.COUNT;
import static org.allocsim.analysis.oom.engine.EngineLine.GPU;
import static org.allocsim.analysis.oom.engine.EngineLine.SIZE_AND_UNIT;

import java.util.List;
import org.allocsim.analysis.oom.engine.EngineLine.Unit;

/**
 * What Ollama prints itself, 0.5 of January 2025 to August 2026: the estimate of {@code
 * llm/memory.go}, which was made before the model was loaded, the layout of {@code ml/device.go},
 * which its own engine reports, and the GPUs of {@code server/sched.go}.
 */
final class OllamaLines {
  static final List<EngineLine> ALL =
      List.of(
          line(EngineFigure.LAYERS, "layers.model", "layers\\.model=" + COUNT),
          line(EngineFigure.GPU_LAYERS, "layers.offload", "layers\\.offload=" + COUNT),
          size(
              EngineFigure.FREE_AT_START,
              "memory.available",
              "memory\\.available=\"?\\[" + SIZE_AND_UNIT + "\\]"),
          size(
              EngineFigure.NEEDED,
              "required.full",
              "memory\\.required\\.full=\"" + SIZE_AND_UNIT + "\""),
          size(
              EngineFigure.KV_CACHE,
              "required.kv",
              "memory\\.required\\.kv=\"" + SIZE_AND_UNIT + "\""),
          size(
              EngineFigure.WEIGHTS,
              "weights.total",
              "memory\\.weights\\.total=\"" + SIZE_AND_UNIT + "\""),
          size(
              EngineFigure.COMPUTE,
              "graph.full",
              "memory\\.graph\\.full=\"" + SIZE_AND_UNIT + "\""),
          size(
              EngineFigure.FREE_AT_START,
              "gpu memory",
              "msg=\"gpu memory\".{0,160} available=\"" + SIZE_AND_UNIT + "\""),
          size(
              EngineFigure.WEIGHTS,
              "model weights",
              "msg=\"model weights\" device=" + GPU + " size=\"" + SIZE_AND_UNIT + "\""),
          size(
              EngineFigure.KV_CACHE,
              "kv cache",
              "msg=\"kv cache\" device=" + GPU + " size=\"" + SIZE_AND_UNIT + "\""),
          size(
              EngineFigure.COMPUTE,
              "compute graph",
              "msg=\"compute graph\" device=" + GPU + " size=\"" + SIZE_AND_UNIT + "\""),
          line(EngineFigure.LENGTH, "--ctx-size", "--ctx-size " + COUNT),
          line(EngineFigure.LENGTH, "KvSize", "KvSize:" + COUNT),
          line(EngineFigure.LENGTH, "llama-server", "llama-server.{0,400} -c " + COUNT),
          line(EngineFigure.LENGTH, "OLLAMA_CONTEXT", "OLLAMA_CONTEXT_LENGTH[:=](?!0)" + COUNT));

  private OllamaLines() {}

  private static EngineLine line(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.OLLAMA, figure, word, form, Unit.ONE);
  }

  private static EngineLine size(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.OLLAMA, figure, word, form, Unit.PRINTED);
  }
}
