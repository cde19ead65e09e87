package org.allocsim.workloads.program.catalog;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.ResNet;
import org.allocsim.workloads.program.torch.Autograd;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Losses;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.optimizer.GradScaler;
import org.allocsim.workloads.program.torch.optimizer.Sgd;

/** Training of a residual network of torchvision with momentum and scaled gradients. */
public final class ResNetTraining extends DescribedProgram {
  /** A program; the service loader makes it. */
  public ResNetTraining() {
    super(
        "resnet",
        "training of a residual network (torchvision's resnet50 unless set otherwise)",
        Options.ofTraining(
            new ProgramOption("iterations", "4", "optimiser steps"),
            new ProgramOption("depth", "50", "layers: 50, 101 or 152"),
            new ProgramOption("batch", "32", "images per batch"),
            new ProgramOption("image", "224", "image side length in pixels"),
            new ProgramOption("classes", "1000", "number of classes"),
            new ProgramOption("amp", "float16", "autocast: none, bfloat16 or float16"),
            new ProgramOption("scaler", "true", "scale gradients (GradScaler)"),
            new ProgramOption(
                "overflows",
                "3",
                "initial steps that the scaler skips because scaled gradients overflow, which"
                    + " depends on their values"),
            new ProgramOption("momentum", "true", "SGD with momentum"),
            new ProgramOption("set-to-none", "true", "free gradients after each step")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    int[] stages =
        switch (values.choice("depth", "50", "101", "152")) {
          case "101" -> new int[] {3, 4, 23, 3};
          case "152" -> new int[] {3, 8, 36, 3};
          default -> new int[] {3, 4, 6, 3};
        };
    int batch = values.count("batch");
    int image = values.number("image", 32);
    int classes = values.count("classes");
    int overflows = values.number("overflows", 0);
    boolean setToNone = values.flag("set-to-none");
    DType amp = Types.autocast(values, "amp");
    Device device = Options.device(values);
    Torch torch = new Torch(device);
    Autograd autograd = new Autograd(torch);
    Batches batches = new Batches(values, torch, seed);
    Evaluation evaluation = Evaluation.of(values, batch);
    ResNet model = new ResNet(torch, stages, classes);
    Sgd optimizer = new Sgd(torch, model.parameters(), values.flag("momentum"));
    GradScaler scaler = values.flag("scaler") ? new GradScaler(torch) : null;
    Tensor images = null;
    Tensor labels = null;
    Tensor[] loss = new Tensor[1];
    int iterations = values.count("iterations");
    for (int i = 0; i < iterations; i++) {
      device.begin("step " + i);
      batches.next();
      images = Tensor.replaced(images, batches.toDevice(DType.FLOAT32, batch, 3, image, image));
      labels = Tensor.replaced(labels, batches.toDevice(DType.INT64, batch));
      Tensor input = images;
      Tensor target = labels;
      torch
          .autocast()
          .region(amp, () -> loss[0] = Tensor.replaced(loss[0], loss(torch, model, input, target)));
      if (scaler == null) {
        autograd.backward(loss[0]);
        optimizer.step();
      } else {
        Tensor scaled = scaler.scale(loss[0]);
        autograd.backward(scaled);
        scaled.release();
        scaler.step(optimizer, i < overflows);
      }
      model.parameters().zeroGradients(setToNone);
      device.end("step " + i);
      model.train(false);
      evaluation.after(
          i,
          torch,
          () -> {
            batches.next();
            Tensor shown = batches.toDevice(DType.FLOAT32, evaluation.batch(), 3, image, image);
            torch.autocast().region(amp, () -> model.forward(shown).release());
            shown.release();
          });
      model.train(true);
    }
    loss[0].release();
    if (scaler != null) {
      scaler.release();
    }
    optimizer.release();
    model.parameters().release();
    Tensor.releaseAll(images, labels);
    batches.release();
    return device.trace();
  }

  private static Tensor loss(Torch torch, ResNet model, Tensor images, Tensor labels) {
    Tensor scores = model.forward(images);
    Tensor loss = Losses.crossEntropy(torch, scores, labels);
    scores.release();
    return loss;
  }
}
