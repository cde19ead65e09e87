package org.allocsim.workloads.program.parallel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.CustomFunction;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.Views;

/**
 * A block under {@code FullyShardedDataParallel} (FSDP1 of PyTorch 2.11): all its parameters are
 * one flat tensor, of which each rank keeps a part. The whole one belongs to the stream that
 * gathers, the part of the gradient to the one that reduces; computing uses both, so {@code
 * record_stream} delays what is given back until the GPU has come so far.
 */
final class FlatShard implements Block {
  /** What the blocks of a model share. */
  static final class Shared {
    /** Whole parameters for which the host does not wait ({@code limit_all_gathers}). */
    private static final int MAX_IN_FLIGHT = 2;

    private final Torch torch;
    private final ParallelLayout layout;
    private final long unshardStream;
    private final Communicator communicator;
    private final long reducingStream;
    private final ArrayDeque<Integer> freed = new ArrayDeque<>();
    private final List<FlatShard> order = new ArrayList<>();

    Shared(
        Torch torch,
        ParallelLayout layout,
        long unshardStream,
        Communicator communicator,
        long reducingStream) {
      this.torch = torch;
      this.layout = layout;
      this.unshardStream = unshardStream;
      this.communicator = communicator;
      this.reducingStream = reducingStream;
    }

    private void limitGathers() {
      if (freed.size() >= MAX_IN_FLIGHT) {
        torch.device().synchronizeEvent(freed.removeFirst());
      }
    }

    /** The end of a backward pass: reduced gradients are there. */
    void afterBackward() {
      torch.device().waitStream(torch.device().stream(), reducingStream);
      order.clear();
    }
  }

  private final Shared shared;
  private final Torch torch;
  private final Block block;
  private final Tensor flat;
  private final Tensor shard;
  private final List<long[]> sizes = new ArrayList<>();
  private boolean isWhole;

  /** Shards a block, whose parameters' memory goes. */
  FlatShard(Shared shared, Block block) {
    this.shared = shared;
    this.block = block;
    torch = shared.torch;
    List<Tensor> ordered = block.parameters();
    long elements = 0;
    for (Tensor parameter : ordered) {
      sizes.add(parameter.sizes());
      elements += parameter.count();
    }
    long part = shared.layout.paddedChunk(elements);
    Tensor all = Elementwise.filled(torch, DType.FLOAT32, part * shared.layout.ranks());
    shard = Elementwise.filled(torch, DType.FLOAT32, part).requireGradient();
    all.release();
    ordered.reversed().forEach(Tensor::release);
    flat = torch.withoutMemory(DType.FLOAT32, part * shared.layout.ranks()).requireGradient();
    flat.afterAccumulation(shared.unshardStream, this::reduce);
  }

  @Override
  public List<Tensor> parameters() {
    return List.of(shard);
  }

  @Override
  public void compute(List<Tensor> tensors) {
    throw new UnsupportedOperationException("a sharded block computes with gathered parameters");
  }

  /** What the first forward pass makes sure of: memory for the whole parameters, given back. */
  void prepare() {
    flat.takeMemory();
    flat.freeMemory();
  }

  private void unshard() {
    if (isWhole) {
      return;
    }
    isWhole = true;
    shared.limitGathers();
    long before = torch.device().setStream(shared.unshardStream);
    flat.takeMemory();
    shared.communicator.run(Pattern.ALL_GATHER, flat.bytes());
    torch.device().setStream(before);
  }

  private void reshard() {
    isWhole = false;
    flat.recordStream(torch.device().stream());
    flat.freeMemory();
    shared.freed.addLast(torch.device().recordEvent());
  }

  @Override
  public Tensor forward(Tensor input) {
    unshard();
    shared.order.add(this);
    long compute = torch.device().setStream(shared.unshardStream);
    Tensor[] views = Views.parts(torch, flat, sizes);
    torch.device().setStream(compute);
    torch.device().waitStream(compute, shared.unshardStream);
    block.compute(List.of(views));
    Tensor computed = block.forward(input);
    Tensor.releaseAll(views);
    reshard();
    Tensor out = CustomFunction.watched(torch, computed, this::beforeBackward);
    computed.release();
    return out;
  }

  private void beforeBackward() {
    unshard();
    long compute = torch.device().stream();
    torch.device().waitStream(compute, shared.unshardStream);
    int index = shared.order.indexOf(this);
    if (index > 0) {
      shared.order.get(index - 1).unshard();
    }
  }

  /** The flat gradient is there: each rank gets its part of the sum. */
  private void reduce() {
    Tensor whole = Objects.requireNonNull(flat.gradient());
    long current = torch.device().stream();
    reshard();
    torch.device().waitStream(shared.reducingStream, current);
    torch.device().setStream(shared.reducingStream);
    Tensor part = torch.emptyLike(shard, shard.type());
    shared.communicator.run(Pattern.REDUCE_SCATTER, whole.bytes());
    whole.recordStream(shared.reducingStream);
    shard.replaceGradient(part);
    flat.dropGradient();
    torch.device().setStream(current);
  }

  void release() {
    flat.release();
  }
}
