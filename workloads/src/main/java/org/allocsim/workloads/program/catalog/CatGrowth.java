package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Joining;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;

/** A tensor that grows by {@code torch.cat} beside others of which some are let go. */
public final class CatGrowth extends DescribedProgram {
  /** A program; the service loader makes it. */
  public CatGrowth() {
    super(
        "cat-growth",
        "a tensor that grows by torch.cat or torch.stack, so that no freed block fits, alongside"
            + " tensors that are kept",
        Options.with(
            new ProgramOption("iterations", "120", "times the tensor grows"),
            new ProgramOption(
                "join", "cat", "cat, or stack: stack all parts, kept in a list, in every step"),
            new ProgramOption("grain", "1048576", "elements added in each step"),
            new ProgramOption("kept", "300000", "elements of the first tensor that is kept"),
            new ProgramOption(
                "kept-growth", "977", "additional elements of each further kept tensor"),
            new ProgramOption("thin-every", "17", "drop every other kept tensor every N steps")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    int iterations = values.count("iterations");
    int grain = values.count("grain");
    int kept = values.count("kept");
    int growth = values.number("kept-growth", 0);
    int every = values.count("thin-every");
    boolean stacks = values.choice("join", "cat", "stack").equals("stack");
    Device device = Options.device(values);
    Torch torch = new Torch(device);
    Tensor all = stacks ? null : Elementwise.filled(torch, DType.FLOAT32, 1, grain);
    List<Tensor> parts = new ArrayList<>();
    List<Tensor> keep = new ArrayList<>();
    for (int i = 0; i < iterations; i++) {
      device.begin("step " + i);
      Tensor more = Elementwise.filled(torch, DType.FLOAT32, 1, grain);
      Tensor joined;
      if (stacks) {
        parts.add(more);
        joined = Joining.stack(torch, parts.toArray(new Tensor[0]));
      } else {
        joined = Joining.cat(torch, 0, Objects.requireNonNull(all), more);
        more.release();
      }
      all = Tensor.replaced(all, joined);
      keep.add(Elementwise.filled(torch, DType.FLOAT32, kept + (long) i * growth));
      if (i % every == every - 1) {
        keep = everyOther(keep);
      }
      device.end("step " + i);
    }
    Tensor.releaseAll(all);
    parts.forEach(Tensor::release);
    keep.forEach(Tensor::release);
    return device.trace();
  }

  private static List<Tensor> everyOther(List<Tensor> tensors) {
    List<Tensor> left = new ArrayList<>();
    for (int i = 0; i < tensors.size(); i++) {
      if (i % 2 == 0) {
        left.add(tensors.get(i));
      } else {
        tensors.get(i).release();
      }
    }
    return left;
  }
}
