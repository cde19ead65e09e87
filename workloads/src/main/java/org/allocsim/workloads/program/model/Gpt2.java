package org.allocsim.workloads.program.model;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.Attention;
import org.allocsim.workloads.program.torch.Checkpoint;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Embeddings;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Joining;
import org.allocsim.workloads.program.torch.Losses;
import org.allocsim.workloads.program.torch.Normalization;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Parameters;
import org.jspecify.annotations.Nullable;

/**
 * GPT-2 with a language-modelling head as {@code GPT2LMHeadModel} of transformers 5 computes it in
 * training: fused attention, the GELU composed of single operations, a key-value cache even while
 * training, and weights shared by embedding and head.
 */
public final class Gpt2 {
  private final Torch torch;
  private final Shape shape;
  private final Parameters parameters;
  private final Tensor tokens;
  private final Tensor positions;
  private final List<Block> blocks = new ArrayList<>();
  private final Tensor lastScale;
  private final Tensor lastShift;
  private boolean training = true;

  /**
   * What varies between models.
   *
   * @param layers blocks
   * @param width features of a token
   * @param heads attention heads
   * @param vocabulary different tokens
   * @param positions longest sequence
   * @param checkpoints whether blocks are computed again in the backward pass
   */
  public record Shape(
      int layers, int width, int heads, int vocabulary, int positions, boolean checkpoints) {}

  private record Block(
      Tensor scale1,
      Tensor shift1,
      Tensor attend,
      Tensor attendBias,
      Tensor project,
      Tensor projectBias,
      Tensor scale2,
      Tensor shift2,
      Tensor expand,
      Tensor expandBias,
      Tensor contract,
      Tensor contractBias) {}

  /** A model whose parameters go to the device now. */
  public Gpt2(Torch torch, Shape shape) {
    this.torch = torch;
    this.shape = shape;
    parameters = new Parameters(torch, DType.FLOAT32);
    long width = shape.width;
    tokens = parameters.add(shape.vocabulary, width);
    positions = parameters.add(shape.positions, width);
    for (int i = 0; i < shape.layers; i++) {
      blocks.add(
          new Block(
              parameters.add(width),
              parameters.add(width),
              parameters.add(width, 3 * width),
              parameters.add(3 * width),
              parameters.add(width, width),
              parameters.add(width),
              parameters.add(width),
              parameters.add(width),
              parameters.add(width, 4 * width),
              parameters.add(4 * width),
              parameters.add(4 * width, width),
              parameters.add(width)));
    }
    lastScale = parameters.add(width);
    lastShift = parameters.add(width);
  }

  /** The parameters, shared ones once. */
  public Parameters parameters() {
    return parameters;
  }

  /** {@code model.train(training)}: dropout and checkpoints are for training only. */
  public void train(boolean isTraining) {
    training = isTraining;
  }

  private Tensor dropout(Tensor a) {
    return training ? Elementwise.dropout(torch, a) : a.retain();
  }

  /** {@code model(input_ids=ids, labels=ids).loss}. */
  public Tensor loss(Tensor ids) {
    try (Frame output = new Frame();
        Frame frame = new Frame()) {
      Tensor hidden = frame.own(transformer(ids, output));
      Tensor logits = output.own(Products.linear(torch, hidden, tokens, null));
      return output.leave(output.own(causalLoss(logits, ids)));
    }
  }

  private Tensor causalLoss(Tensor logits, Tensor labels) {
    try (Frame frame = new Frame()) {
      Tensor precise = frame.own(Elementwise.to(torch, logits, DType.FLOAT32));
      Tensor padded =
          frame.own(Elementwise.filled(torch, DType.INT64, labels.size(0), labels.size(1) + 1));
      Tensor shifted = frame.own(Views.slice(torch, padded, 1, labels.size(1)));
      Tensor targets = frame.own(Elementwise.contiguous(torch, shifted));
      Tensor rows = frame.own(Views.view(torch, precise, -1, logits.size(-1)));
      Tensor flat = frame.own(Views.view(torch, targets, -1));
      return Losses.crossEntropy(torch, rows, flat);
    }
  }

