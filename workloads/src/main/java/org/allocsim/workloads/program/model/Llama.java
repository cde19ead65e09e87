package org.allocsim.workloads.program.model;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.Attention;
import org.allocsim.workloads.program.torch.Bits;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Embeddings;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Joining;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Reductions;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Parameters;
import org.jspecify.annotations.Nullable;

/**
 * A Llama in half precision as {@code LlamaForCausalLM} of transformers 5 computes it without
 * gradients: normalisation and rotation of single operations, a cache of keys and values that grows
 * by {@code torch.cat}.
 */
public final class Llama {
  private final Torch torch;
  private final Bits bits;
  private final Shape shape;
  private final Parameters parameters;
  private final Tensor tokens;
  private final List<Block> blocks = new ArrayList<>();
  private final Tensor lastScale;
  private final Tensor head;

  /**
   * What varies between models.
   *
   * @param layers blocks
   * @param width features of a token
   * @param heads attention heads, each with keys and values of its own
   * @param inner features inside a block's feed-forward part
   * @param vocabulary different tokens
   */
  public record Shape(int layers, int width, int heads, int inner, int vocabulary) {
    long features() {
      return width / heads;
    }
  }

  private record Block(
      Tensor query,
      Tensor key,
      Tensor value,
      Tensor project,
      Tensor gate,
      Tensor expand,
      Tensor contract,
      Tensor scale1,
      Tensor scale2) {}

  /** Keys and values of each block's past tokens. */
  public static final class Cache implements AutoCloseable {
    private final List<Tensor> keys = new ArrayList<>();
    private final List<Tensor> values = new ArrayList<>();

    @Override
    public void close() {
      for (int i = 0; i < keys.size(); i++) {
        keys.get(i).release();
        values.get(i).release();
      }
      keys.clear();
      values.clear();
    }

    private static Tensor append(Torch torch, List<Tensor> past, int layer, Tensor more) {
      if (layer == past.size()) {
        past.add(Joining.cat(torch, -2, more));
      } else {
        Tensor old = past.get(layer);
        past.set(layer, Joining.cat(torch, -2, old, more));
        old.release();
      }
      return past.get(layer).retain();
    }
  }

  /** A model whose parameters go to the device now. */
  public Llama(Torch torch, Shape shape, DType type) {
    this.torch = torch;
    this.shape = shape;
    bits = new Bits(torch);
    parameters = new Parameters(torch, type);
    long width = shape.width;
    tokens = parameters.add(shape.vocabulary, width);
    for (int i = 0; i < shape.layers; i++) {
      blocks.add(
          new Block(
              parameters.add(width, width),
              parameters.add(width, width),
              parameters.add(width, width),
              parameters.add(width, width),
              parameters.add(shape.inner, width),
              parameters.add(shape.inner, width),
              parameters.add(width, shape.inner),
              parameters.add(width),
              parameters.add(width)));
    }
    lastScale = parameters.add(width);
    parameters.buffer(type, shape.features() / 2);
    parameters.buffer(type, shape.features() / 2);
    head = parameters.add(shape.vocabulary, width);
  }

  /** The parameters in order. */
  public Parameters parameters() {
    return parameters;
  }

  /**
   * Scores of the token that follows.
   *
   * @param ids tokens that are new
   * @param attended all tokens' mask, of past ones too
   * @param masked whether the mask hides a token
   */
  public Tensor scores(Tensor ids, Tensor attended, boolean masked, Cache cache) {
    try (Frame frame = new Frame()) {
      Tensor hidden = frame.own(transformer(ids, attended, masked, cache));
      Tensor last = frame.own(Views.slice(torch, hidden, 1, 1));
      return Products.linear(torch, last, head, null);
    }
  }

  private Tensor transformer(Tensor ids, Tensor attended, boolean masked, Cache cache) {
    try (Frame frame = new Frame()) {
      Tensor embedded = frame.own(Embeddings.embedding(torch, ids, tokens));
      Tensor hidden = frame.own(embedded.retain());
      Tensor mask = CausalMask.sdpa(bits, attended, ids.size(1), masked);
      if (mask != null) {
        frame.own(mask);
      }
      Tensor[] rotation = rotation(ids);
      frame.own(rotation[0]);
      frame.own(rotation[1]);
      for (int i = 0; i < blocks.size(); i++) {
        hidden = frame.rebind(hidden, block(i, hidden, mask, rotation, cache));
      }
      hidden = frame.rebind(hidden, rootMeanSquare(hidden, lastScale));
      return frame.leave(hidden);
    }
  }

  /** Cosines and sines of the rotation by a token's place. */
  private Tensor[] rotation(Tensor ids) {
    long batch = ids.size(0);
    long length = ids.size(1);
    long features = shape.features();
    try (Frame frame = new Frame()) {
      Tensor frequencies = frame.own(bits.make(DType.FLOAT32, batch, features / 2, 1));
      Tensor places = frame.own(bits.make(DType.FLOAT32, batch, 1, length));
      Tensor angles = frame.own(Products.batched(torch, frequencies, places));
      angles = frame.rebind(angles, Views.transpose(torch, angles, 1, 2));
      Tensor twice = frame.own(Joining.cat(torch, -1, angles, angles));
      Tensor cosine = frame.own(Elementwise.unary(torch, twice));
      cosine = frame.rebind(cosine, Elementwise.unary(torch, cosine));
      Tensor sine = frame.own(Elementwise.unary(torch, twice));
      sine = frame.rebind(sine, Elementwise.unary(torch, sine));
      DType type = tokens.type();
      return new Tensor[] {Elementwise.to(torch, cosine, type), Elementwise.to(torch, sine, type)};
    }
  }

