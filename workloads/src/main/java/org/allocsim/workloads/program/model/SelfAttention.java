package org.allocsim.workloads.program.model;

import java.util.List;
import org.allocsim.workloads.program.torch.Attention;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * {@code nn.MultiheadAttention(batch_first=True)} of a tensor with itself: tokens become the first
 * dimension, and queries, keys and values come from one product.
 */
final class SelfAttention {
  private final Torch torch;
  private final long width;
  private final long heads;
  private Tensor project;
  private Tensor projectBias;
  private Tensor joined;
  private Tensor joinedBias;

  /** Parameters in the order of {@code to(device)}: those of a module's parts first. */
  SelfAttention(Torch torch, Parameters parameters, long width, long heads) {
    this.torch = torch;
    this.width = width;
    this.heads = heads;
    project = parameters.add(width, width);
    projectBias = parameters.add(width);
    joined = parameters.add(3 * width, width);
    joinedBias = parameters.add(3 * width);
  }

  /** In the order of {@code parameters()}: a module's own before those of its parts. */
  List<Tensor> ordered() {
    return List.of(joined, joinedBias, project, projectBias);
  }

  void compute(List<Tensor> tensors) {
    joined = tensors.get(0);
    joinedBias = tensors.get(1);
    project = tensors.get(2);
    projectBias = tensors.get(3);
  }

  Tensor forward(Tensor input) {
    long batch = input.size(0);
    long tokens = input.size(1);
    long features = width / heads;
    try (Frame frame = new Frame()) {
      Tensor turned = frame.own(Views.transpose(torch, input, 0, 1));
      Tensor[] parts = projections(turned);
      for (int i = 0; i < parts.length; i++) {
        Tensor part = frame.own(parts[i]);
        part = frame.rebind(part, Views.view(torch, part, tokens, batch * heads, features));
        part = frame.rebind(part, Views.transpose(torch, part, 0, 1));
        parts[i] = part;
      }
      for (int i = 0; i < parts.length; i++) {
        parts[i] =
            frame.rebind(parts[i], Views.view(torch, parts[i], batch, heads, tokens, features));
      }
      Tensor out = frame.own(Attention.attend(torch, parts[0], parts[1], parts[2]));
      out = frame.rebind(out, Views.permute(torch, out, 2, 0, 1, 3));
      out = frame.rebind(out, Elementwise.contiguous(torch, out));
      out = frame.rebind(out, Views.view(torch, out, tokens * batch, width));
      out = frame.rebind(out, Products.linear(torch, out, project, projectBias));
      out = frame.rebind(out, Views.view(torch, out, tokens, batch, width));
      out = frame.rebind(out, Views.transpose(torch, out, 0, 1));
      return frame.leave(out);
    }
  }

  /** Queries, keys and values from one product, laid apart by a copy. */
  private Tensor[] projections(Tensor turned) {
    try (Frame frame = new Frame()) {
      Tensor all = frame.own(Products.linear(torch, turned, joined, joinedBias));
      all = frame.rebind(all, Views.view(torch, all, turned.size(0), turned.size(1), 3, width));
      all = frame.rebind(all, Views.permute(torch, all, 2, 0, 1, 3));
      all = frame.rebind(all, Elementwise.contiguous(torch, all));
      Tensor[] parts = new Tensor[3];
      for (int i = 0; i < parts.length; i++) {
        parts[i] = Views.select(torch, all, 0);
      }
      return parts;
    }
  }
}
