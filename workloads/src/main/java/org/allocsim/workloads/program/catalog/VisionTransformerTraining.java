package org.allocsim.workloads.program.catalog;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.VisionTransformer;
import org.allocsim.workloads.program.torch.Autograd;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Losses;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.optimizer.Adam;

/** Training of a vision transformer of torchvision with AdamW. */
public final class VisionTransformerTraining extends DescribedProgram {
  /** A program; the service loader makes it. */
  public VisionTransformerTraining() {
    super(
        "vit",
        "training of a vision transformer (torchvision's vit_b_16 unless set otherwise)",
        Options.ofTraining(
            new ProgramOption("iterations", "4", "optimiser steps"),
            new ProgramOption("batch", "16", "images per batch"),
            new ProgramOption("image", "224", "image side length in pixels"),
            new ProgramOption("patch", "16", "patch side length in pixels"),
            new ProgramOption("layers", "12", "blocks of the model"),
            new ProgramOption("width", "768", "features per token"),
            new ProgramOption("heads", "12", "attention heads"),
            new ProgramOption("inner", "3072", "features inside a feed-forward block"),
            new ProgramOption("classes", "1000", "number of classes"),
            new ProgramOption("amp", "none", "autocast: none, bfloat16 or float16"),
            new ProgramOption("fused", "false", "fused AdamW instead of foreach"),
            new ProgramOption("set-to-none", "true", "free gradients after each step")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    VisionTransformer.Shape shape =
        new VisionTransformer.Shape(
            values.count("image"),
            values.count("patch"),
            values.count("layers"),
            values.count("width"),
            values.count("heads"),
            values.count("inner"),
            values.count("classes"));
    values.require(shape.image() % shape.patch() == 0, "patches must divide the image");
    values.require(shape.width() % shape.heads() == 0, "heads must divide the width");
    int batch = values.count("batch");
    boolean setToNone = values.flag("set-to-none");
    DType amp = Types.autocast(values, "amp");
    Device device = Options.device(values);
    Torch torch = new Torch(device);
    Autograd autograd = new Autograd(torch);
    Batches batches = new Batches(values, torch, seed);
    Evaluation evaluation = Evaluation.of(values, batch);
    VisionTransformer model = new VisionTransformer(torch, shape);
    Adam optimizer = new Adam(torch, model.parameters(), true, values.flag("fused"));
    Tensor images = null;
    int iterations = values.count("iterations");
    for (int i = 0; i < iterations; i++) {
      device.begin("step " + i);
      Tensor fresh = images(torch, batches, batch, shape.image());
      images = Tensor.replaced(images, fresh);
      Tensor input = images;
      Tensor[] loss = new Tensor[1];
      torch.autocast().region(amp, () -> loss[0] = Losses.meanSquare(torch, model.forward(input)));
      autograd.backward(loss[0]);
      loss[0].release();
      optimizer.step();
      model.parameters().zeroGradients(setToNone);
      device.end("step " + i);
      evaluation.after(
          i,
          torch,
          () -> {
            Tensor shown = images(torch, batches, evaluation.batch(), shape.image());
            torch.autocast().region(amp, () -> model.forward(shown).release());
            shown.release();
          });
    }
    optimizer.release();
    model.parameters().release();
    Tensor.releaseAll(images);
    batches.release();
    return device.trace();
  }

  /** A batch from the host where options ask for that, else drawn on the device. */
  private static Tensor images(Torch torch, Batches batches, int batch, int side) {
    if (!batches.areOnHost()) {
      return Elementwise.filled(torch, DType.FLOAT32, batch, 3, side, side);
    }
    batches.next();
    return batches.toDevice(DType.FLOAT32, batch, 3, side, side);
  }
}