  private Tensor block(
      int layer, Tensor input, @Nullable Tensor mask, Tensor[] rotation, Cache cache) {
    Block block = blocks.get(layer);
    try (Frame frame = new Frame()) {
      Tensor hidden = frame.own(rootMeanSquare(input, block.scale1));
      hidden = frame.rebind(hidden, attention(layer, hidden, mask, rotation, cache));
      hidden = frame.rebind(hidden, Elementwise.add(torch, input, hidden));
      Tensor residual = frame.own(hidden.retain());
      hidden = frame.rebind(hidden, rootMeanSquare(hidden, block.scale2));
      hidden = frame.rebind(hidden, feedForward(block, hidden));
      hidden = frame.rebind(hidden, Elementwise.add(torch, residual, hidden));
      return frame.leave(hidden);
    }
  }

  private Tensor rootMeanSquare(Tensor input, Tensor scale) {
    try (Frame frame = new Frame()) {
      Tensor hidden = frame.own(Elementwise.to(torch, input, DType.FLOAT32));
      Tensor square = frame.own(Elementwise.power(torch, hidden));
      Tensor variance = frame.own(Reductions.meanOfLast(torch, square));
      frame.drop(square);
      Tensor raised = frame.own(Elementwise.addNumber(torch, variance));
      Tensor root = frame.own(Elementwise.unary(torch, raised));
      frame.drop(raised);
      Tensor normed = Elementwise.multiply(torch, hidden, root);
      frame.drop(root);
      hidden = frame.rebind(hidden, normed);
      Tensor rounded = frame.own(Elementwise.to(torch, hidden, input.type()));
      Tensor out = Elementwise.multiply(torch, scale, rounded);
      frame.drop(rounded);
      return out;
    }
  }

  private Tensor feedForward(Block block, Tensor input) {
    try (Frame frame = new Frame()) {
      Tensor gate = frame.own(Products.linear(torch, input, block.gate, null));
      gate = frame.rebind(gate, Elementwise.activation(torch, "Silu", gate));
      Tensor wide = frame.own(Products.linear(torch, input, block.expand, null));
      Tensor joined = Elementwise.multiply(torch, gate, wide);
      frame.drop(gate);
      frame.drop(wide);
      frame.own(joined);
      return Products.linear(torch, joined, block.contract, null);
    }
  }

  private Tensor attention(
      int layer, Tensor hidden, @Nullable Tensor mask, Tensor[] rotation, Cache cache) {
    Block block = blocks.get(layer);
    try (Frame frame = new Frame()) {
      Tensor query = frame.own(heads(hidden, block.query));
      Tensor key = frame.own(heads(hidden, block.key));
      Tensor value = frame.own(heads(hidden, block.value));
      Tensor turnedQuery = frame.own(rotated(query, rotation));
      Tensor turnedKey = frame.own(rotated(key, rotation));
      frame.drop(query);
      frame.drop(key);
      Tensor keys = frame.own(Cache.append(torch, cache.keys, layer, turnedKey));
      Tensor values = frame.own(Cache.append(torch, cache.values, layer, value));
      frame.drop(turnedKey);
      frame.drop(value);
      Tensor mixed =
          frame.own(
              mask == null
                  ? Attention.attend(torch, turnedQuery, keys, values)
                  : Attention.attendMasked(torch, turnedQuery, keys, values, mask));
      mixed = frame.rebind(mixed, Views.transpose(torch, mixed, 1, 2));
      mixed =
          frame.rebind(
              mixed, Views.reshape(torch, mixed, hidden.size(0), hidden.size(1), shape.width));
      mixed = frame.rebind(mixed, Products.linear(torch, mixed, block.project, null));
      return frame.leave(mixed);
    }
  }

  private Tensor heads(Tensor hidden, Tensor weight) {
    try (Frame frame = new Frame()) {
      Tensor flat = frame.own(Products.linear(torch, hidden, weight, null));
      Tensor parted =
          frame.own(
              Views.view(
                  torch, flat, hidden.size(0), hidden.size(1), shape.heads, shape.features()));
      return Views.transpose(torch, parted, 1, 2);
    }
  }

  /** {@code q * cos + rotate_half(q) * sin}. */
  private Tensor rotated(Tensor part, Tensor[] rotation) {
    try (Frame frame = new Frame()) {
      Tensor cosine = frame.own(beforeHeads(rotation[0]));
      Tensor sine = frame.own(beforeHeads(rotation[1]));
      Tensor straight = frame.own(Elementwise.multiply(torch, part, cosine));
      Tensor half = frame.own(Views.slice(torch, part, -1, shape.features() / 2));
      Tensor negative = frame.own(Elementwise.unary(torch, half));
      Tensor turned = frame.own(Joining.cat(torch, -1, negative, half));
      frame.drop(negative);
      turned = frame.rebind(turned, Elementwise.multiply(torch, turned, sine));
      return Elementwise.add(torch, straight, turned);
    }
  }

  private Tensor beforeHeads(Tensor angles) {
    return Views.view(torch, angles, angles.size(0), 1, angles.size(1), angles.size(2));
  }
}
