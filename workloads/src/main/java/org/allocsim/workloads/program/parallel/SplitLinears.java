package org.allocsim.workloads.program.parallel;

import java.util.List;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.CustomFunction;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Normalization;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * {@code x + b(gelu(a(norm(x))))} whose linears are split by {@code ColwiseParallel} and {@code
 * RowwiseParallel}: each rank computes some of the inner features, and the results are added up.
 * With sequence parallelism each rank keeps some of the tokens between the linears.
 */
final class SplitLinears implements Block {
  private static final int TOKENS = 1;

  private final Torch torch;
  private final ParallelLayout layout;
  private final Communicator communicator;
  private final boolean splitsTokens;
  private final Tensor[] parameters = new Tensor[6];

  /** A block whose parameters go to the device now, all of them whole. */
  SplitLinears(
      Torch torch,
      ParallelLayout layout,
      Communicator communicator,
      boolean splitsTokens,
      long width,
      long inner) {
    this.torch = torch;
    this.layout = layout;
    this.communicator = communicator;
    this.splitsTokens = splitsTokens;
    Parameters whole = new Parameters(torch, DType.FLOAT32);
    parameters[0] = whole.add(inner, width);
    parameters[1] = whole.add(inner);
    parameters[2] = whole.add(width, inner);
    parameters[3] = whole.add(width);
    parameters[4] = whole.add(width);
    parameters[5] = whole.add(width);
  }

  @Override
  public List<Tensor> parameters() {
    return List.of(parameters);
  }

  @Override
  public void compute(List<Tensor> tensors) {
    tensors.toArray(parameters);
  }

  /** {@code parallelize_module}: each rank gets its part of each weight; the whole ones go. */
  void split() {
    Tensor weight = shard(parameters[0], 0);
    Tensor bias = shard(parameters[1], 0);
    replace(0, weight);
    replace(1, bias);
    // Parts of columns are copied together before they travel.
    Tensor[] parts = new Tensor[layout.ranks()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = part(parameters[2], 1);
    }
    Tensor columns = shard(parameters[2], 1);
    Tensor.releaseAll(parts);
    replace(2, columns);
    communicator.run(Pattern.BROADCAST, parameters[3].bytes());
  }

  private void replace(int index, Tensor fresh) {
    Tensor old = parameters[index];
    parameters[index] = fresh.requireGradient();
    old.release();
  }

  private Tensor part(Tensor whole, int dimension) {
    long[] sizes = whole.sizes();
    sizes[dimension] = layout.chunk(sizes[dimension]);
    return torch.empty(whole.type(), sizes);
  }

  private Tensor shard(Tensor whole, int dimension) {
    Tensor part = part(whole, dimension);
    communicator.run(Pattern.SEND, part.bytes());
    return part;
  }

  @Override
  public Tensor forward(Tensor input) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(Normalization.layerNorm(torch, input, parameters[4], parameters[5]));
      x = frame.rebind(x, enter(x));
      x = frame.rebind(x, Products.linear(torch, x, parameters[0], parameters[1]));
      x = frame.rebind(x, Elementwise.activation(torch, "Gelu", x));
      x = frame.rebind(x, addedUp(x));
      return Elementwise.add(torch, input, x);
    }
  }

  /** What the first linear takes: the tokens of all ranks; its gradient is added up. */
  private Tensor enter(Tensor x) {
    return splitsTokens
        ? CustomFunction.apply(torch, x, this::gather, this::reduceScatter)
        : CustomFunction.onGradient(torch, x, this::allReduce);
  }

  private Tensor addedUp(Tensor x) {
    // Only one rank's bias counts, so each gets one of its own for the product.
    Tensor bias =
        CustomFunction.apply(
            torch, parameters[3], whole -> Elementwise.unary(torch, whole), Tensor::retain);
    Tensor part = Products.linear(torch, x, parameters[2], bias);
    bias.release();
    Tensor sum =
        splitsTokens
            ? CustomFunction.apply(torch, part, this::reduceScatter, this::gather)
            : CustomFunction.apply(torch, part, this::allReduce, Tensor::retain);
    part.release();
    return sum;
  }

  /** Functional collectives write into a copy. */
  private Tensor allReduce(Tensor a) {
    Tensor copy = Elementwise.unary(torch, a);
    communicator.run(Pattern.ALL_REDUCE, copy.bytes());
    return copy;
  }

  /** Ranks' tokens come one after the other and are then put where they belong. */
  private Tensor gather(Tensor a) {
    long[] sizes = a.sizes();
    sizes[TOKENS] *= layout.ranks();
    Tensor arrived = torch.empty(a.type(), sizes);
    communicator.run(Pattern.ALL_GATHER, arrived.bytes());
    Tensor joined = Elementwise.unary(torch, arrived);
    arrived.release();
    return joined;
  }

  private Tensor reduceScatter(Tensor a) {
    Tensor apart = Elementwise.unary(torch, a);
    long[] sizes = a.sizes();
    sizes[TOKENS] /= layout.ranks();
    Tensor sum = torch.empty(a.type(), sizes);
    communicator.run(Pattern.REDUCE_SCATTER, apart.bytes());
    apart.release();
    return sum;
  }
}
