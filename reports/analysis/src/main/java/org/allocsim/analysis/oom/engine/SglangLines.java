package org.allocsim.analysis.oom.engine;

import static org.allocsim.analysis.oom.engine.EngineLine.ASSIGNED;
import static org.allocsim.analysis.oom.engine.EngineLine.COUNT;
import static org.allocsim.analysis.oom.engine.EngineLine.RATIO;
import static org.allocsim.analysis.oom.engine.EngineLine.SIZE;

import java.util.List;
import org.allocsim.analysis.oom.engine.EngineLine.Unit;

/**
 * What SGLang prints, 0.3 of October 2024 to 0.5 of August 2026: {@code model_executor}, {@code
 * mem_cache} and {@code managers/scheduler.py}.
 */
final class SglangLines {
  static final List<EngineLine> ALL =
      List.of(
          line(EngineFigure.SHARE, "fraction", "mem[_-]fraction[_-]static" + ASSIGNED + RATIO),
          line(
              EngineFigure.GRAPH_BATCH,
              "graph",
              "cuda[_-]graph[_-]max[_-]bs(?:[_-]decode)?" + ASSIGNED + COUNT),
          size(
              EngineFigure.FREE_AT_START,
              "Load weight begin",
              "Load weight begin\\. avail mem=" + SIZE + " GB"),
          size(
              EngineFigure.FREE_AFTER_WEIGHTS,
              "Load weight end",
              "Load weight end\\..{0,300}avail mem=" + SIZE + " GB"),
          size(
              EngineFigure.WEIGHTS,
              "Load weight end",
              "Load weight end\\..{0,300}mem usage=" + SIZE + " GB"),
          size(
              EngineFigure.KV_CACHE,
              "is allocated",
              "KV Cache is allocated.{0,80}K size: " + SIZE + " GB, V size: " + SIZE + " GB"),
          // Latent attention has no keys and values of their own.
          size(
              EngineFigure.KV_CACHE,
              "is allocated",
              "KV Cache is allocated.{0,80}KV size: " + SIZE + " GB"),
          size(EngineFigure.KV_CACHE, "SWAKVPool", "SWAKVPool mem usage: " + SIZE + " GB"),
          line(
              EngineFigure.KV_TOKENS,
              "is allocated",
              "KV Cache is allocated.{0,60}#tokens: " + COUNT),
          line(EngineFigure.KV_TOKENS, "max_total_num", "max_total_num_tokens=" + COUNT),
          size(
              EngineFigure.FREE_AFTER_CACHE,
              "Memory pool end",
              "Memory pool end\\. avail mem=" + SIZE + " GB"),
          size(
              EngineFigure.GRAPHS,
              "Capture",
              "Capture (?i:[\\w ]{0,30}cuda graph) end.{0,80}mem usage=" + SIZE + " GB"),
          size(EngineFigure.FREE_AT_END, "available_gpu_mem", "available_gpu_mem=" + SIZE + " GB"),
          line(EngineFigure.LENGTH, "context_len", "context_len=" + COUNT),
          line(EngineFigure.SEQUENCES, "running_requests", "max_running_requests=" + COUNT));

  private SglangLines() {}

  private static EngineLine line(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.SGLANG, figure, word, form, Unit.ONE);
  }

  private static EngineLine size(EngineFigure figure, String word, String form) {
    return EngineLine.of(Engine.SGLANG, figure, word, form, Unit.GIB);
  }
}
