package org.allocsim.analysis.oom.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.allocsim.analysis.oom.engine.EngineLog.Figures;
import org.allocsim.analysis.oom.engine.EngineLog.Generation;
import org.allocsim.workloads.program.llama.KvCells;
import org.jspecify.annotations.Nullable;

/**
 * By how much an engine's options would have to change, by the engine's own arithmetic and the
 * figures of its log. Rounded figures are taken at their worse end, so that what is named is
 * enough.
 */
public final class EngineAdvice {
  /** The share of vLLM where nobody says another ({@code vllm/config/cache.py}), up to 0.20. */
  public static final double VLLM_SHARE = 0.9;

  /** The same from 0.21 on. */
  public static final double LATER_VLLM_SHARE = 0.92;

  /** Of what is free with the model loaded ({@code KvCacheConfig}), TensorRT-LLM 0.9 to 1.2. */
  private static final double TENSORRT_LLM_SHARE = 0.9;

  /** Tokens of a block of vLLM's cache, of which sequences get whole ones. */
  private static final long BLOCK_TOKENS = 16;

  private static final double MIB = 0x1p20;

  private final Figures figures;
  private final List<EngineChange> changes = new ArrayList<>();

  private EngineAdvice(Figures figures) {
    this.figures = figures;
  }

  /**
   * What would have helped against a check that an engine makes when it starts, or a buffer that it
   * could not allocate.
   */
  public static List<EngineChange> atStart(Figures figures) {
    EngineAdvice advice = new EngineAdvice(figures);
    switch (figures.engine()) {
      case VLLM -> {
        advice.vllmStart();
        advice.vllmLength();
      }
      case SGLANG -> advice.sglangShare();
      case LLAMA_CPP -> advice.llama("-ngl", "-c", "-ub");
      case OLLAMA -> advice.llama("num_gpu", "OLLAMA_CONTEXT_LENGTH", "num_batch");
      case TENSORRT_LLM -> advice.tensorRtLlmLength();
    }
    return List.copyOf(advice.changes);
  }

  /**
   * What would have helped against a request that failed beside the engine's cache.
   *
   * @param shortBytes at most so much was missing
   * @param gpuBytes the GPU has at least so much
   */
  public static List<EngineChange> beside(Figures figures, double shortBytes, double gpuBytes) {
    EngineAdvice advice = new EngineAdvice(figures);
    switch (figures.engine()) {
      case VLLM ->
          advice.lowerShare(
              "--gpu-memory-utilization", shortBytes, gpuBytes, usualVllmShare(figures));
      case SGLANG -> {
        advice.lowerShare("--mem-fraction-static", shortBytes, gpuBytes, 0);
        advice
            .of(EngineFigure.GRAPH_BATCH)
            .ifPresent(batch ->
                advice.add(
                    figures.generation() == Generation.NEWER
                        ? "--cuda-graph-max-bs-decode"
                        : "--cuda-graph-max-bs",
                    Long.toString(Math.max(1, Math.round(batch.value()) / 2)),
                    "halving the largest captured batch needs less memory; the log does not show"
                        + " how much"));
      }
      case TENSORRT_LLM -> advice.lowerFreeShare(shortBytes);
      case LLAMA_CPP, OLLAMA -> {}
    }
    return List.copyOf(advice.changes);
  }

  /** The share of vLLM where nobody says another. */
  static double usualVllmShare(Figures figures) {
    return figures.generation() == Generation.NEWER ? LATER_VLLM_SHARE : VLLM_SHARE;
  }

  /**
   * What was left on the GPU of a buffer that ggml could not allocate, beside what it had allocated
   * there; empty where the log does not say.
   */
  public static Optional<Printed> leftForBuffer(Figures figures) {
    if (figures.of(EngineFigure.BUFFER).isEmpty()) {
      return Optional.empty();
    }
    Optional<Printed> left = figures.of(EngineFigure.FREE_AT_START);
    for (EngineFigure taken : List.of(EngineFigure.WEIGHTS, EngineFigure.KV_CACHE)) {
      Optional<Printed> printed = figures.of(taken);
      if (printed.isPresent()) {
        left = left.map(each -> each.minus(printed.get()));
      }
    }
    return left;
  }

