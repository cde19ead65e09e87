package org.allocsim.simulator.policy.ggml;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The tensors of a compute graph as ggml's graph allocator sees them: first the leafs, then the
 * nodes in the order in which they are computed.
 */
public final class TensorGraph {
  private final List<Tensor> leafs = new ArrayList<>();
  private final List<Tensor> nodes = new ArrayList<>();

  /** A tensor. */
  public static final class Tensor {
    final long bytes;
    final int buffer;
    final String layout;
    final @Nullable Tensor viewed;
    final List<Tensor> sources;
    final boolean isExternal;
    boolean isDependency;
    boolean isInPlace;
    boolean isInput;
    boolean isOutput;

    // What the allocator notes.
    int children;
    int views;
    boolean isOwn;
    int placedBuffer;
    long place;

    private Tensor(
        long bytes,
        int buffer,
        String layout,
        @Nullable Tensor viewed,
        List<Tensor> sources,
        boolean isExternal) {
      this.bytes = bytes;
      this.buffer = buffer;
      this.layout = layout;
      this.viewed = viewed == null || viewed.viewed == null ? viewed : viewed.viewed;
      this.sources = List.copyOf(sources);
      this.isExternal = isExternal;
    }

    /** The operation can write its result over one of its sources. */
    public Tensor inPlace() {
      isInPlace = true;
      return this;
    }

    /** The program writes it before the graph is computed. */
    public Tensor input() {
      isInput = true;
      return this;
    }

    /** The program reads it after the graph is computed. */
    public Tensor output() {
      isOutput = true;
      return this;
    }

    /** Its size. */
    public long bytes() {
      return bytes;
    }

    /** Its type, shape and strides. */
    public String layout() {
      return layout;
    }

    /** The buffer that it was placed in. */
    public int placedBuffer() {
      return placedBuffer;
    }

    /** Its place in that buffer, for {@link TensorAllocator#chunk}. */
    public long place() {
      return place;
    }

    boolean isView() {
      return viewed != null;
    }
  }

  /** A tensor that is computed before the graph, placed by the allocator. */
  public Tensor leaf(long bytes, int buffer, String layout) {
    return add(leafs, new Tensor(bytes, buffer, layout, null, List.of(), false));
  }

  /** A tensor in memory of its own, such as a weight. */
  public Tensor external(long bytes) {
    return new Tensor(bytes, 0, "", null, List.of(), true);
  }

  /**
   * The result of an operation.
   *
   * @param buffer the buffer that it belongs in
   * @param layout type, shape and strides; only a source of the same layout is written over
   */
  public Tensor node(long bytes, int buffer, String layout, Tensor... sources) {
    return add(nodes, new Tensor(bytes, buffer, layout, null, List.of(sources), false));
  }

  /** A tensor in the memory of another, its source. */
  public Tensor view(Tensor viewed, String layout) {
    return view(viewed, layout, viewed);
  }

  /** A tensor in the memory of another with sources of its own. */
  public Tensor view(Tensor viewed, String layout, Tensor... sources) {
    return add(
        nodes, new Tensor(viewed.bytes, viewed.buffer, layout, viewed, List.of(sources), false));
  }

  /** Keeps a tensor until this point of the graph. */
  public void dependency(Tensor source) {
    view(source, source.layout, source).isDependency = true;
  }

  private static Tensor add(List<Tensor> list, Tensor tensor) {
    list.add(tensor);
    return tensor;
  }

  List<Tensor> leafs() {
    return leafs;
  }

  List<Tensor> nodes() {
    return nodes;
  }
}
