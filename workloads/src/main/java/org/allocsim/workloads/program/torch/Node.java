package org.allocsim.workloads.program.torch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An operation in the graph of gradients. */
class Node {
  /** How gradients of the inputs come from those of the outputs. */
  @FunctionalInterface
  interface Backward {
    /**
     * Gradients of the inputs, null where there is none. The caller keeps the gradients given and
     * gets a reference to each one returned; an input that is not needed is left out by {@link
     * Node#needs}.
     */
    Tensor[] apply(Node node, Tensor[] gradients);
  }

  private final String name;
  private final long sequence;
  private final long stream;
  private final Edge[] edges;
  private final List<Saved> saved = new ArrayList<>(4);

  @SuppressWarnings("NullAway.Init") // set when the operation has run
  private Backward backward;

  private @Nullable Set<Node> left;
  private int outputs = 1;
  private int references;

  /** State of the backward pass that runs now. */
  int pendingGradients;

  long visit;
  Tensor @Nullable [] buffer;

  /**
   * @param stream on which the operation runs, and its backward pass
   */
  Node(String name, long sequence, long stream, Edge[] edges) {
    this.name = name;
    this.sequence = sequence;
    this.stream = stream;
    this.edges = edges;
    for (Edge edge : edges) {
      if (edge != null) {
        edge.node().retain();
      }
    }
  }

  String name() {
    return name;
  }

  long sequence() {
    return sequence;
  }

  long stream() {
    return stream;
  }

  Edge[] edges() {
    return edges;
  }

  int outputs() {
    return outputs;
  }

  boolean needs(int input) {
    return edges[input] != null && (left == null || !left.contains(edges[input].node()));
  }

  /** Leaves gradients of some inputs out until told otherwise; null for none. */
  void leaveOut(@Nullable Set<Node> targets) {
    left = targets;
  }

  void setBackward(Backward backward) {
    this.backward = backward;
  }

  /**
   * The only result of an operation, with how gradients of the inputs come from its own.
   *
   * @param node the operation, null where it is not recorded
   */
  static Tensor withBackward(@Nullable Node node, Tensor result, Backward backward) {
    if (node == null) {
      return result;
    }
    node.setBackward(backward);
    return node.produced(result, 0);
  }

  /** Makes a tensor a result of this operation. */
  Tensor produced(Tensor tensor, int output) {
    tensor.setProducer(this, output);
    outputs = Math.max(outputs, output + 1);
    return tensor;
  }

  Saved keep(Saved tensor) {
    saved.add(tensor);
    return tensor;
  }

  Tensor[] apply(Tensor[] gradients) {
    for (Saved tensor : saved) {
      if (tensor.isRecomputed()) {
        tensor.get();
      }
    }
    Tensor[] results = backward.apply(this, gradients);
    for (int i = saved.size() - 1; i >= 0; i--) {
      if (saved.get(i).isRecomputed()) {
        saved.get(i).usedLast();
      }
    }
    return results;
  }

  void releaseSaved() {
    for (Saved tensor : saved) {
      tensor.release();
    }
  }

  void retain() {
    references++;
  }

  void release() {
    if (--references > 0) {
      return;
    }
    ArrayDeque<Node> dead = new ArrayDeque<>();
    dead.add(this);
    while (!dead.isEmpty()) {
      Node node = dead.poll();
      node.releaseSaved();
      for (Edge edge : node.edges) {
        if (edge != null && --edge.node().references == 0) {
          dead.add(edge.node());
        }
      }
    }
  }
}
