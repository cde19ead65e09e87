package org.allocsim.workloads.program.engine;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.model.Adapters;
import org.allocsim.workloads.model.LinearShape;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Embeddings;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.jspecify.annotations.Nullable;

/**
 * A decoder as vLLM lays it out, or one GPU's part of it: queries, keys and values in one matrix,
 * gate and input of the feed-forward part in another, experts stacked.
 *
 * <p><b>Rules.</b> Norms add the residual in place. Run eagerly, a function's argument lives until
 * it returns; compiled, a tensor goes with its last use. Where GPUs share layers, sums over them go
 * to a tensor of their own.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code model_executor/models/llama.py}, {@code layers/linear.py},
 * {@code layers/rotary_embedding}, {@code layers/fused_moe}.
 *
 * <p><b>Deviations.</b> Every family is built like Llama; biases are left out.
 */
final class Decoder {
  private static final String FILE = "vllm/model_executor/models/llama.py";
  private static final int VOCABULARY_PADDING = 64;

  private final Torch torch;
  private final ModelShape shape;
  private final DType type;
  private final DType linearType;
  private final int gpus;
  private final boolean isEager;
  private final long queryWidth;
  private final long keyWidth;
  private final long inner;
  private final List<Tensor> weights = new ArrayList<>();
  private final List<Tensor> vocabularyAdapters = new ArrayList<>();
  private final List<Layer> layers = new ArrayList<>();
  private final Tensor embedding;
  private final Tensor output;

  private record Layer(Linear queries, Linear attended, Linear up, Linear down) {
    List<Linear> linears() {
      return List.of(queries, attended, up, down);
    }
  }

  /**
   * A decoder whose weights are on the device.
   *
   * @param owner the decoder with which it shares embedding and output; null for none
   * @param isReady whether weights are there as they are after loading, not as files hold them
   */
  Decoder(
      Torch torch,
      EngineSettings settings,
      ModelShape shape,
      @Nullable Decoder owner,
      boolean isReady) {
    this.torch = torch;
    this.shape = shape;
    type = settings.type();
    linearType = isReady && settings.hasSmallWeights() ? DType.UINT8 : type;
    gpus = settings.gpus();
    isEager = settings.isEager();
    queryWidth = (long) shape.heads() / gpus * shape.headWidth();
    keyWidth = (long) Math.max(1, shape.keyHeads() / gpus) * shape.headWidth();
    inner = shape.inner() / gpus;
    torch.device().enter(FILE, "__init__");
    embedding = owner == null ? weight(vocabulary() / gpus, shape.hidden()) : owner.embedding;
    if (owner != null) {
      // Joins the owner's hidden states with the token's.
      weight(shape.hidden(), 2L * shape.hidden());
    }
    for (int layer = 0; layer < shape.layers(); layer++) {
      layers.add(layer());
      if (layer == 0) {
        rotations(settings.schedule().maxTokens(), isReady);
      }
    }
    weight(shape.hidden());
    output =
        owner != null
            ? owner.output
            : shape.isTied() ? embedding : weight(vocabulary() / gpus, shape.hidden());
    torch.device().leave();
  }

  private long vocabulary() {
    return (shape.vocabulary() + VOCABULARY_PADDING - 1L) / VOCABULARY_PADDING * VOCABULARY_PADDING;
  }

  private Tensor weight(long... sizes) {
    Tensor weight = torch.empty(type, sizes);
    weights.add(weight);
    return weight;
  }

  private Layer layer() {
    long hidden = shape.hidden();
    List<LinearShape> linears = shape.linears(gpus);
    Linear queries = new Linear(torch, linearType, linears.get(0));
    Linear attended = new Linear(torch, linearType, linears.get(1));
    if (shape.experts() > 1) {
      weight(shape.experts(), hidden);
    }
    Linear up = new Linear(torch, linearType, linears.get(2));
    Linear down = new Linear(torch, linearType, linears.get(3));
    weight(hidden);
    weight(hidden);
    return new Layer(queries, attended, up, down);
  }

  /** Sines and cosines of all positions, computed in 32 bits on the device; all layers have one. */
  private void rotations(long positions, boolean isReady) {
    long half = shape.headWidth() / 2;
    if (isReady) {
      weight(positions, 2 * half);
      return;
    }
    Tensor angles = Elementwise.filled(torch, DType.FLOAT32, positions, half);
    Tensor cosines = Elementwise.unary(torch, angles);
    Tensor sines = Elementwise.unary(torch, angles);
    Tensor both = Elementwise.filled(torch, DType.FLOAT32, positions, 2 * half);
    Tensor.releaseAll(angles, cosines, sines);
    Tensor kept = Elementwise.to(torch, both, type);
    both.release();
    weights.add(kept);
  }

  /** Copies all weights from the host. */
  void load() {
    torch.device().enter(FILE, "load_weights");
    for (Tensor weight : weights) {
      torch.device().copy(weight.bytes(), true, false);
    }
    layers.forEach(layer -> layer.linears().forEach(Linear::load));
    torch.device().leave();
  }

  /** Turns linear layers to 8 bits, one after the other. */
  void quantize() {
    torch
        .device()
        .enter("vllm/model_executor/model_loader/utils.py", "process_weights_after_loading");
    layers.forEach(layer -> layer.linears().forEach(Linear::quantize));
    torch.device().leave();
  }

  /** Room for low-rank adapters in linear layers, embedding and output. */
  void adapt(Adapters adapters) {
    torch.device().enter("vllm/lora/layers/base_linear.py", "create_lora_weights");
    for (long count : adapters.vocabularyCounts(shape)) {
      vocabularyAdapters.add(Elementwise.filled(torch, type, count));
    }
    layers.forEach(layer -> layer.linears().forEach(linear -> linear.adapt(type, adapters)));
    torch.device().leave();
  }