  private Optional<Printed> of(EngineFigure figure) {
    return figures.of(figure);
  }

  private void add(String option, String value, String reason) {
    changes.add(new EngineChange(option, value, reason));
  }

  /** vLLM asks for its share of the whole GPU, and starts where so much is free. */
  private void vllmStart() {
    Printed free = of(EngineFigure.FREE_AT_START).orElse(null);
    Printed total = of(EngineFigure.TOTAL).orElse(null);
    if (free == null || total == null) {
      return;
    }
    double share = share(usualVllmShare(figures));
    double missing = share * total.high() - free.low();
    double possible = roundedDown(free.low() / total.high(), 100);
    if (missing > 0 && possible > 0) {
      add(
          "--gpu-memory-utilization",
          ratio(possible, 2),
          "would start with the free memory, if the model and one sequence fit; %s needs %s more"
              .formatted(ratio(share, 2), describe(missing)));
    }
  }

  /** One sequence of the largest length must fit into the cache. */
  private void vllmLength() {
    Printed have = of(EngineFigure.KV_CACHE).orElse(null);
    Printed length = of(EngineFigure.LENGTH).orElse(null);
    Printed tokens = of(EngineFigure.KV_TOKENS).orElse(null);
    Printed needed = of(EngineFigure.KV_NEEDED).orElse(null);
    if (needed == null && have != null && tokens != null && length != null) {
      double perToken = length.value() / tokens.value();
      needed = new Printed(have.low() * perToken, have.value() * perToken, have.high() * perToken);
    }
    if (have != null && have.high() <= 0) {
      vllmNothing(have);
      return;
    }
    if (have == null && tokens != null && length != null && tokens.value() < length.value()) {
      add(
          "--max-model-len",
          Long.toString(Math.round(tokens.value())),
          "as many tokens as the cache holds; a longer sequence needs a larger share");
      return;
    }
    if (have == null || needed == null || needed.value() < have.value()) {
      return;
    }
    double missing = needed.high() - have.low();
    double share = share(usualVllmShare(figures));
    Optional<Printed> total = of(EngineFigure.TOTAL);
    // The cache and the weights lie inside of the share, so that the GPU is no smaller than this.
    double weights = of(EngineFigure.WEIGHTS).map(Printed::low).orElse(0.0);
    double gpuBytes = total.map(Printed::low).orElse((have.low() + weights) / share);
    double raised = -roundedDown(-share - missing / gpuBytes, 1000);
    if (have.value() > 0 && raised < 1) {
      add(
          "--gpu-memory-utilization",
          ratio(raised, 3),
          "gives the missing %s (at most %s, because the log rounds)%s"
              .formatted(
                  describe(Math.max(0, needed.value() - have.value())),
                  describe(missing),
                  total.isPresent() ? "" : " on any GPU that fits weights and cache"));
    }
    longest(have, needed, length, tokens)
        .ifPresent(longest ->
            add(
                "--max-model-len",
                Long.toString(longest),
                "the longest sequence that fits the cache"));
  }

  /**
   * Weights and activations exceed the share: {@code available_memory <= 0} in {@code
   * _check_enough_kv_cache_memory}.
   */
  private void vllmNothing(Printed have) {
    double missing = -have.low();
    double share = share(usualVllmShare(figures));
    // The share held at least the weights, less what is missing.
    double gpuBytes =
        of(EngineFigure.TOTAL)
            .map(Printed::low)
            .or(() -> of(EngineFigure.WEIGHTS).map(weights -> (weights.low() - missing) / share))
            .orElse(0.0);
    double raised = gpuBytes <= 0 ? 1 : -roundedDown(-share - missing / gpuBytes, 1000);
    if (raised < 1) {
      add(
          "--gpu-memory-utilization",
          "above " + ratio(raised, 3),
          "with %s the model needs %s more than its share; anything above that goes to the cache"
              .formatted(ratio(share, 2), describe(missing)));
    }
    add(
        "--max-num-batched-tokens",
        "lower",
        "weights and activations must shrink by at least %s%s"
            .formatted(
                describe(missing),
                of(EngineFigure.ACTIVATIONS)
                    .map(peak -> "; activations take " + describe(peak.value()))
                    .orElse("")));
  }

