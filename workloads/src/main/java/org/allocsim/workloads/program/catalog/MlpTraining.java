package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Mlp;
import org.allocsim.workloads.program.torch.Autograd;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Reductions;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.optimizer.Adam;

/** Training of linear layers, with the classic leak of losses that are kept with their graphs. */
public final class MlpTraining extends DescribedProgram {
  /** A program; the service loader makes it. */
  public MlpTraining() {
    super(
        "mlp",
        "training of linear layers, optionally keeping losses and with them whole graphs",
        Options.ofTraining(
            new ProgramOption("iterations", "40", "optimiser steps"),
            new ProgramOption("layers", "6", "linear layers"),
            new ProgramOption("width", "2048", "features per layer"),
            new ProgramOption("batch", "512", "rows per batch"),
            new ProgramOption("fused", "false", "fused Adam instead of foreach"),
            new ProgramOption("set-to-none", "true", "free gradients after each step"),
            new ProgramOption(
                "keep",
                "none",
                "what a list keeps of each step: none, loss (only its number is needed), or"
                    + " graph (a loss without backward())")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    int iterations = values.count("iterations");
    int batch = values.count("batch");
    int width = values.count("width");
    boolean setToNone = values.flag("set-to-none");
    String keep = values.choice("keep", "none", "loss", "graph");
    Device device = Options.device(values);
    Torch torch = new Torch(device);
    Autograd autograd = new Autograd(torch);
    Batches batches = new Batches(values, torch, seed);
    Evaluation evaluation = Evaluation.of(values, batch);
    Mlp model = new Mlp(torch, values.count("layers"), width);
    Adam optimizer = new Adam(torch, model.parameters(), false, values.flag("fused"));
    List<Tensor> losses = new ArrayList<>();
    Tensor input = null;
    Tensor loss = null;
    for (int i = 0; i < iterations; i++) {
      device.begin("step " + i);
      batches.next();
      input = Tensor.replaced(input, batches.toDevice(DType.FLOAT32, batch, width));
      loss = Tensor.replaced(loss, meanSquare(torch, model, input));
      switch (keep) {
        case "loss" -> losses.add(loss.retain());
        case "graph" -> losses.add(withSum(torch, model, input, loss));
        default -> {}
      }
      autograd.backward(loss);
      optimizer.step();
      model.parameters().zeroGradients(setToNone);
      device.end("step " + i);
      evaluation.after(
          i,
          torch,
          () -> {
            batches.next();
            Tensor shown = batches.toDevice(DType.FLOAT32, evaluation.batch(), width);
            model.forward(shown).release();
            shown.release();
          });
    }
    Tensor.releaseAll(loss);
    losses.reversed().forEach(Tensor::release);
    optimizer.release();
    model.parameters().release();
    Tensor.releaseAll(input);
    batches.release();
    return device.trace();
  }

  /** {@code (model(x) ** 2).mean()}. */
  private static Tensor meanSquare(Torch torch, Mlp model, Tensor input) {
    Tensor out = model.forward(input);
    Tensor square = Elementwise.power(torch, out);
    out.release();
    Tensor mean = Reductions.mean(torch, square);
    square.release();
    return mean;
  }

  /** {@code loss + 0 * model(x).sum()}. */
  private static Tensor withSum(Torch torch, Mlp model, Tensor input, Tensor loss) {
    Tensor out = model.forward(input);
    Tensor sum = Reductions.sum(torch, out);
    out.release();
    Tensor nothing = Elementwise.scale(torch, sum);
    sum.release();
    Tensor kept = Elementwise.add(torch, loss, nothing);
    nothing.release();
    return kept;
  }
}
