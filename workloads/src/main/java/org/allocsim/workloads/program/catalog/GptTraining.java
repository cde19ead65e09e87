package org.allocsim.workloads.program.catalog;

import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.MersenneTwister;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramProvider;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Gpt2;
import org.allocsim.workloads.program.torch.Adam;
import org.allocsim.workloads.program.torch.Autograd;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Device;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/** Training of a GPT-2 of transformers with AdamW. */
public final class GptTraining implements ProgramProvider {
  @Override
  public String id() {
    return "gpt";
  }

  @Override
  public String summary() {
    return "training of a GPT-2 (transformers), batches of drawn lengths";
  }

  @Override
  public List<ProgramOption> options() {
    return List.of(
        new ProgramOption("iterations", "25", "optimiser steps"),
        new ProgramOption("layers", "6", "blocks of the model"),
        new ProgramOption("width", "512", "features of a token"),
        new ProgramOption("heads", "8", "attention heads"),
        new ProgramOption("vocabulary", "8000", "different tokens"),
        new ProgramOption("positions", "2048", "longest sequence the model can take"),
        new ProgramOption("batch", "8", "sequences of a batch"),
        new ProgramOption("shortest", "64", "shortest length drawn"),
        new ProgramOption("longest", "1024", "longest length drawn"),
        new ProgramOption("amp", "none", "autocast: none, bfloat16 or float16"),
        new ProgramOption("accumulate", "1", "batches whose gradients make one step"),
        new ProgramOption("checkpoint", "false", "compute blocks again in the backward pass"),
        new ProgramOption("fused", "false", "fused AdamW in place of the foreach one"),
        new ProgramOption("set-to-none", "true", "give gradients back after each step"),
        new ProgramOption("empty-cache-every", "0", "empty the cache after so many steps"));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    int iterations = values.count("iterations");
    int batch = values.count("batch");
    int shortest = values.count("shortest");
    int longest = values.count("longest");
    int accumulate = values.count("accumulate");
    boolean setToNone = values.flag("set-to-none");
    int emptyEvery = values.number("empty-cache-every", 0);
    DType amp = Types.autocast(values, "amp");
    Gpt2.Shape shape =
        new Gpt2.Shape(
            values.count("layers"),
            values.count("width"),
            values.count("heads"),
            values.count("vocabulary"),
            values.count("positions"),
            values.flag("checkpoint"));
    values.require(longest >= shortest, "the longest length is below the shortest");
    values.require(shape.positions() >= longest, "lengths reach beyond the positions");
    values.require(shape.width() % shape.heads() == 0, "heads must divide the width");

    Device device = new Device();
    Torch torch = new Torch(device);
    Autograd autograd = new Autograd(torch);
    Gpt2 model = new Gpt2(torch, shape);
    Adam optimizer = new Adam(torch, model.parameters(), true, values.flag("fused"));
    MersenneTwister random = new MersenneTwister(seed);
    Tensor ids = null;
    for (int i = 0; i < iterations; i++) {
      for (int part = 0; part < accumulate; part++) {
        int length = longest > shortest ? random.between(shortest, longest) : shortest;
        Tensor fresh = Elementwise.toDevice(torch, DType.INT64, false, batch, length);
        if (ids != null) {
          ids.release();
        }
        ids = fresh;
        Tensor input = ids;
        Tensor[] loss = new Tensor[1];
        torch
            .autocast()
            .region(
                amp,
                () -> {
                  Tensor whole = model.loss(input);
                  loss[0] = Elementwise.scale(torch, whole);
                  whole.release();
                });
        autograd.backward(loss[0]);
        loss[0].release();
      }
      optimizer.step();
      model.parameters().zeroGradients(setToNone);
      if (emptyEvery > 0 && (i + 1) % emptyEvery == 0) {
        device.emptyCache();
      }
    }
    ids.release();
    optimizer.release();
    model.parameters().release();
    return device.trace();
  }
}
