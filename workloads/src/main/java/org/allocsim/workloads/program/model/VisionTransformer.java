package org.allocsim.workloads.program.model;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.Convolutions;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Joining;
import org.allocsim.workloads.program.torch.Normalization;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * A vision transformer as torchvision has it, whose attention is {@code nn.MultiheadAttention}:
 * batches go through it with tokens as the first dimension.
 */
public final class VisionTransformer {
  private final Torch torch;
  private final Shape shape;
  private final Parameters parameters;
  private final Tensor patches;
  private final Tensor patchBias;
  private final List<Encoder> blocks = new ArrayList<>();
  private final Tensor[] last;
  private final Tensor positions;
  private final Tensor head;
  private final Tensor headBias;
  private final Tensor classToken;

  /**
   * What varies between models.
   *
   * @param image pixels of a side
   * @param patch pixels of a patch's side
   * @param layers blocks
   * @param width features of a token
   * @param heads attention heads
   * @param inner features inside a block's feed-forward part
   * @param classes classes to distinguish
   */
  public record Shape(
      int image, int patch, int layers, int width, int heads, int inner, int classes) {
    int patches() {
      return (image / patch) * (image / patch);
    }
  }

  private record Encoder(
      Tensor[] norm1,
      SelfAttention attention,
      Tensor[] norm2,
      Tensor expand,
      Tensor expandBias,
      Tensor contract,
      Tensor contractBias) {
    /** In the order of {@code parameters()}: a module's own before those of its parts. */
    List<Tensor> ordered() {
      List<Tensor> all = new ArrayList<>(List.of(norm1));
      all.addAll(attention.ordered());
      all.addAll(List.of(norm2));
      all.addAll(List.of(expand, expandBias, contract, contractBias));
      return all;
    }
  }

  /** A model whose parameters go to the device now, those of a module's parts first. */
  public VisionTransformer(Torch torch, Shape shape) {
    this.torch = torch;
    this.shape = shape;
    parameters = new Parameters(torch, DType.FLOAT32);
    long width = shape.width;
    patches = parameters.add(width, 3, shape.patch, shape.patch);
    patchBias = parameters.add(width);
    for (int i = 0; i < shape.layers; i++) {
      blocks.add(
          new Encoder(
              norm(),
              new SelfAttention(torch, parameters, width, shape.heads),
              norm(),
              parameters.add(shape.inner, width),
              parameters.add(shape.inner),
              parameters.add(width, shape.inner),
              parameters.add(width)));
    }
    last = norm();
    positions = parameters.add(1, shape.patches() + 1L, width);
    head = parameters.add(shape.classes, width);
    headBias = parameters.add(shape.classes);
    classToken = parameters.add(1, 1, width);

    List<Tensor> order = new ArrayList<>(List.of(classToken, patches, patchBias, positions));
    blocks.forEach(block -> order.addAll(block.ordered()));
    order.addAll(List.of(last[0], last[1], head, headBias));
    parameters.reorder(order);
  }

  private Tensor[] norm() {
    return new Tensor[] {parameters.add(shape.width), parameters.add(shape.width)};
  }

  /** The parameters in order. */
  public Parameters parameters() {
    return parameters;
  }

  /** Class scores of images. */
  public Tensor forward(Tensor images) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(tokens(images));
      Tensor token = frame.own(Views.expand(torch, classToken, images.size(0), 1, shape.width));
      x = frame.rebind(x, Joining.cat(torch, 1, token, x));
      x = frame.rebind(x, encoder(x));
      x = frame.rebind(x, Views.select(torch, x, 1));
      x = frame.rebind(x, Products.linear(torch, x, head, headBias));
      return frame.leave(x);
    }
  }

  private Tensor tokens(Tensor images) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(Convolutions.conv2d(torch, images, patches, patchBias, shape.patch, 0));
      x = frame.rebind(x, Views.reshape(torch, x, x.size(0), shape.width, shape.patches()));
      x = frame.rebind(x, Views.transpose(torch, x, 1, 2));
      return frame.leave(x);
    }
  }

  private Tensor encoder(Tensor input) {
    try (Frame frame = new Frame()) {
      Tensor first = frame.own(Elementwise.add(torch, input, positions));
      Tensor x = frame.own(first.retain());
      for (Encoder block : blocks) {
        x = frame.rebind(x, block(block, x));
      }
      return Normalization.layerNorm(torch, x, last[0], last[1]);
    }
  }

  private Tensor block(Encoder block, Tensor input) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(Normalization.layerNorm(torch, input, block.norm1[0], block.norm1[1]));
      x = frame.rebind(x, block.attention.forward(x));
      x = frame.rebind(x, Elementwise.add(torch, x, input));
      Tensor y = frame.own(Normalization.layerNorm(torch, x, block.norm2[0], block.norm2[1]));
      y = frame.rebind(y, feedForward(block, y));
      return Elementwise.add(torch, x, y);
    }
  }

  private Tensor feedForward(Encoder block, Tensor input) {
    Tensor wide = Products.linear(torch, input, block.expand, block.expandBias);
    Tensor bent = Elementwise.activation(torch, "Gelu", wide);
    wide.release();
    Tensor out = Products.linear(torch, bent, block.contract, block.contractBias);
    bent.release();
    return out;
  }
}
