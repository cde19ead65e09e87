package org.allocsim.workloads.program.parallel;

import java.util.List;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.allocsim.workloads.program.torch.CustomFunction;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * The experts that live on a rank, as one feed-forward part: each token of every rank goes to some
 * experts, and how many of them are here decides how much memory this rank needs.
 */
final class Experts {
  private final Torch torch;
  private final Communicator communicator;
  private final boolean exchanges;
  private final int each;
  private final Tensor expand;
  private final Tensor expandBias;
  private final Tensor contract;
  private final Tensor contractBias;

  /**
   * Experts whose parameters go to the device now.
   *
   * @param exchanges whether tokens travel ({@code all_to_all_single}), or as many of this rank's
   *     own stand for those that would come
   * @param each experts to which a token goes
   */
  Experts(
      Torch torch,
      Parameters parameters,
      Communicator communicator,
      boolean exchanges,
      int each,
      long width,
      long inner) {
    this.torch = torch;
    this.communicator = communicator;
    this.exchanges = exchanges;
    this.each = each;
    expand = parameters.add(inner, width);
    expandBias = parameters.add(inner);
    contract = parameters.add(width, inner);
    contractBias = parameters.add(width);
  }

  List<Tensor> parameters() {
    return List.of(expand, expandBias, contract, contractBias);
  }

  /** The tokens that this rank's experts get, of which there are {@code count}. */
  Tensor routed(Tensor tokens, long count) {
    Tensor copies = CustomFunction.apply(torch, tokens, this::repeated, this::summed);
    Tensor routed = exchanges ? exchanged(copies, count) : Views.slice(torch, copies, 0, count);
    copies.release();
    return routed;
  }

  /** What the experts make of them, where their tokens came from. */
  Tensor forward(Tensor routed, long back) {
    try (Frame frame = new Frame()) {
      Tensor x = frame.own(Products.linear(torch, routed, expand, expandBias));
      x = frame.rebind(x, Elementwise.activation(torch, "Gelu", x));
      x = frame.rebind(x, Products.linear(torch, x, contract, contractBias));
      if (exchanges) {
        x = frame.rebind(x, exchanged(x, back));
      }
      return frame.leave(x);
    }
  }

  private Tensor exchanged(Tensor rows, long count) {
    long before = rows.size(0);
    return CustomFunction.apply(torch, rows, a -> allToAll(a, count), g -> allToAll(g, before));
  }

  private Tensor allToAll(Tensor rows, long count) {
    Tensor arrived = torch.empty(rows.type(), count, rows.size(1));
    communicator.run(Pattern.ALL_TO_ALL, Math.max(rows.bytes(), arrived.bytes()));
    return arrived;
  }

  private Tensor repeated(Tensor tokens) {
    Tensor out = torch.empty(tokens.type(), each * tokens.size(0), tokens.size(1));
    Elementwise.charge(torch, out, 0, 2);
    return out;
  }

  private Tensor summed(Tensor gradient) {
    Tensor out = torch.empty(gradient.type(), gradient.size(0) / each, gradient.size(1));
    Elementwise.charge(torch, gradient, 1, 1);
    return out;
  }
}