  private Tensor transformer(Tensor ids, Frame output) {
    try (Frame frame = new Frame()) {
      Tensor embedded = frame.own(Embeddings.embedding(torch, ids, tokens));
      Tensor range = frame.own(Elementwise.filled(torch, DType.INT64, ids.size(1)));
      Tensor places = frame.rebind(range, Elementwise.addNumber(torch, range));
      places = frame.own(Views.view(torch, places, 1, -1));
      Tensor placed = frame.own(Embeddings.embedding(torch, places, positions));
      Tensor hidden = frame.own(Elementwise.add(torch, embedded, placed));
      if (shape.checkpoints) {
        CausalMask.findPackedSequences(torch, places, ids.size(0));
      }
      hidden = frame.rebind(hidden, dropout(hidden));
      for (Block block : blocks) {
        Tensor input = hidden;
        Tensor fresh =
            shape.checkpoints && training
                ? Checkpoint.run(torch, hidden, () -> block(block, input, null))
                : block(block, input, output);
        hidden = frame.rebind(hidden, fresh);
      }
      hidden = frame.rebind(hidden, Normalization.layerNorm(torch, hidden, lastScale, lastShift));
      return frame.leave(hidden);
    }
  }

  private Tensor block(Block block, Tensor input, @Nullable Frame cache) {
    try (Frame frame = new Frame()) {
      Tensor hidden = frame.own(Normalization.layerNorm(torch, input, block.scale1, block.shift1));
      Tensor attended = frame.own(attention(block, hidden, cache));
      hidden = frame.rebind(hidden, Elementwise.add(torch, attended, input));
      Tensor residual = hidden;
      Tensor normed = frame.own(Normalization.layerNorm(torch, hidden, block.scale2, block.shift2));
      Tensor fed = frame.own(feedForward(block, normed));
      Tensor out = Elementwise.add(torch, residual, fed);
      frame.drop(normed);
      return out;
    }
  }

  private Tensor attention(Block block, Tensor hidden, @Nullable Frame cache) {
    try (Frame frame = new Frame()) {
      Tensor joined = Products.conv1d(torch, hidden, block.attend, block.attendBias);
      Tensor[] parts = Views.split(torch, joined, shape.width, 2);
      joined.release();
      for (Tensor part : parts) {
        frame.own(part);
      }
      Tensor key = frame.rebind(parts[1], heads(parts[1]));
      Tensor value = frame.rebind(parts[2], heads(parts[2]));
      Tensor query = frame.rebind(parts[0], heads(parts[0]));
      if (cache != null) {
        Tensor keys = cache.own(Joining.cat(torch, -2, key));
        Tensor values = cache.own(Joining.cat(torch, -2, value));
        key = frame.rebind(key, keys.retain());
        value = frame.rebind(value, values.retain());
      }
      Tensor mixed = frame.own(Attention.attend(torch, query, key, value));
      mixed = frame.rebind(mixed, Views.transpose(torch, mixed, 1, 2));
      mixed = frame.rebind(mixed, Elementwise.contiguous(torch, mixed));
      mixed =
          frame.rebind(
              mixed, Views.reshape(torch, mixed, hidden.size(0), hidden.size(1), shape.width));
      mixed = frame.rebind(mixed, Products.conv1d(torch, mixed, block.project, block.projectBias));
      mixed = frame.rebind(mixed, dropout(mixed));
      return frame.leave(mixed);
    }
  }

  private Tensor heads(Tensor part) {
    Tensor viewed =
        Views.view(torch, part, part.size(0), part.size(1), shape.heads, shape.width / shape.heads);
    Tensor turned = Views.transpose(torch, viewed, 1, 2);
    viewed.release();
    return turned;
  }

  private Tensor feedForward(Block block, Tensor input) {
    try (Frame frame = new Frame()) {
      Tensor hidden = frame.own(Products.conv1d(torch, input, block.expand, block.expandBias));
      hidden = frame.rebind(hidden, composedGelu(hidden));
      hidden =
          frame.rebind(hidden, Products.conv1d(torch, hidden, block.contract, block.contractBias));
      hidden = frame.rebind(hidden, dropout(hidden));
      return frame.leave(hidden);
    }
  }

  /** {@code NewGELUActivation}: every step of the formula is an operation. */
  private Tensor composedGelu(Tensor x) {
    try (Frame frame = new Frame()) {
      Tensor half = frame.own(Elementwise.scale(torch, x));
      Tensor term = frame.own(Elementwise.power(torch, x));
      term = frame.rebind(term, Elementwise.scale(torch, term));
      term = frame.rebind(term, Elementwise.add(torch, x, term));
      term = frame.rebind(term, Elementwise.scale(torch, term));
      term = frame.rebind(term, Elementwise.tanh(torch, term));
      term = frame.rebind(term, Elementwise.addNumber(torch, term));
      return Elementwise.multiply(torch, half, term);
    }
  }
}
