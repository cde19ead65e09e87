package org.allocsim.workloads.program.llama;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.policy.ggml.GraphAllocator;
import org.allocsim.simulator.policy.ggml.TensorAllocator;
import org.allocsim.simulator.policy.ggml.TensorGraph;
import org.allocsim.simulator.policy.ggml.TensorGraph.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The graph for which llama.cpp reserves its compute buffers when it starts: one micro-batch of the
 * most tokens with a full cache, logits for all of them.
 *
 * <p><b>Rules.</b> The host looks up the embedding and holds inputs; the GPU copies them at the
 * start of its part, computes its layers and, where it has the output, the logits. ggml's graph
 * allocator places everything.
 *
 * <p><b>Source.</b> llama.cpp of April 2024 to June 2025, {@code llm_build_llama} and what it calls
 * ({@code src/llama-graph.cpp}), {@code ggml_backend_sched_split_graph} ({@code ggml-backend.cpp}).
 * The buffers equal those that llama.cpp and Ollama printed ({@code ComputeGraphTest}).
 *
 * <p><b>Deviations.</b> Builds since July 2025 also hold the numbers of the cells that they write;
 * since the summer of 2026 they reserve logits for the sequences only, so that their buffers are
 * smaller by up to a vocabulary for each token of a micro-batch. Where layers stay on the host,
 * llama.cpp copies their weights and caches to the GPU for batches of 32 tokens and more, and its
 * buffer there is larger than this one. All architectures have Llama's graph: Gemma's further norms
 * reuse memory, Qwen's biases and norms are part of it.
 */
final class ComputeGraph {
  private static final int HOST = 0;
  private static final int GPU = 1;
  private static final long ALIGNMENT_BYTES = 128;

  private final LlamaCppSettings settings;
  private final KvCells cells;
  private final TensorGraph graph = new TensorGraph();
  private final Tensor weight = graph.external(0);
  private final Tensor cache = graph.external(0);
  private final long tokens;
  private final int hidden;
  private final int queries;
  private final int keys;

  private ComputeGraph(LlamaCppSettings settings) {
    this.settings = settings;
    cells = new KvCells(settings);
    tokens = settings.microBatchTokens();
    hidden = settings.model().hidden();
    queries = settings.model().heads() * settings.model().headWidth();
    keys = settings.model().keyHeads() * settings.model().headWidth();
  }

  /**
   * Compute buffers.
   *
   * @param gpuBytes on the GPU
   * @param hostBytes in page-locked memory of the host
   */
  record Buffers(long gpuBytes, long hostBytes) {}

  /** The buffers that settings need. */
  static Buffers buffers(LlamaCppSettings settings) {
    ComputeGraph built = new ComputeGraph(settings);
    built.build();
    TensorAllocator host = new TensorAllocator(ALIGNMENT_BYTES, Long.MAX_VALUE);
    TensorAllocator gpu = new TensorAllocator(ALIGNMENT_BYTES, Long.MAX_VALUE);
    GraphAllocator.place(built.graph, host, gpu);
    return new Buffers(gpu.bytes(), host.bytes());
  }

  private void build() {
    Tensor ids = input(4L * tokens, "tokens");
    Tensor embedded = graph.node(4L * hidden * tokens, HOST, "hidden", weight, ids);
    Tensor positions = input(4L * tokens, "positions");
    Tensor fullMask = mask(cells.fullCells());
    Tensor windowMask = cells.hasWindows() ? mask(cells.windowCells()) : null;
    Tensor outputs = input(4L * tokens, "outputs");
    if (settings.gpuLayers() == 0) {
      return;
    }
    List<Tensor> copied = new ArrayList<>(List.of(embedded, positions, fullMask));
    if (windowMask != null) {
      copied.add(windowMask);
    }
    copied.add(outputs);
    List<Tensor> copies = copied.stream().map(this::copy).toList();
    Masks masks = new Masks(copies.get(2), windowMask == null ? null : copies.get(3));
    Tensor stream = copies.getFirst();
    int layers = settings.model().layers();
    for (int layer = settings.firstGpuLayer(); layer < layers; layer++) {
      Tensor chosen = layer == layers - 1 ? copies.getLast() : null;
      stream = layer(layer, stream, copies.get(1), masks, chosen);
    }
    if (settings.isAllOnGpu()) {
      Tensor normalized = norm(stream).output();
      graph
          .node(4L * settings.model().vocabulary() * tokens, GPU, "logits", weight, normalized)
          .output();
    }
  }

  private Tensor input(long bytes, String layout) {
    return graph.leaf(bytes, HOST, layout).input();
  }

  /** Which cells a token sees: a float for each cell of its stream. */
  private Tensor mask(int cellsOfStream) {
    return input(4L * cellsOfStream * tokens, "mask " + cellsOfStream);
  }

