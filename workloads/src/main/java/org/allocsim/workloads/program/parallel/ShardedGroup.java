package org.allocsim.workloads.program.parallel;

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
import org.jspecify.annotations.Nullable;

/**
 * A block under {@code fully_shard} (FSDP2 of PyTorch 2.11): each rank keeps its part of every
 * parameter. All parts come together in one buffer of the gathering stream, from which each
 * parameter is copied to memory of its own; gradients go the opposite way.
 */
final class ShardedGroup implements Block {
  /** What the groups of a model share ({@code FSDPCommContext}). */
  static final class Shared {
    private final Torch torch;
    private final ParallelLayout layout;
    private final Communicator gathering;
    private final Communicator scattering;
    private final DType gathered;
    private final DType reduced;
    private final boolean reshardsAfterForward;
    private final List<ShardedGroup> order = new ArrayList<>();
    private boolean isBackward;

    /** The last buffer of gathered parameters, kept until the copies from it are done. */
    private @Nullable Tensor lastGathered;

    /** The last buffer of gradients, kept until they are reduced. */
    private @Nullable Tensor lastScattered;

    /**
     * @param gathered {@code MixedPrecisionPolicy.param_dtype}
     * @param reduced {@code MixedPrecisionPolicy.reduce_dtype}
     * @param reshardsAfterForward whether whole parameters go between forward and backward (ZeRO 3)
     */
    Shared(
        Torch torch,
        ParallelLayout layout,
        Communicator gathering,
        Communicator scattering,
        DType gathered,
        DType reduced,
        boolean reshardsAfterForward) {
      this.torch = torch;
      this.layout = layout;
      this.gathering = gathering;
      this.scattering = scattering;
      this.gathered = gathered;
      this.reduced = reduced;
      this.reshardsAfterForward = reshardsAfterForward;
    }

    /** The outermost forward pass, whose input gets the type of gathered parameters. */
    Tensor forward(List<ShardedGroup> groups, Tensor batch) {
      Tensor input = Elementwise.to(torch, batch, gathered);
      Tensor scores = EncoderJob.forward(groups, input);
      input.release();
      Tensor.releaseAll(lastGathered);
      lastGathered = null;
      isBackward = true;
      return scores;
    }

    /** The end of a backward pass: groups whose input needs no gradient finish now. */
    void afterBackward() {
      order.reversed().forEach(ShardedGroup::afterBackward);
      order.clear();
      scattering.await();
      Tensor.releaseAll(lastScattered);
      lastScattered = null;
      isBackward = false;
    }
  }

  private final Shared shared;
  private final Torch torch;
  private final Block block;
  private final List<Tensor> shards = new ArrayList<>();
  private final List<Tensor> whole = new ArrayList<>();
  private final List<Tensor> parameters;
  private @Nullable Tensor gathered;
  private boolean isWhole;
  private boolean isFinished;

  /**
   * Shards a block.
   *
   * @param created its parameters in the order in which they were made, which is that of buffers;
   *     their memory goes
   */
  ShardedGroup(Shared shared, Block block, List<Tensor> created) {
    this.shared = shared;
    this.block = block;
    torch = shared.torch;
    for (Tensor parameter : created) {
      long[] sizes = parameter.sizes();
      sizes[0] = shared.layout.paddedChunk(sizes[0]);
      Tensor shard = Elementwise.filled(torch, parameter.type(), sizes);
      shards.add(shard.requireGradient());
      whole.add(torch.withoutMemory(shared.gathered, parameter.sizes()).requireGradient());
    }
    List<Tensor> ordered = block.parameters();
    List<Tensor> computed = new ArrayList<>();
    ordered.forEach(parameter -> computed.add(whole.get(created.indexOf(parameter))));
    parameters = ordered.stream().map(p -> shards.get(created.indexOf(p))).toList();
    ordered.forEach(Tensor::release);
    block.compute(computed);
  }

  @Override
  public List<Tensor> parameters() {
    return parameters;
  }

  @Override
  public void compute(List<Tensor> tensors) {
    throw new UnsupportedOperationException("a sharded block computes with gathered parameters");
  }

  private long shardElements() {
    return shards.stream().mapToLong(Tensor::count).sum();
  }

  private void gather() {
    if (gathered != null || isWhole) {
      return;
    }
    // The copy into the buffer runs on the gathering stream, whose memory it is.
    long before = torch.device().setStream(shared.gathering.stream());
    boolean isCast = shared.gathered != DType.FLOAT32;
    Tensor cast = isCast ? torch.empty(shared.gathered, shardElements()) : null;
    Tensor buffer = torch.empty(shared.gathered, shardElements() * shared.layout.ranks());
    Elementwise.charge(torch, buffer, 0, 1);
    Tensor.releaseAll(cast);
    torch.device().setStream(before);
    shared.gathering.start(Pattern.ALL_GATHER, buffer.bytes());
    gathered = buffer;
  }

  private void unshard() {
    gather();
    if (isWhole) {
      return;
    }
    shared.gathering.await();
    whole.forEach(Tensor::takeMemory);
    Tensor arrived = Objects.requireNonNull(gathered);
    gathered = null;
    isWhole = true;
    Elementwise.charge(torch, arrived, 0, 2);
    Tensor.releaseAll(shared.lastGathered);
    shared.lastGathered = null;
    if (shared.isBackward) {
      arrived.release();
    } else {
      shared.lastGathered = arrived;
    }
  }

  private void reshard() {
    if (isWhole) {
      whole.forEach(Tensor::freeMemory);
      isWhole = false;
    }
  }

  @Override
  public Tensor forward(Tensor input) {
    unshard();
    isFinished = false;
    shared.order.add(this);
    Tensor watched = CustomFunction.watched(torch, input, this::afterBackward);
    Tensor computed = block.forward(watched);
    watched.release();
    if (shared.reshardsAfterForward) {
      reshard();
    }
    Tensor out = CustomFunction.watched(torch, computed, this::beforeBackward);
    computed.release();
    return out;
  }

  /** Parameters come back, and those of the block before are on their way while this one runs. */
  private void beforeBackward() {
    unshard();
    int index = shared.order.indexOf(this);
    if (index > 0) {
      shared.order.get(index - 1).gather();
    }
  }

  private void afterBackward() {
    if (isFinished) {
      return;
    }
    isFinished = true;
    reshard();
    Tensor.releaseAll(shared.lastScattered);
    long elements = shardElements();
    Tensor all = torch.empty(shared.reduced, elements * shared.layout.ranks());
    Elementwise.charge(torch, all, 0, 2);
    whole.reversed().forEach(Tensor::dropGradient);
    long before = torch.device().setStream(shared.scattering.stream());
    Tensor part = torch.empty(shared.reduced, elements);
    torch.device().setStream(before);
    shared.scattering.start(Pattern.REDUCE_SCATTER, all.bytes());
    shared.lastScattered = all;
    if (shared.reduced != DType.FLOAT32) {
      torch.device().setStream(shared.scattering.stream());
      Tensor precise = torch.empty(DType.FLOAT32, elements);
      Elementwise.charge(torch, precise, 0, 2);
      part.release();
      part = precise;
      torch.device().setStream(before);
    }
    for (Tensor shard : shards) {
      shard.replaceGradient(Views.part(part, shard.sizes()));
    }
    part.release();
  }

  void release() {
    reshard();
    whole.forEach(Tensor::release);
  }
}
