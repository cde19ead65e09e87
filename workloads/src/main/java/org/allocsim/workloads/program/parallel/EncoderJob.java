package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.model.EncoderLayer;
import org.allocsim.workloads.program.torch.Autograd;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Losses;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.optimizer.Optimizer;
import org.allocsim.workloads.program.torch.optimizer.Parameters;
import org.jspecify.annotations.Nullable;

/**
 * One process of a job that trains a sequence of encoder layers by the mean square of its result.
 */
final class EncoderJob {
  private final Device device;
  private final Torch torch;
  private final Autograd autograd;
  private final DType type;
  private final int iterations;
  private final long[] inputSizes;
  private final long width;
  private final long heads;
  private final long inner;
  private @Nullable Tensor input;

  EncoderJob(ProgramValues values) {
    this(values, values.count("tokens"), DType.FLOAT32);
  }

  /**
   * @param tokens of a sequence that this rank has
   * @param type of the batch
   */
  EncoderJob(ProgramValues values, long tokens, DType type) {
    this.type = type;
    device = new Device(values.number("host-nanos-per-kernel", 0));
    torch = new Torch(device);
    torch.loadLazily();
    autograd = new Autograd(torch);
    iterations = values.count("iterations");
    width = values.count("width");
    heads = values.count("heads");
    inner = values.count("inner");
    values.require(width % heads == 0, "heads must divide the width");
    inputSizes = new long[] {values.count("batch"), tokens, width};
  }

  /** A program's own options and those of all trainings here. */
  static List<ProgramOption> options(ProgramOption... own) {
    List<ProgramOption> all = new ArrayList<>();
    all.add(ParallelLayout.RANKS);
    all.add(ParallelLayout.RANK);
    all.addAll(Arrays.asList(own));
    all.addAll(
        List.of(
            new ProgramOption("iterations", "4", "optimiser steps"),
            new ProgramOption("layers", "8", "encoder layers of the whole model"),
            new ProgramOption("width", "1024", "features per token"),
            new ProgramOption("heads", "16", "attention heads"),
            new ProgramOption("inner", "4096", "features inside a feed-forward block"),
            new ProgramOption("batch", "16", "sequences per batch and rank"),
            new ProgramOption("tokens", "256", "tokens per sequence"),
            new ProgramOption(
                "host-nanos-per-kernel",
                Long.toString(Device.HOST_NANOS_PER_KERNEL),
                "host time of PyTorch per kernel, in addition to its launch, in ns; 0: none")));
    return List.copyOf(all);
  }

  /** The element type that an option names. */
  static DType type(ProgramValues values, String option) {
    String name = values.choice(option, "float32", "bfloat16");
    return name.equals("bfloat16") ? DType.BFLOAT16 : DType.FLOAT32;
  }

  Device device() {
    return device;
  }

  Torch torch() {
    return torch;
  }

  Autograd autograd() {
    return autograd;
  }

  /** An encoder layer whose parameters go to the device now. */
  Block layer(Parameters parameters) {
    return new EncoderLayer(torch, parameters, width, heads, inner);
  }

  /** Several layers, their parameters in the order of {@code parameters()}. */
  List<Block> layers(Parameters parameters, int count) {
    List<Block> blocks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      blocks.add(layer(parameters));
    }
    List<Tensor> order = new ArrayList<>();
    blocks.forEach(block -> order.addAll(block.parameters()));
    parameters.reorder(order);
    return blocks;
  }

  /** The forward and the backward pass of a step. */
  interface Passes {
    /**
     * Runs both.
     *
     * @param step counted from 0
     * @param batch stays with the job
     */
    void run(int step, Tensor batch);
  }

  /** All steps: a batch, its passes, and what the optimizer makes of the gradients. */
  void train(Optimizer optimizer, Parameters parameters, Passes passes) {
    for (int step = 0; step < iterations; step++) {
      device.begin("step " + step);
      passes.run(step, nextBatch());
      optimizer.step();
      parameters.zeroGradients(true);
      device.end("step " + step);
    }
  }

  /**
   * {@code x = torch.randn(batch, tokens, width)}: the last batch goes when the new one is there.
   */
  private Tensor nextBatch() {
    Tensor fresh = Elementwise.filled(torch, type, inputSizes);
    input = Tensor.replaced(input, fresh);
    return fresh;
  }

  /** {@code nn.Sequential}. */
  static Tensor forward(List<? extends Block> blocks, Tensor batch) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(batch.retain());
      for (Block block : blocks) {
        x = frame.rebind(x, block.forward(x));
      }
      return frame.leave(x);
    }
  }

  /** {@code scores.square().mean().backward()}. */
  void meanSquareBackward(Tensor scores) {
    Tensor loss = Losses.meanSquare(torch, scores);
    autograd.backward(loss);
    loss.release();
  }

  /** The job is over. */
  AllocationTrace end(Optimizer optimizer, Parameters parameters) {
    optimizer.release();
    parameters.release();
    Tensor.releaseAll(input);
    return device.trace();
  }
}
