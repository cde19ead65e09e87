package org.allocsim.workloads.program.torch;

import java.util.Arrays;
import org.allocsim.workloads.program.torch.memory.Storage;
import org.jspecify.annotations.Nullable;

/**
 * A tensor without values: sizes, strides, element type and memory. It is counted like PyTorch's
 * {@code TensorImpl}: whoever gets one from an operation owns a reference and releases it; the
 * memory goes back to the allocator with the last reference to the last tensor on it.
 */
public final class Tensor {
  private final long[] sizes;
  private final long[] strides;
  private final DType type;
  private final Storage storage;

  /** The tensor of which this is a view; a view keeps it (PyTorch's {@code ViewInfo}). */
  private final @Nullable Tensor base;

  private int references = 1;
  private boolean isLeafWithGradient;
  private @Nullable Tensor gradient;
  private @Nullable Node producer;
  private int producerOutput;
  private @Nullable AccumulateGrad accumulator;
  private @Nullable Runnable afterAccumulation;

  Tensor(long[] sizes, long[] strides, DType type, Storage storage, @Nullable Tensor base) {
    this.sizes = sizes;
    this.strides = strides;
    this.type = type;
    this.storage = storage;
    this.base = base;
    storage.retain();
    if (base != null) {
      base.retain();
    }
  }

  /** Number of dimensions. */
  public int dimensions() {
    return sizes.length;
  }

  /** Size of a dimension; negative ones count from the last. */
  public long size(int dimension) {
    return sizes[dimension < 0 ? dimension + sizes.length : dimension];
  }

  /** Sizes of all dimensions. */
  public long[] sizes() {
    return sizes.clone();
  }

  long[] sizesShared() {
    return sizes;
  }

  long[] stridesShared() {
    return strides;
  }

  /** Element type. */
  public DType type() {
    return type;
  }

  /** Number of elements. */
  public long count() {
    return Shape.count(sizes);
  }

  /** Bytes of all elements. */
  public long bytes() {
    return count() * type.bytes();
  }

  boolean isContiguous() {
    return Shape.isContiguous(sizes, strides);
  }

  boolean isDense() {
    return Shape.isDense(sizes, strides);
  }

  Storage storage() {
    return storage;
  }

  /** The tensor whose memory this one shows. */
  Tensor root() {
    return base == null ? this : base;
  }

  boolean isView() {
    return base != null;
  }

  int references() {
    return references;
  }

  /** Adds a reference and returns this tensor. */
  public Tensor retain() {
    references++;
    return this;
  }

  /** Gives a reference back. */
  public void release() {
    if (--references > 0) {
      return;
    }
    if (references < 0) {
      throw new IllegalStateException("tensor " + this + " was released too often");
    }
    if (gradient != null) {
      gradient.release();
      gradient = null;
    }
    storage.release();
    detach();
    if (base != null) {
      base.release();
    }
  }

  /** Gives a reference back, if there is one, for another tensor to take its place. */
  public static Tensor replaced(@Nullable Tensor old, Tensor fresh) {
    releaseAll(old);
    return fresh;
  }

  /** Gives references back, where there are some. */
  public static void releaseAll(@Nullable Tensor... tensors) {
    for (Tensor tensor : tensors) {
      if (tensor != null) {
        tensor.release();
      }
    }
  }

  /** {@code tensor.record_stream(stream)}. */
  public void recordStream(long handle) {
    storage.useStream(handle);
  }

  /** Whether gradients flow to or through this tensor. */
  public boolean requiresGradient() {
    return isLeafWithGradient || producer != null;
  }

  /** Makes this a parameter. */
  public Tensor requireGradient() {
    isLeafWithGradient = true;
    return this;
  }

  /** The gradient of a parameter, or null. */
  public @Nullable Tensor gradient() {
    return gradient;
  }

  /** Takes over a reference to a gradient. */
  void setGradient(Tensor gradient) {
    this.gradient = gradient;
  }

  /** {@code parameter.grad = gradient}: takes over the reference and gives the old one back. */
  public void replaceGradient(Tensor fresh) {
    Tensor old = gradient;
    gradient = fresh;
    releaseAll(old);
  }

  /**
   * {@code register_post_accumulate_grad_hook}: runs whenever a gradient has arrived here.
   *
   * @param stream that is current, on which gradients arrive
   */
  public void afterAccumulation(long stream, Runnable hook) {
    gradientNode(stream);
    afterAccumulation = hook;
  }

  void accumulated() {
    if (afterAccumulation != null) {
      afterAccumulation.run();
    }
  }

  /** {@code untyped_storage().resize_(0)}: the memory goes, the tensor stays. */
  public void freeMemory() {
    storage.freeMemory();
  }

  /** {@code untyped_storage().resize_(bytes)}: the tensor, which has no memory, gets some. */
  public void takeMemory() {
    storage.takeMemory(bytes());
  }

  /** Gives the gradient back, as {@code zero_grad(set_to_none=True)}. */
  public void dropGradient() {
    if (gradient != null) {
      Tensor old = gradient;
      gradient = null;
      old.release();
    }
  }

  @Nullable Node producer() {
    return producer;
  }

  int producerOutput() {
    return producerOutput;
  }

  void setProducer(Node node, int output) {
    node.retain();
    producer = node;
    producerOutput = output;
  }

  /**
   * Where the gradient of this tensor goes, or null.
   *
   * @param stream that is current
   */
  @Nullable Node gradientNode(long stream) {
    if (producer != null) {
      return producer;
    }
    if (!isLeafWithGradient) {
      return null;
    }
    if (accumulator == null) {
      accumulator = new AccumulateGrad(this, stream);
    }
    return accumulator;
  }

  /** Forgets what it was computed from ({@code detach_}): no gradient flows through it any more. */
  public void detach() {
    if (producer != null) {
      producer.release();
      producer = null;
    }
  }

  /** Another tensor on the same memory that no gradient flows through. */
  Tensor detached() {
    return new Tensor(sizes, strides, type, storage, null);
  }

  @Override
  public String toString() {
    return type + Arrays.toString(sizes);
  }
}
