package org.allocsim.workloads.program.parallel;

import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.allocsim.workloads.program.torch.CustomFunction;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * How the linears of a block are split by {@code ColwiseParallel} and {@code RowwiseParallel}: each
 * rank computes some of the inner features, and the results are added up. With sequence parallelism
 * each rank keeps some of the tokens outside of them.
 */
final class TensorSplit {
  private static final int TOKENS = 1;

  private final Torch torch;
  private final ParallelLayout layout;
  private final Communicator communicator;
  private final DType type;
  private final boolean splitsTokens;

  /**
   * @param type of parameters and activations
   * @param splitsTokens whether there is sequence parallelism
   */
  TensorSplit(
      Torch torch,
      ParallelLayout layout,
      Communicator communicator,
      DType type,
      boolean splitsTokens) {
    this.torch = torch;
    this.layout = layout;
    this.communicator = communicator;
    this.type = type;
    this.splitsTokens = splitsTokens;
  }

  Torch torch() {
    return torch;
  }

  boolean splitsTokens() {
    return splitsTokens;
  }

  /** Parameters that go to the device now, all of them whole. */
  Parameters whole() {
    return new Parameters(torch, type);
  }

  /** This rank's part of something of a linear's outputs, in place of the whole, which goes. */
  Tensor outputs(Tensor whole) {
    return replaced(whole, shard(whole, 0));
  }

  /** The same of a linear's inputs; parts of columns are copied together before they travel. */
  Tensor inputs(Tensor whole) {
    Tensor[] parts = new Tensor[layout.ranks()];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = part(whole, 1);
    }
    Tensor columns = shard(whole, 1);
    Tensor.releaseAll(parts);
    return replaced(whole, columns);
  }

  /** Something that all ranks have whole. */
  void same(Tensor parameter) {
    communicator.run(Pattern.BROADCAST, parameter.bytes());
  }

  private static Tensor replaced(Tensor whole, Tensor part) {
    whole.release();
    return part.requireGradient();
  }

  private Tensor part(Tensor whole, int dimension) {
    long[] sizes = whole.sizes();
    sizes[dimension] = layout.chunk(sizes[dimension]);
    return torch.empty(whole.type(), sizes);
  }

  private Tensor shard(Tensor whole, int dimension) {
    Tensor part = part(whole, dimension);
    communicator.scatter(part.bytes());
    return part;
  }

  /** What a first linear takes: the tokens of all ranks; its gradient is added up. */
  Tensor enter(Tensor x) {
    return splitsTokens
        ? CustomFunction.apply(torch, x, this::gather, this::reduceScatter)
        : CustomFunction.onGradient(torch, x, this::allReduce);
  }

  /** What a last linear gives, added up over the ranks. */
  Tensor leave(Tensor x, Tensor weight, Tensor wholeBias) {
    // Only one rank's bias counts, so each gets one of its own for the product.
    Tensor bias =
        CustomFunction.apply(
            torch, wholeBias, whole -> Elementwise.unary(torch, whole), Tensor::retain);
    Tensor part = Products.linear(torch, x, weight, bias);
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
