package org.allocsim.workloads.program.torch.optimizer;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/** The parameters of a model on the device, in the order in which {@code to(device)} makes them. */
public final class Parameters {
  private final Torch torch;
  private final DType type;
  private final List<Tensor> all = new ArrayList<>();
  private final List<Tensor> buffers = new ArrayList<>();

  /** No parameters yet. */
  public Parameters(Torch torch, DType type) {
    this.torch = torch;
    this.type = type;
  }

  /** A parameter of these sizes. */
  public Tensor add(long... sizes) {
    Tensor parameter = torch.empty(type, sizes).requireGradient();
    torch.device().copy(parameter.bytes(), true, false);
    all.add(parameter);
    return parameter;
  }

  /** Takes over a reference to a tensor that is a parameter already. */
  public void adopt(Tensor parameter) {
    all.add(parameter);
  }

  /** A buffer, which no optimiser changes. */
  public Tensor buffer(DType bufferType, long... sizes) {
    Tensor buffer = torch.empty(bufferType, sizes);
    torch.device().copy(buffer.bytes(), true, false);
    buffers.add(buffer);
    return buffer;
  }

  /** Sets the order in which {@code parameters()} lists them, where it is another. */
  public void reorder(List<Tensor> order) {
    if (order.size() != all.size() || !order.containsAll(all)) {
      throw new IllegalArgumentException("the order must contain every parameter exactly once");
    }
    all.clear();
    all.addAll(order);
  }

  /** The parameters in order. */
  public List<Tensor> all() {
    return List.copyOf(all);
  }

  /** {@code zero_grad(set_to_none)}; without it gradients are filled with zeros. */
  public void zeroGradients(boolean setToNone) {
    for (Tensor parameter : all) {
      if (setToNone) {
        parameter.dropGradient();
      } else if (parameter.gradient() != null) {
        Elementwise.charge(torch, parameter, 0, 1);
      }
    }
  }

  /** Gives parameters, gradients and buffers back; the model cannot be used afterwards. */
  public void release() {
    all.forEach(Tensor::release);
    buffers.forEach(Tensor::release);
    all.clear();
    buffers.clear();
  }
}