  private Tensor copy(Tensor input) {
    graph.dependency(input);
    return graph.node(input.bytes(), GPU, input.layout());
  }

  /** The masks on the GPU, converted at their first use by flash attention. */
  private final class Masks {
    private Tensor full;
    private @Nullable Tensor window;
    private boolean isFullReady = !settings.hasFlashAttention();
    private boolean isWindowReady = isFullReady;

    Masks(Tensor full, @Nullable Tensor window) {
      this.full = full;
      this.window = window;
    }

    Tensor of(boolean ofWindow) {
      Tensor windowed = window;
      if (ofWindow && windowed != null) {
        windowed = isWindowReady ? windowed : half(windowed);
        window = windowed;
        isWindowReady = true;
        return windowed;
      }
      full = isFullReady ? full : half(full);
      isFullReady = true;
      return full;
    }

    private Tensor half(Tensor mask) {
      return graph.node(mask.bytes() / 2, GPU, "half " + mask.layout(), mask);
    }
  }

  private Tensor layer(
      int layer, Tensor stream, Tensor positions, Masks masks, @Nullable Tensor chosen) {
    Tensor normalized = norm(stream);
    Tensor q = rotated(projected(normalized, queries, "queries"), "queries", positions);
    Tensor k = rotated(projected(normalized, keys, "keys"), "keys", positions);
    Tensor v = graph.view(projected(normalized, keys, "values"), "values by head");
    graph.view(cache, "cache", graph.view(k, "keys flat"));
    graph.view(cache, "cache", graph.view(v, "values flat"));
    Tensor attended = attended(cells.hasWindow(layer), q, masks);
    Tensor out = graph.node(4L * hidden * tokens, GPU, "hidden", weight, attended);
    Tensor before = stream;
    if (chosen != null) {
      out = graph.node(out.bytes(), GPU, "hidden", out, chosen);
      before = graph.node(out.bytes(), GPU, "hidden", before, chosen);
    }
    Tensor sum = graph.node(out.bytes(), GPU, "hidden", out, before).inPlace();
    Tensor input = norm(sum);
    Tensor gate = inner(inner(weight, input)).inPlace();
    Tensor active = inner(gate, inner(weight, input)).inPlace();
    Tensor down = graph.node(4L * hidden * tokens, GPU, "hidden", weight, active);
    return graph.node(down.bytes(), GPU, "hidden", down, sum).inPlace();
  }

  private Tensor inner(Tensor... sources) {
    return graph.node(4L * settings.model().inner() * tokens, GPU, "inner", sources);
  }

  private Tensor norm(Tensor stream) {
    Tensor scaled = graph.node(4L * hidden * tokens, GPU, "hidden", stream).inPlace();
    return graph.node(scaled.bytes(), GPU, "hidden", scaled, weight).inPlace();
  }

  private Tensor projected(Tensor normalized, int width, String layout) {
    Tensor product = graph.node(4L * width * tokens, GPU, layout, weight, normalized);
    return settings.model().name().startsWith("qwen2")
        ? graph.node(product.bytes(), GPU, layout, product, weight).inPlace()
        : product;
  }

  /** Heads get their positions, in Qwen 3 after a norm. */
  private Tensor rotated(Tensor projected, String layout, Tensor positions) {
    String byHead = layout + " by head";
    Tensor heads = graph.view(projected, byHead);
    if (settings.model().name().startsWith("qwen3")) {
      heads = graph.node(projected.bytes(), GPU, byHead, heads).inPlace();
      heads = graph.node(projected.bytes(), GPU, byHead, heads, weight).inPlace();
    }
    return graph.node(projected.bytes(), GPU, byHead, heads, positions).inPlace();
  }

  private Tensor attended(boolean inWindow, Tensor q, Masks masks) {
    Tensor cachedKeys = graph.view(cache, "keys in cache", cache);
    Tensor cachedValues = graph.view(cache, "values in cache", cache);
    Tensor permuted = graph.view(q, "queries permuted");
    Tensor mask = masks.of(inWindow);
    if (settings.hasFlashAttention()) {
      Tensor result =
          graph.node(
              4L * queries * tokens, GPU, "attended", permuted, cachedKeys, cachedValues, mask);
      return graph.view(result, "attended flat");
    }
    long seen = inWindow ? cells.windowCells() : cells.fullCells();
    long bytes = 4L * seen * tokens * settings.model().heads();
    Tensor weights = graph.node(bytes, GPU, "weights", cachedKeys, permuted);
    weights = graph.node(bytes, GPU, "weights", weights, mask).inPlace();
    Tensor result = graph.node(4L * queries * tokens, GPU, "by head", cachedValues, weights);
    return graph.node(result.bytes(), GPU, "flat", graph.view(result, "merged"));
  }
}
