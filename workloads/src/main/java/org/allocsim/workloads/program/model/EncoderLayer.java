package org.allocsim.workloads.program.model;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Normalization;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * {@code nn.TransformerEncoderLayer(width, heads, inner, batch_first=True, dropout=0)}: attention
 * and a feed-forward part with ReLU, each added to its input and then normalised.
 */
public final class EncoderLayer implements Block {
  private final Torch torch;
  private final SelfAttention attention;
  private Tensor expand;
  private Tensor expandBias;
  private Tensor contract;
  private Tensor contractBias;
  private final Tensor[] norm1;
  private final Tensor[] norm2;

  /** A layer whose parameters go to the device now. */
  public EncoderLayer(Torch torch, Parameters parameters, long width, long heads, long inner) {
    this.torch = torch;
    attention = new SelfAttention(torch, parameters, width, heads);
    expand = parameters.add(inner, width);
    expandBias = parameters.add(inner);
    contract = parameters.add(width, inner);
    contractBias = parameters.add(width);
    norm1 = new Tensor[] {parameters.add(width), parameters.add(width)};
    norm2 = new Tensor[] {parameters.add(width), parameters.add(width)};
  }

  @Override
  public List<Tensor> parameters() {
    List<Tensor> all = new ArrayList<>(attention.ordered());
    all.addAll(List.of(expand, expandBias, contract, contractBias));
    all.addAll(List.of(norm1[0], norm1[1], norm2[0], norm2[1]));
    return all;
  }

  @Override
  public void compute(List<Tensor> tensors) {
    attention.compute(tensors.subList(0, 4));
    expand = tensors.get(4);
    expandBias = tensors.get(5);
    contract = tensors.get(6);
    contractBias = tensors.get(7);
    norm1[0] = tensors.get(8);
    norm1[1] = tensors.get(9);
    norm2[0] = tensors.get(10);
    norm2[1] = tensors.get(11);
  }

  @Override
  public Tensor forward(Tensor input) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(input.retain());
      x = frame.rebind(x, normalised(x, attention.forward(x), norm1));
      x = frame.rebind(x, normalised(x, feedForward(x), norm2));
      return frame.leave(x);
    }
  }

  private Tensor normalised(Tensor x, Tensor change, Tensor[] norm) {
    Tensor sum = Elementwise.add(torch, x, change);
    change.release();
    Tensor out = Normalization.layerNorm(torch, sum, norm[0], norm[1]);
    sum.release();
    return out;
  }

  private Tensor feedForward(Tensor input) {
    Tensor wide = Products.linear(torch, input, expand, expandBias);
    Tensor bent = Elementwise.relu(torch, wide);
    wide.release();
    Tensor out = Products.linear(torch, bent, contract, contractBias);
    bent.release();
    return out;
  }
}
