package org.allocsim.workloads.program.model;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** {@code nn.Sequential} of linear layers of one width. */
public final class Mlp {
  private final Torch torch;
  private final Parameters parameters;
  private final List<Tensor[]> layers = new ArrayList<>();

  /** A model whose parameters go to the device now. */
  public Mlp(Torch torch, int count, long width) {
    this.torch = torch;
    parameters = new Parameters(torch, DType.FLOAT32);
    for (int i = 0; i < count; i++) {
      layers.add(new Tensor[] {parameters.add(width, width), parameters.add(width)});
    }
  }

  /** The parameters in order. */
  public Parameters parameters() {
    return parameters;
  }

  /** The last layer's result. */
  public Tensor forward(Tensor input) {
    Tensor hidden = input.retain();
    for (Tensor[] layer : layers) {
      Tensor next = Products.linear(torch, hidden, layer[0], layer[1]);
      hidden.release();
      hidden = next;
    }
    return hidden;
  }
}
