package org.allocsim.workloads.program.torch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The backward pass, in the order of PyTorch's engine: of the operations whose gradients are
 * complete the one that ran last in the forward pass goes first, parameters before all.
 */
public final class Autograd {
  private final Torch torch;
  private long visits;

  /** An engine for the graphs of one process. */
  public Autograd(Torch torch) {
    this.torch = torch;
  }

  /** {@code loss.backward()}: what was saved is given back on the way. */
  public void backward(Tensor loss) {
    backward(loss, false);
  }

  /** {@code loss.backward(retain_graph=retain)}. */
  public void backward(Tensor loss, boolean retain) {
    Tensor ones = torch.empty(loss.type(), loss.sizes());
    walkFrom(loss, ones, retain);
    ones.release();
  }

  /** {@code torch.autograd.backward(output, gradient)}; the gradient stays with the caller. */
  public void backward(Tensor output, Tensor gradient) {
    walkFrom(output, gradient, false);
  }

  private void walkFrom(Tensor output, Tensor gradient, boolean retain) {
    Node root = output.producer();
    if (root == null) {
      throw new IllegalStateException(output + " has no recorded graph, which backward() needs");
    }
    boolean recorded = torch.recordGradients(false);
    boolean onEngine = torch.setAutogradThread(true);
    try {
      countGradients(root);
      root.buffer = new Tensor[root.outputs()];
      root.buffer[output.producerOutput()] = gradient.retain();
      walk(root, retain);
    } finally {
      torch.setAutogradThread(onEngine);
      torch.recordGradients(recorded);
    }
  }

  /** Gradients of weights that a backward pass has left for later. */
  public final class Later {
    private final List<Node> nodes = new ArrayList<>();
    private final List<Tensor[]> gradients = new ArrayList<>();
    private final Set<Node> done;

    private Later(Set<Node> done) {
      this.done = done;
    }

    /**
     * Computes them one after the other, and gives back what they needed ({@code
     * stage_backward_weight} of PyTorch 2.11, which copies each gradient that it begins with).
     *
     * @param parameters in the order of their gradients
     */
    public void backward(List<Tensor> parameters) {
      boolean recorded = torch.recordGradients(false);
      boolean onEngine = torch.setAutogradThread(true);
      Tensor copied = null;
      try {
        for (int i : inOrderOf(parameters)) {
          Node node = nodes.get(i);
          node.leaveOut(done);
          countGradients(node);
          Tensor[] first = gradients.get(i).clone();
          for (int output = 0; output < first.length; output++) {
            if (first[output] != null) {
              first[output] = Elementwise.unary(torch, first[output]);
              copied = Tensor.replaced(copied, first[output].retain());
            }
          }
          node.buffer = first;
          walk(node, false);
          Tensor.releaseAll(gradients.get(i));
          node.leaveOut(null);
          node.release();
        }
        Tensor.releaseAll(copied);
      } finally {
        torch.setAutogradThread(onEngine);
        torch.recordGradients(recorded);
      }
    }

    private List<Integer> inOrderOf(List<Tensor> parameters) {
      IdentityHashMap<Tensor, Integer> places = new IdentityHashMap<>();
      parameters.forEach(parameter -> places.put(parameter, places.size()));
      List<Integer> order = new ArrayList<>(IntStream.range(0, nodes.size()).boxed().toList());
      order.sort(Comparator.comparingInt(i -> firstPlace(nodes.get(i), places)));
      return order;
    }

    /** The first parameter whose gradient a node leads to. */
    private int firstPlace(Node node, IdentityHashMap<Tensor, Integer> places) {
      if (node instanceof AccumulateGrad end) {
        return places.getOrDefault(end.parameter(), Integer.MAX_VALUE);
      }
      int first = Integer.MAX_VALUE;
      for (Edge edge : node.edges()) {
        if (edge != null && !done.contains(edge.node())) {
          first = Math.min(first, firstPlace(edge.node(), places));
        }
      }
      return first;
    }
  }

