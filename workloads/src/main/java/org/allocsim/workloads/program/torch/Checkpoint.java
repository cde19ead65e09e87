package org.allocsim.workloads.program.torch;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A part of the forward pass whose saved tensors are not kept but computed again when the backward
 * pass first needs one ({@code torch.utils.checkpoint}, non-reentrant): the second run stops as
 * soon as the last tensor that the first run saved is there.
 */
public final class Checkpoint {
  private final Torch torch;
  private final Runnable computation;
  private final List<Recomputed> saved = new ArrayList<>();
  private boolean isRecomputing;
  private boolean isComputed;
  private final Tensor input;
  private final @Nullable DType autocastType;
  private int found;
  private int kept;

  private Checkpoint(Torch torch, Tensor input, Runnable computation) {
    this.torch = torch;
    this.input = input.retain();
    this.computation = computation;
    autocastType = torch.autocast().type();
  }

  /** A computation that can be run again; its inputs stay with whoever made it. */
  @FunctionalInterface
  public interface Computation {
    /** Runs and returns a tensor that the caller owns. */
    Tensor run();
  }

  /**
   * Runs a computation so that its saved tensors are computed again later.
   *
   * @param input its input, kept until nothing needs the second run
   */
  public static Tensor run(Torch torch, Tensor input, Computation computation) {
    if (!torch.recordsGradients()) {
      return computation.run();
    }
    Checkpoint checkpoint = new Checkpoint(torch, input, () -> computation.run().release());
    Checkpoint before = torch.setCheckpoint(checkpoint);
    try {
      return computation.run();
    } finally {
      torch.setCheckpoint(before);
    }
  }

  /** Stops the second run where nothing more of it is needed. */
  private static final class Complete extends RuntimeException {
    private static final long serialVersionUID = 1;

    Complete() {
      super(null, null, false, false);
    }
  }

  Saved pack(Tensor tensor) {
    if (isRecomputing) {
      Recomputed place = saved.get(found++);
      place.fill(tensor);
      if (found == saved.size()) {
        throw new Complete();
      }
      return place;
    }
    Recomputed place = new Recomputed();
    saved.add(place);
    kept++;
    return place;
  }

  private void recompute() {
    isComputed = true;
    isRecomputing = true;
    found = 0;
    boolean recorded = torch.recordGradients(true);
    Checkpoint before = torch.setCheckpoint(this);
    try {
      torch.autocast().region(autocastType, computation);
    } catch (Complete complete) {
      // The last tensor is there.
    } finally {
      torch.setCheckpoint(before);
      torch.recordGradients(recorded);
      isRecomputing = false;
    }
  }

  private final class Recomputed implements Saved {
    private @Nullable Tensor tensor;
    private boolean isReleased;

    void fill(Tensor computed) {
      if (!isReleased) {
        tensor = computed.detached();
      }
    }

    @Override
    public Tensor get() {
      if (!isComputed) {
        recompute();
      }
      return Objects.requireNonNull(tensor);
    }

    @Override
    public boolean isRecomputed() {
      return true;
    }

    @Override
    public void usedLast() {
      if (tensor != null) {
        tensor.release();
        tensor = null;
      }
    }

    @Override
    public void release() {
      if (isRecomputing || isReleased) {
        return;
      }
      usedLast();
      isReleased = true;
      if (--kept == 0) {
        input.release();
      }
    }
  }
}