  private Optional<Long> longest(
      Printed have, Printed needed, @Nullable Printed length, @Nullable Printed tokens) {
    Optional<Printed> printed = of(EngineFigure.LONGEST);
    if (printed.isPresent()) {
      return printed.map(each -> Math.round(each.value()));
    }
    if (tokens != null) {
      return Optional.of(Math.round(tokens.value()));
    }
    return length == null || have.low() <= 0
        ? Optional.empty()
        : Optional.of(
            (long) (length.value() * have.low() / needed.high()) / BLOCK_TOKENS * BLOCK_TOKENS);
  }

  /**
   * SGLang keeps the rest of what was free at its start, and gives to the cache what lies between
   * the weights and that rest ({@code profile_max_num_token}).
   */
  private void sglangShare() {
    Printed before = of(EngineFigure.FREE_AT_START).orElse(null);
    Printed after = of(EngineFigure.FREE_AFTER_WEIGHTS).orElse(null);
    if (before == null || after == null || before.low() <= 0 || after.low() <= 0) {
      return;
    }
    double least = roundedDown(1 - after.low() / before.high(), 100) + 0.01;
    if (least < 1) {
      add(
          "--mem-fraction-static",
          ratio(least, 2),
          "the smallest share that fits the weights (%s of %s) and leaves room for the cache"
              .formatted(describe(before.value() - after.value()), describe(before.value())));
    }
  }

  /**
   * The longest sequence is cut to what the blocks hold ({@code adjust_window_sizes_for_vswa} of
   * {@code resource_manager.py}, {@code kvCacheManager.cpp}).
   */
  private void tensorRtLlmLength() {
    Printed length = of(EngineFigure.LENGTH).orElse(null);
    Printed tokens = of(EngineFigure.LONGEST).or(() -> of(EngineFigure.KV_TOKENS)).orElse(null);
    if (length == null || tokens == null || tokens.value() >= length.value()) {
      return;
    }
    double share = share(TENSORRT_LLM_SHARE);
    double raised = -roundedDown(-share * length.value() / tokens.value(), 100);
    if (tokens.value() > 0 && raised <= 1) {
      add(
          "--kv_cache_free_gpu_memory_fraction",
          ratio(raised, 2),
          "instead of %s fits one sequence of %,d tokens; now %,d fit"
              .formatted(ratio(share, 2), Math.round(length.value()), Math.round(tokens.value())));
    }
    if (tokens.value() > 0) {
      add(
          "--max_seq_len",
          Long.toString(Math.round(tokens.value())),
          "the longest sequence that fits the cache");
    }
  }

  private void lowerShare(String option, double shortBytes, double gpuBytes, double usual) {
    Optional<Printed> printed = of(EngineFigure.SHARE);
    if (printed.isEmpty() && of(EngineFigure.KV_CACHE).isEmpty() && usual > 0) {
      return;
    }
    double share = share(usual);
    if (share <= 0) {
      double step = -roundedDown(-shortBytes / gpuBytes, 100);
      add(
          option,
          "lower by " + ratio(step, 2),
          "frees %s outside the cache; the log does not show the current value"
              .formatted(describe(step * gpuBytes)));
      return;
    }
    double lowered = roundedDown(share - shortBytes / gpuBytes, 1000);
    if (lowered > 0) {
      double given = (share - lowered) * gpuBytes;
      add(
          option,
          ratio(lowered, 3),
          "instead of %s%s frees %s outside the cache%s"
              .formatted(
                  ratio(share, 2),
                  printed.isPresent() ? "" : ", the default of this release,",
                  describe(given),
                  smallerCache(given)));
    }
  }

