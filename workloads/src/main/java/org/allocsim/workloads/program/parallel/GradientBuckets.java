package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;

/**
 * The buckets of {@code DistributedDataParallel} (PyTorch 2.11, reducer.cpp). The first backward
 * pass has one for all gradients; the second forward pass makes new ones, in the order in which
 * gradients came, because small ones travel while the rest is computed.
 */
final class GradientBuckets {
  private static final long FIRST_BUCKET_BYTES = 1L << 20;

  /** Most buckets of parameters that are on their way from the first rank at once. */
  private static final int MAX_BROADCASTS = 2;

  private static final long BROADCAST_BYTES = 250L << 20;

  private static final class Bucket {
    private final Tensor memory;
    private final List<Tensor> parameters;
    private int missing;

    Bucket(Tensor memory, List<Tensor> parameters) {
      this.memory = memory;
      this.parameters = parameters;
    }
  }

  private final Torch torch;
  private final Communicator communicator;
  private final boolean asViews;
  private final long bucketBytes;
  private final boolean isHeld;
  private final List<Tensor> arrived = new ArrayList<>();
  private final IdentityHashMap<Tensor, Bucket> bucketOf = new IdentityHashMap<>();
  private final List<Bucket> buckets = new ArrayList<>();
  private boolean isRebuilt;
  private List<Tensor> old = List.of();

  /**
   * Wraps a model.
   *
   * @param parameters in the order of {@code parameters()}
   * @param asViews {@code gradient_as_bucket_view}
   * @param bucketBytes {@code bucket_cap_mb}
   * @param isHeld whether NCCL's watchdog, which looks every 100 ms, still holds the first bucket
   *     when the second forward pass begins, and until its backward pass
   */
  GradientBuckets(
      Torch torch,
      Communicator communicator,
      List<Tensor> parameters,
      boolean asViews,
      long bucketBytes,
      boolean isHeld) {
    this.torch = torch;
    this.communicator = communicator;
    this.asViews = asViews;
    this.bucketBytes = bucketBytes;
    this.isHeld = isHeld;
    broadcast(parameters);
    add(parameters);
    for (Tensor parameter : parameters) {
      parameter.afterAccumulation(torch.device().stream(), () -> arrived(parameter));
    }
  }

  /** Sizes in which tensors are put together: a bucket is full when it reaches its limit. */
  static List<List<Tensor>> assign(List<Tensor> tensors, long firstBytes, long laterBytes) {
    List<List<Tensor>> buckets = new ArrayList<>();
    List<Tensor> bucket = new ArrayList<>();
    long bytes = 0;
    for (Tensor tensor : tensors) {
      bucket.add(tensor);
      bytes += tensor.bytes();
      if (bytes >= (buckets.isEmpty() ? firstBytes : laterBytes)) {
        buckets.add(bucket);
        bucket = new ArrayList<>();
        bytes = 0;
      }
    }
    if (!bucket.isEmpty()) {
      buckets.add(bucket);
    }
    return buckets;
  }

  private static long bytes(List<Tensor> tensors) {
    return tensors.stream().mapToLong(Tensor::bytes).sum();
  }

  private Tensor flat(List<Tensor> tensors) {
    return torch.empty(DType.FLOAT32, bytes(tensors) / DType.FLOAT32.bytes());
  }

  /** All ranks get the first one's parameters. */
  private void broadcast(List<Tensor> parameters) {
    List<Tensor> flying = new ArrayList<>();
    for (List<Tensor> bucket : assign(parameters, BROADCAST_BYTES, BROADCAST_BYTES)) {
      Tensor flat = flat(bucket);
      Elementwise.charge(torch, flat, 0, 2);
      communicator.start(Pattern.BROADCAST, flat.bytes());
      flying.add(flat);
      if (flying.size() > MAX_BROADCASTS) {
        arrive(flying.removeFirst());
      }
    }
    flying.forEach(this::arrive);
  }

  private void arrive(Tensor flat) {
    communicator.await();
    Elementwise.charge(torch, flat, 0, 2);
    flat.release();
  }

  private void add(List<Tensor> parameters) {
    Bucket bucket = new Bucket(flat(parameters), parameters);
    bucket.missing = parameters.size();
    buckets.add(bucket);
    parameters.forEach(parameter -> bucketOf.put(parameter, bucket));
  }

  private void arrived(Tensor parameter) {
    if (!isRebuilt) {
      arrived.add(parameter);
    }
    Bucket bucket = Objects.requireNonNull(bucketOf.get(parameter));
    Elementwise.charge(torch, parameter, 1, 2);
    if (asViews) {
      parameter.replaceGradient(Views.part(bucket.memory, parameter.sizes()));
    }
    if (--bucket.missing == 0) {
      communicator.start(Pattern.ALL_REDUCE, bucket.memory.bytes());
    }
  }

  /** What happens at the begin of a forward pass. */
  void beforeForward() {
    if (isRebuilt || arrived.isEmpty()) {
      return;
    }
    isRebuilt = true;
    List<List<Tensor>> assigned = assign(arrived, FIRST_BUCKET_BYTES, bucketBytes);
    // The ranks agree on the order and on the number of gradients in each bucket.
    Tensor order = Elementwise.filled(torch, DType.INT32, arrived.size() + 1L);
    Tensor counts = Elementwise.filled(torch, DType.INT32, assigned.size());
    counts.release();
    order.release();
    List<Tensor> memory = buckets.stream().map(bucket -> bucket.memory).toList();
    if (isHeld) {
      old = memory;
    } else {
      memory.forEach(Tensor::release);
    }
    buckets.clear();
    assigned.forEach(this::add);
  }

  /** What happens when a backward pass has begun. */
  void whenBackwardRuns() {
    old.forEach(Tensor::release);
    old = List.of();
  }

  /** What happens at the end of a backward pass: gradients get the average. */
  void afterBackward() {
    communicator.await();
    for (Bucket bucket : buckets) {
      if (!asViews) {
        bucket.parameters.forEach(parameter -> Elementwise.charge(torch, parameter, 0, 2));
      }
      bucket.missing = bucket.parameters.size();
    }
  }

  void release() {
    buckets.forEach(bucket -> bucket.memory.release());
  }
}
