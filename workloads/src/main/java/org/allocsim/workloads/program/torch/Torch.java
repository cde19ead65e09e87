package org.allocsim.workloads.program.torch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.memory.Storage;
import org.jspecify.annotations.Nullable;

/**
 * The state of PyTorch that operations share: whether gradients are recorded, autocast, which
 * thread runs, what libraries hold. Rules are those of PyTorch 2.11 with CUDA 13 on compute
 * capability 9.0 unless a method says otherwise.
 */
public final class Torch {
  /**
   * cuBLAS workspace of a handle on a stream, 32 MiB on Hopper ({@code parseChosenWorkspaceSize} in
   * CUDABlas's handle pool).
   */
  private static final long CUBLAS_WORKSPACE_BYTES = 32L << 20;

  /** cuBLASLt workspace of a handle on a stream ({@code CUBLASLT_WORKSPACE_SIZE}, 1 MiB). */
  private static final long CUBLASLT_WORKSPACE_BYTES = 1L << 20;

  private record Workspace(boolean autogradThread, long stream, boolean isLt) {}

  private final Device device;
  private final Map<Workspace, Storage> workspaces = new HashMap<>();
  private boolean recordsGradients = true;
  private boolean isAutogradThread;
  private long sequence;
  private @Nullable Checkpoint checkpoint;
  private final Autocast autocast = new Autocast(this);

  /** Operations whose kernels are there; null where all are. */
  private @Nullable Set<String> loaded;

  /** A process that has asked for nothing yet. */
  public Torch(Device device) {
    this.device = device;
  }

  /** From now on the first run of each kind of operation waits until its kernels are loaded. */
  public void loadLazily() {
    loaded = new HashSet<>();
  }

  /** An operation, or its backward pass, is about to run. */
  void runs(String name, boolean isBackward) {
    if (loaded != null && loaded.add(isBackward ? name + ", backward" : name)) {
      device.loadKernels();
    }
  }

  /** The device on which tensors live. */
  public Device device() {
    return device;
  }

  /** Casts that operations make automatically. */
  public Autocast autocast() {
    return autocast;
  }

  /** A new tensor, laid out row by row. */
  public Tensor empty(DType type, long... sizes) {
    return strided(type, sizes, Shape.contiguous(sizes));
  }

  /** A tensor that has no memory yet ({@link Tensor#takeMemory}). */
  public Tensor withoutMemory(DType type, long... sizes) {
    Storage none = new Storage(device, Storage.NONE);
    return new Tensor(sizes, Shape.contiguous(sizes), type, none, null);
  }

  public Tensor emptyLike(Tensor other, DType type) {
    long[] sizes = other.sizesShared();
    return strided(type, sizes, Shape.denseLike(sizes, other.stridesShared()));
  }

  Tensor strided(DType type, long[] sizes, long[] strides) {
    long bytes = Shape.count(sizes) * type.bytes();
    int allocation = bytes == 0 ? Storage.NONE : device.allocate(bytes);
    return new Tensor(sizes, strides, type, new Storage(device, allocation), null);
  }

  /** The tensor itself where it is laid out row by row, else a copy; no gradient flows. */
  Tensor contiguous(Tensor a) {
    if (a.isContiguous()) {
      return a.retain();
    }
    Tensor copy = empty(a.type(), a.sizesShared());
    Elementwise.charge(this, copy, 0, 2);
    return copy;
  }

  Tensor buffer(long bytes) {
    return empty(DType.UINT8, bytes);
  }

  /** Memory that lives only while a kernel runs. */
  void scratch(long bytes) {
    if (bytes > 0) {
      buffer(bytes).release();
    }
  }

  /** Whether operations are recorded for a backward pass. */
  public boolean recordsGradients() {
    return recordsGradients;
  }

  /** Sets whether operations are recorded and returns what was set ({@code torch.no_grad}). */
  public boolean recordGradients(boolean record) {
    boolean before = recordsGradients;
    recordsGradients = record;
    return before;
  }

  boolean setAutogradThread(boolean autogradThread) {
    boolean before = isAutogradThread;
    isAutogradThread = autogradThread;
    return before;
  }

  @Nullable Checkpoint setCheckpoint(@Nullable Checkpoint current) {
    Checkpoint before = checkpoint;
    checkpoint = current;
    return before;
  }

  /** Sees that this thread's cuBLAS handle has its workspace on the current stream. */
  void needCublas() {
    need(new Workspace(isAutogradThread, device.stream(), false), CUBLAS_WORKSPACE_BYTES);
  }

  /** The same for a product with an epilogue, which cuBLASLt computes. */
  void needCublasLt() {
    needCublas();
    need(new Workspace(isAutogradThread, device.stream(), true), CUBLASLT_WORKSPACE_BYTES);
  }

  private void need(Workspace workspace, long bytes) {
    if (!workspaces.containsKey(workspace)) {
      Storage storage = new Storage(device, device.allocate(bytes));
      storage.retain();
      workspaces.put(workspace, storage);
    }
  }

  /** The next operation's place in the order of the forward pass. */
  long nextSequence() {
    return sequence++;
  }

  /**
   * The node of an operation that is about to run, or null where no gradient flows.
   *
   * @param inputs inputs in order, null for one that is no tensor
   */
  @Nullable Node node(String name, @Nullable Tensor... inputs) {
    runs(name, false);
    if (!recordsGradients) {
      return null;
    }
    boolean flows = false;
    Edge[] edges = new Edge[inputs.length];
    for (int i = 0; i < inputs.length; i++) {
      Node target = inputs[i] == null ? null : inputs[i].gradientNode(device.stream());
      if (target != null) {
        flows = true;
        edges[i] =
            new Edge(target, inputs[i].producerOutput(), inputs[i].sizesShared(), inputs[i].type());
      }
    }
    return flows ? new Node(name, nextSequence(), device.stream(), edges) : null;
  }

  /** Keeps a tensor for a node's backward pass, if there is one that needs an input's gradient. */
  Saved save(@Nullable Node node, int input, Tensor tensor) {
    return node != null && node.needs(input) ? save(node, tensor) : Saved.NONE;
  }

  /** Keeps a tensor for a node's backward pass, if there is one. */
  Saved save(@Nullable Node node, Tensor tensor) {
    if (node == null) {
      return Saved.NONE;
    }
    return node.keep(checkpoint == null ? new SavedTensor(tensor) : checkpoint.pack(tensor));
  }

  /** Lets one piece of code run without recording. */
  public void withoutGradients(Runnable code) {
    boolean before = recordGradients(false);
    try {
      code.run();
    } finally {
      recordGradients(before);
    }
  }

  private static final class SavedTensor implements Saved {
    private @Nullable Tensor tensor;

    SavedTensor(Tensor saved) {
      tensor = saved.detached();
    }

    @Override
    public Tensor get() {
      if (tensor == null) {
        throw new IllegalStateException("backward() was called twice on the same graph");
      }
      return tensor;
    }

    @Override
    public void release() {
      if (tensor != null) {
        tensor.release();
        tensor = null;
      }
    }
  }
}