  /** The fraction of TensorRT-LLM is of what is free with the model loaded. */
  private void lowerFreeShare(double shortBytes) {
    Printed cache = of(EngineFigure.KV_CACHE).orElse(null);
    Optional<Printed> share = of(EngineFigure.SHARE);
    if (cache == null || cache.low() <= shortBytes) {
      return;
    }
    double usual = share.map(Printed::value).orElse(TENSORRT_LLM_SHARE);
    double lowered = roundedDown(usual * (cache.low() - shortBytes) / cache.low(), 100);
    double given = cache.low() * (1 - lowered / usual);
    add(
        "--kv_cache_free_gpu_memory_fraction",
        ratio(lowered, 2),
        "frees %s outside the cache%s".formatted(describe(given), smallerCache(given)));
  }

  /** What the cache then holds. */
  private String smallerCache(double given) {
    Printed cache = of(EngineFigure.KV_CACHE).orElse(null);
    Printed tokens = of(EngineFigure.KV_TOKENS).orElse(null);
    if (cache == null || tokens == null || cache.low() <= given) {
      return "";
    }
    long left = (long) (tokens.value() * (cache.value() - given) / cache.value());
    return ", which then holds some %,d tokens instead of %,d"
        .formatted(left, Math.round(tokens.value()));
  }

  /** llama.cpp allocates weights, cache and compute buffers one after the other. */
  private void llama(String layersOption, String lengthOption, String batchOption) {
    Printed buffer = of(EngineFigure.BUFFER).orElse(null);
    Printed free = of(EngineFigure.FREE_AT_START).orElse(null);
    if (buffer == null || free == null) {
      return;
    }
    Optional<Printed> weights = of(EngineFigure.WEIGHTS);
    Optional<Printed> cache = of(EngineFigure.KV_CACHE);
    double left = free.low() - weights.map(Printed::high).orElse(0.0);
    if (weights.isEmpty()) {
      of(EngineFigure.GPU_LAYERS)
          .or(() -> of(EngineFigure.LAYERS))
          .map(layers -> (long) (layers.value() * Math.max(0, left) / buffer.high()))
          .ifPresent(layers ->
              add(
                  layersOption,
                  Long.toString(layers),
                  ("the weights of that many layers fit into the %s that were free; the cache and"
                          + " compute buffers also need some of it")
                      .formatted(describe(free.value()))));
    } else if (cache.isEmpty()) {
      of(EngineFigure.LENGTH)
          .map(length -> (long) (length.value() * Math.max(0, left) / buffer.high()))
          .filter(length -> length > 0)
          .ifPresent(length ->
              add(
                  lengthOption,
                  Long.toString(KvCells.wholeUnits(length)),
                  ("a cache of that length fits into the %s that the weights leave; compute buffers"
                          + " also need some of it")
                      .formatted(describe(left))));
    } else {
      double rest = left - cache.get().high();
      add(
          batchOption,
          rest >= buffer.high() / 2 ? "256" : "128",
          "the compute buffer of %s grows with it; weights and cache leave %s"
              .formatted(describe(buffer.value()), describe(Math.max(0, rest))));
    }
  }

  private double share(double usual) {
    return of(EngineFigure.SHARE).map(Printed::value).orElse(usual);
  }

  /** The next lower part of 1, but for what binary fractions are off. */
  static double roundedDown(double value, int parts) {
    return Math.floor(value * parts + 1e-6) / parts;
  }

  static String ratio(double value, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }

  /** A size in a sentence. */
  public static String describe(double bytes) {
    return bytes >= 0x1p30
        ? String.format(Locale.ROOT, "%.2f GiB", bytes / 0x1p30)
        : String.format(Locale.ROOT, "%.0f MiB", bytes / MIB);
  }
}