  /** Copies an adapter from the host to one of so many slots. */
  void loadAdapter(int slots) {
    vocabularyAdapters.forEach(factor -> torch.device().copy(factor.bytes() / slots, true, true));
    layers.forEach(layer -> layer.linears().forEach(linear -> linear.loadAdapter(slots)));
  }

  /** Bytes of each tensor that stays. */
  List<Long> tensorBytes() {
    List<Long> all = new ArrayList<>();
    weights.forEach(weight -> all.add(weight.bytes()));
    vocabularyAdapters.forEach(factor -> all.add(factor.bytes()));
    layers.forEach(layer -> layer.linears().forEach(linear -> all.addAll(linear.tensorBytes())));
    return all;
  }

  void release() {
    weights.forEach(Tensor::release);
    vocabularyAdapters.forEach(Tensor::release);
    layers.forEach(layer -> layer.linears().forEach(Linear::release));
  }

  /**
   * The hidden states of so many tokens after all layers.
   *
   * @param contextTokens tokens that each looks back at
   */
  Tensor forward(Tensor ids, long contextTokens) {
    torch.device().enter(FILE, "forward");
    Tensor residual = summed(Embeddings.embedding(torch, ids, embedding));
    Tensor hidden = Elementwise.unary(torch, residual);
    for (int i = 0; i < layers.size(); i++) {
      if (i > 0) {
        Elementwise.charge(torch, hidden, 1, 4);
      }
      hidden = attention(layers.get(i), hidden, contextTokens);
      Elementwise.charge(torch, hidden, 1, 4);
      hidden =
          shape.experts() > 1 ? experts(layers.get(i), hidden) : feedForward(layers.get(i), hidden);
    }
    Elementwise.charge(torch, hidden, 1, 4);
    residual.release();
    torch.device().leave();
    return hidden;
  }

  private Tensor attention(Layer layer, Tensor hidden, long contextTokens) {
    long tokens = hidden.size(0);
    Tensor queries = layer.queries.apply(hidden);
    usedLast(hidden);
    Elementwise.charge(torch, queries, 1, 2);
    Tensor attended = torch.empty(type, tokens, queryWidth);
    torch
        .device()
        .kernel(
            4 * tokens * contextTokens * queryWidth,
            queries.bytes() + attended.bytes() + 2 * contextTokens * keyWidth * type.bytes(),
            type.precision());
    usedLast(queries);
    Tensor out = layer.attended.apply(attended);
    attended.release();
    usedLastEagerly(queries);
    Tensor sum = summed(out);
    usedLastEagerly(hidden);
    return sum;
  }

  private Tensor feedForward(Layer layer, Tensor hidden) {
    Tensor up = layer.up.apply(hidden);
    usedLast(hidden);
    Tensor active = torch.empty(type, hidden.size(0), inner);
    Elementwise.charge(torch, up, 1, 2);
    usedLast(up);
    Tensor out = layer.down.apply(active);
    active.release();
    usedLastEagerly(up);
    Tensor sum = summed(out);
    usedLastEagerly(hidden);
    return sum;
  }

  /** Every token goes through some experts; what they compute is laid side by side. */
  private Tensor experts(Layer layer, Tensor hidden) {
    long tokens = hidden.size(0);
    long chosen = tokens * shape.activeExperts();
    Tensor routes = torch.empty(type, tokens, shape.experts());
    Tensor shares = torch.empty(DType.FLOAT32, chosen);
    Tensor numbers = torch.empty(DType.INT32, chosen);
    Elementwise.charge(torch, hidden, shape.experts(), 1);
    long upWidth = (shape.innerMatrices() - 1) * inner;
    Tensor wide = torch.empty(type, chosen, Math.max(upWidth, shape.hidden()));
    Tensor active = torch.empty(type, chosen, inner);
    torch
        .device()
        .kernel(
            2 * chosen * shape.hidden() * (upWidth + inner),
            layer.up.bytes() + layer.down.bytes() + wide.bytes() + active.bytes(),
            type.precision());
    Tensor out = torch.emptyLike(hidden, type);
    Elementwise.charge(torch, out, shape.activeExperts(), 2);
    Tensor.releaseAll(wide, active, shares, numbers, routes);
    usedLast(hidden);
    Tensor sum = summed(out);
    usedLastEagerly(hidden);
    return sum;
  }

  /** Compiled code gives a tensor back with its last use. */
  private void usedLast(Tensor tensor) {
    if (!isEager) {
      tensor.release();
    }
  }

  /** A function's variables go when it returns. */
  private void usedLastEagerly(Tensor tensor) {
    if (isEager) {
      tensor.release();
    }
  }

  /** The sum over all GPUs. */
  private Tensor summed(Tensor part) {
    if (gpus == 1) {
      return part;
    }
    Tensor sum = torch.emptyLike(part, type);
    Elementwise.charge(torch, sum, 1, 2);
    part.release();
    return sum;
  }

  /** Logits of all tokens of the vocabulary, for the hidden states of so many sequences. */
  Tensor logits(Tensor hidden) {
    torch.device().enter("vllm/model_executor/layers/logits_processor.py", "forward");
    Tensor part = Products.linear(torch, hidden, output, null);
    if (gpus > 1) {
      Tensor parts = Elementwise.filled(torch, type, gpus, hidden.size(0), vocabulary() / gpus);
      Tensor joined = Elementwise.filled(torch, type, hidden.size(0), vocabulary());
      Tensor.releaseAll(part, parts);
      part = joined;
    }
    torch.device().leave();
    return part;
  }
}