  /**
   * The gradient of an input only; those of weights are left for later ({@code
   * stage_backward_input} of PyTorch's pipelines).
   *
   * @param gradient of the output, null for ones; it stays with the caller
   */
  public Later backwardInput(Tensor output, @Nullable Tensor gradient, Tensor input) {
    Node root = Objects.requireNonNull(output.producer());
    Node end = Objects.requireNonNull(input.gradientNode(torch.device().stream()));
    Set<Node> towards = new HashSet<>();
    Set<Node> others = new HashSet<>();
    divide(root, end, towards, others);
    Later later = new Later(towards);
    Tensor first =
        gradient == null ? torch.empty(output.type(), output.sizes()) : gradient.retain();
    boolean recorded = torch.recordGradients(false);
    boolean onEngine = torch.setAutogradThread(true);
    try {
      towards.forEach(node -> node.leaveOut(others));
      countGradients(root);
      root.buffer = new Tensor[root.outputs()];
      root.buffer[output.producerOutput()] = first;
      walk(root, true, node -> leave(node, others, later));
      towards.forEach(node -> node.leaveOut(null));
    } finally {
      torch.setAutogradThread(onEngine);
      torch.recordGradients(recorded);
    }
    return later;
  }

  /** Notes a node of whose gradients some are left for later. */
  private static void leave(Node node, Set<Node> others, Later later) {
    for (Edge edge : node.edges()) {
      if (edge != null && others.contains(edge.node())) {
        node.retain();
        Tensor[] kept = Objects.requireNonNull(node.buffer).clone();
        for (Tensor each : kept) {
          if (each != null) {
            each.retain();
          }
        }
        later.nodes.add(node);
        later.gradients.add(kept);
        return;
      }
    }
  }

  /** Divides the nodes of a graph into those from which there is a way to the end, and others. */
  private static void divide(Node root, Node end, Set<Node> towards, Set<Node> others) {
    Set<Node> seen = new HashSet<>();
    ArrayDeque<Node> open = new ArrayDeque<>();
    seen.add(root);
    open.add(root);
    while (!open.isEmpty()) {
      for (Edge edge : open.poll().edges()) {
        if (edge != null && seen.add(edge.node())) {
          open.add(edge.node());
        }
      }
    }
    List<Node> forward = new ArrayList<>(seen);
    // Ends of the graph come last by their numbers; they have no way to go.
    forward.sort((a, b) -> Long.compare(a.sequence(), b.sequence()));
    towards.add(end);
    for (Node node : forward) {
      boolean leads = towards.contains(node);
      for (Edge edge : node.edges()) {
        leads |= edge != null && towards.contains(edge.node());
      }
      (leads ? towards : others).add(node);
    }
  }

  private void countGradients(Node root) {
    long visit = ++visits;
    ArrayDeque<Node> open = new ArrayDeque<>();
    root.visit = visit;
    root.pendingGradients = 0;
    open.add(root);
    while (!open.isEmpty()) {
      Node node = open.poll();
      for (int i = 0; i < node.edges().length; i++) {
        if (!node.needs(i)) {
          continue;
        }
        Node next = node.edges()[i].node();
        if (next.visit != visit) {
          next.visit = visit;
          next.pendingGradients = 0;
          next.buffer = null;
          open.add(next);
        }
        next.pendingGradients++;
      }
    }
  }

  private void walk(Node root, boolean retain) {
    walk(root, retain, node -> {});
  }

  private void walk(Node root, boolean retain, Consumer<Node> before) {
    long stream = torch.device().stream();
    try {
      walkNodes(root, retain, before);
    } finally {
      torch.device().setStream(stream);
    }
  }

