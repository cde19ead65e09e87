package org.allocsim.analysis.oom.engine;

/** A figure that the log of an engine prints. */
public enum EngineFigure {
  /** Part of the GPU's memory that the engine may use, or its static part. */
  SHARE(
      "memory_fraction_ratio", "Fraction of the GPU's memory that the engine may use.", Unit.RATIO),
  /** Memory of the GPU. */
  TOTAL("gpu_bytes", "Memory of the GPU.", Unit.BYTES),
  /** Free before the model was loaded. */
  FREE_AT_START("free_at_start_bytes", "Free before loading the model.", Unit.BYTES),
  /** Free with the model loaded. */
  FREE_AFTER_WEIGHTS("free_after_weights_bytes", "Free with the model loaded.", Unit.BYTES),
  /** Free with the KV cache allocated. */
  FREE_AFTER_CACHE("free_after_cache_bytes", "Free with the KV cache allocated.", Unit.BYTES),
  /** Free with the graphs captured, too. */
  FREE_AT_END("free_at_end_bytes", "Free when the engine is ready.", Unit.BYTES),
  /** Free on all GPUs together. */
  FREE_FOR_ALL("free_on_all_gpus_bytes", "Free on all GPUs combined.", Unit.BYTES),
  /** The model's weights on the GPU. */
  WEIGHTS("weights_bytes", "The model's weights on the GPU.", Unit.BYTES),
  /** The most that computing takes beside the weights. */
  ACTIVATIONS("activation_bytes", "Peak of activations.", Unit.BYTES),
  /** Libraries' and contexts' memory. */
  OUTSIDE("outside_bytes", "Memory outside PyTorch: contexts, libraries, NCCL.", Unit.BYTES),
  /** The most that was in use while the engine measured. */
  PEAK(
      "profiled_peak_bytes",
      "Peak measured by the engine before it allocates its cache.",
      Unit.BYTES),
  /** Buffers of intermediate results. */
  COMPUTE("compute_bytes", "Buffers of intermediate results.", Unit.BYTES),
  /** What the whole model would need. */
  NEEDED("needed_bytes", "Memory that model, cache and buffers need on GPUs.", Unit.BYTES),
  /** What the share leaves for the KV cache. */
  KV_CACHE("kv_cache_bytes", "Memory of the KV cache.", Unit.BYTES),
  /** What one sequence of the largest length needs of it. */
  KV_NEEDED("kv_needed_bytes", "KV cache that one sequence of maximum length needs.", Unit.BYTES),
  /** Tokens that the KV cache holds. */
  KV_TOKENS("kv_tokens", "Tokens that fit the KV cache.", Unit.COUNT),
  /** Memory of CUDA graphs. */
  GRAPHS("graphs_bytes", "Memory of CUDA graphs.", Unit.BYTES),
  /** Largest batch that is captured as a graph. */
  GRAPH_BATCH("graph_batch", "Largest batch size captured as a CUDA graph.", Unit.COUNT),
  /** Longest sequence that was asked for. */
  LENGTH("length_tokens", "Requested maximum sequence length.", Unit.COUNT),
  /** Longest sequence that the engine found possible. */
  LONGEST(
      "possible_length_tokens",
      "Maximum sequence length that the engine found possible.",
      Unit.COUNT),
  /** Sequences that run at once at most. */
  SEQUENCES("sequences", "Maximum number of concurrent sequences.", Unit.COUNT),
  /** Tokens that are computed at once. */
  MICRO_BATCH("micro_batch_tokens", "Maximum number of tokens per step.", Unit.COUNT),
  /** Layers of the model, with the output layer. */
  LAYERS("layers", "Layers of the model, including the output layer.", Unit.COUNT),
  /** Layers of them on GPUs. */
  GPU_LAYERS("gpu_layers", "Layers on GPUs.", Unit.COUNT),
  /** A buffer that could not be allocated. */
  BUFFER("buffer_bytes", "Buffer that could not be allocated.", Unit.BYTES);

  /** What a figure counts. */
  public enum Unit {
    /** Bytes. */
    BYTES,
    /** Things. */
    COUNT,
    /** A part of 1. */
    RATIO
  }

  private final String key;
  private final String meaning;
  private final Unit unit;

  EngineFigure(String key, String meaning, Unit unit) {
    this.key = key;
    this.meaning = meaning;
    this.unit = unit;
  }

  /** Name in JSON. */
  public String key() {
    return key;
  }

  /** A sentence for documents. */
  public String meaning() {
    return meaning;
  }

  /** Whether no other program prints such a figure in the same words. */
  boolean isOfEngines() {
    return this == KV_TOKENS || this == LONGEST || this == LAYERS || this == GPU_LAYERS;
  }

  /** What it counts. */
  public Unit unit() {
    return unit;
  }
}
