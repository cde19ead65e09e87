package org.allocsim.workloads.program.model;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.Convolutions;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Normalization;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Parameters;
import org.jspecify.annotations.Nullable;

/** A residual network of bottleneck blocks as torchvision has it: resnet50 and larger. */
public final class ResNet {
  private static final int EXPANSION = 4;
  private static final int FIRST_CHANNELS = 64;

  private final Torch torch;
  private final Parameters parameters;
  private final Unit stem;
  private final List<Block> blocks = new ArrayList<>();
  private final Tensor head;
  private final Tensor headBias;
  private boolean training = true;

  /** A convolution without bias and the normalisation after it. */
  private record Unit(Tensor filter, Tensor[] scale, int stride, int padding) {}

  private record Block(Unit narrow, Unit window, Unit wide, @Nullable Unit shortcut) {}

  /**
   * A model whose parameters go to the device now.
   *
   * @param stages blocks of each of the four stages: 3, 4, 6, 3 for resnet50
   */
  public ResNet(Torch torch, int[] stages, int classes) {
    this.torch = torch;
    parameters = new Parameters(torch, DType.FLOAT32);
    stem = unit(3, FIRST_CHANNELS, 7, 2);
    int inputs = FIRST_CHANNELS;
    for (int stage = 0; stage < stages.length; stage++) {
      int channels = FIRST_CHANNELS << stage;
      for (int i = 0; i < stages[stage]; i++) {
        int stride = stage > 0 && i == 0 ? 2 : 1;
        Unit narrow = unit(inputs, channels, 1, 1);
        Unit window = unit(channels, channels, 3, stride);
        Unit wide = unit(channels, channels * EXPANSION, 1, 1);
        Unit shortcut = i == 0 ? unit(inputs, channels * EXPANSION, 1, stride) : null;
        blocks.add(new Block(narrow, window, wide, shortcut));
        inputs = channels * EXPANSION;
      }
    }
    head = parameters.add(classes, inputs);
    headBias = parameters.add(classes);
  }

  private Unit unit(int inputs, int outputs, int window, int stride) {
    Tensor filter = parameters.add(outputs, inputs, window, window);
    Tensor[] scale = {
      parameters.add(outputs),
      parameters.add(outputs),
      parameters.buffer(DType.FLOAT32, outputs),
      parameters.buffer(DType.FLOAT32, outputs)
    };
    parameters.buffer(DType.INT64);
    return new Unit(filter, scale, stride, window / 2);
  }

  /** The parameters in order. */
  public Parameters parameters() {
    return parameters;
  }

  /** {@code model.train(training)}. */
  public void train(boolean training) {
    this.training = training;
  }

  /** Class scores of images. */
  public Tensor forward(Tensor images) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(convolved(stem, images));
      x = frame.rebind(x, normed(stem, x));
      x = frame.rebind(x, Elementwise.reluInPlace(torch, x));
      x = frame.rebind(x, Convolutions.maxPool(torch, x, 3, 2, 1));
      for (Block block : blocks) {
        x = frame.rebind(x, block(block, x));
      }
      x = frame.rebind(x, Convolutions.averagePool(torch, x));
      x = frame.rebind(x, Views.reshape(torch, x, x.size(0), -1));
      x = frame.rebind(x, Products.linear(torch, x, head, headBias));
      return frame.leave(x);
    }
  }

  private Tensor block(Block block, Tensor x) {
    try (Frame frame = new Frame()) {
      Tensor out = frame.own(convolved(block.narrow, x));
      out = frame.rebind(out, normed(block.narrow, out));
      out = frame.rebind(out, Elementwise.reluInPlace(torch, out));
      out = frame.rebind(out, convolved(block.window, out));
      out = frame.rebind(out, normed(block.window, out));
      out = frame.rebind(out, Elementwise.reluInPlace(torch, out));
      out = frame.rebind(out, convolved(block.wide, out));
      out = frame.rebind(out, normed(block.wide, out));
      Tensor identity =
          frame.own(block.shortcut == null ? x.retain() : shortcut(block.shortcut, x));
      out = frame.rebind(out, Elementwise.addInPlace(torch, out, identity));
      out = frame.rebind(out, Elementwise.reluInPlace(torch, out));
      return frame.leave(out);
    }
  }

  private Tensor shortcut(Unit unit, Tensor x) {
    Tensor out = convolved(unit, x);
    Tensor scaled = normed(unit, out);
    out.release();
    return scaled;
  }

  private Tensor convolved(Unit unit, Tensor x) {
    return Convolutions.conv2d(torch, x, unit.filter, null, unit.stride, unit.padding);
  }

  private Tensor normed(Unit unit, Tensor x) {
    return Normalization.batchNorm(torch, x, unit.scale, training);
  }
}