  private void walkNodes(Node root, boolean retain, Consumer<Node> before) {
    PriorityQueue<Node> ready =
        new PriorityQueue<>((a, b) -> Long.compare(b.sequence(), a.sequence()));
    ready.add(root);
    while (!ready.isEmpty()) {
      Node node = ready.poll();
      before.accept(node);
      Tensor[] gradients = Objects.requireNonNull(node.buffer);
      node.buffer = null;
      // Each operation's backward pass runs on the stream of its forward pass.
      torch.device().setStream(node.stream());
      if (node instanceof AccumulateGrad end) {
        accumulate(end.parameter(), gradients[0]);
        end.parameter().accumulated();
        continue;
      }
      torch.runs(node.name(), true);
      Tensor[] results = node.apply(gradients);
      fit(node, results);
      for (Tensor gradient : gradients) {
        if (gradient != null) {
          gradient.release();
        }
      }
      if (!retain) {
        node.releaseSaved();
      }
      distribute(node, results, ready);
    }
  }

  /** Gives gradients the sizes and element types of the inputs ({@code validate_outputs}). */
  private void fit(Node node, Tensor[] results) {
    for (int i = 0; i < results.length; i++) {
      if (results[i] == null || !node.needs(i)) {
        continue;
      }
      Edge edge = node.edges()[i];
      if (!Arrays.equals(results[i].sizesShared(), edge.sizes())) {
        Tensor summed = Reductions.sumTo(torch, results[i], edge.sizes());
        results[i].release();
        results[i] = summed;
      }
      if (results[i].type() != edge.type()) {
        Tensor cast = Elementwise.copyAs(torch, results[i], edge.type());
        results[i].release();
        results[i] = cast;
      }
    }
  }

  private void distribute(Node node, Tensor[] results, PriorityQueue<Node> ready) {
    for (int i = 0; i < node.edges().length; i++) {
      Edge edge = node.edges()[i];
      Tensor result = i < results.length ? results[i] : null;
      if (!node.needs(i)) {
        if (result != null) {
          result.release();
        }
        continue;
      }
      Node next = edge.node();
      Tensor[] buffer = next.buffer;
      if (buffer == null) {
        buffer = new Tensor[Math.max(1, next.outputs())];
        next.buffer = buffer;
      }
      if (result != null) {
        if (next.stream() != node.stream()) {
          torch.device().waitStream(next.stream(), node.stream());
          result.recordStream(next.stream());
        }
        buffer[edge.output()] = add(buffer[edge.output()], result);
      }
      if (--next.pendingGradients == 0) {
        ready.add(next);
      }
    }
  }

  /** Adds a gradient to those that arrived before ({@code InputBuffer::accumulate}). */
  private Tensor add(@Nullable Tensor before, Tensor more) {
    if (before == null) {
      return more;
    }
    Tensor sum = before;
    boolean inPlace =
        before.references() == 1 && before.storage().references() == 1 && before.isDense();
    if (!inPlace) {
      sum = torch.emptyLike(before, before.type());
    }
    Elementwise.charge(torch, sum, 1, 3);
    if (!inPlace) {
      before.release();
    }
    more.release();
    return sum;
  }

  /** {@code AccumulateGrad}: the first gradient is taken as it is where its layout allows. */
  private void accumulate(Tensor parameter, @Nullable Tensor gradient) {
    if (gradient == null) {
      return;
    }
    if (parameter.gradient() != null) {
      Elementwise.charge(torch, parameter, 1, 3);
      gradient.release();
      return;
    }
    boolean fits =
        gradient.isDense() && hasStridesOf(gradient, parameter) && gradient.references() == 1;
    if (fits) {
      parameter.setGradient(gradient.detached());
    } else {
      Tensor copy = torch.emptyLike(parameter, parameter.type());
      Elementwise.charge(torch, copy, 0, 2);
      parameter.setGradient(copy);
    }
    gradient.release();
  }

  private static boolean hasStridesOf(Tensor gradient, Tensor parameter) {
    for (int i = 0; i < parameter.dimensions(); i++) {
      if (parameter.size(i) != 1 && gradient.stridesShared()[i] != parameter.stridesShared()[i]) {
        return false;
      }
    }
    return true;
  }
}
