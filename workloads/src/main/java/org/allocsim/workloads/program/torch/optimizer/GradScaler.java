package org.allocsim.workloads.program.torch.optimizer;

import java.util.Objects;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Frame;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.jspecify.annotations.Nullable;

/** {@code torch.amp.GradScaler}: keeps the gradients of half-precision products representable. */
public final class GradScaler {
  private final Torch torch;
  private @Nullable Tensor scale;
  private @Nullable Tensor growth;

  /** A scaler that has scaled nothing yet. */
  public GradScaler(Torch torch) {
    this.torch = torch;
  }

  /** {@code scaler.scale(loss)}. */
  public Tensor scale(Tensor loss) {
    if (scale == null) {
      scale = Elementwise.filled(torch, DType.FLOAT32);
      growth = Elementwise.filled(torch, DType.INT32);
    }
    return Elementwise.multiply(torch, loss, scale);
  }

  /**
   * {@code scaler.step(optimizer)} and {@code scaler.update()}.
   *
   * @param overflows whether a scaled gradient is not finite, so that the step is left out
   */
  public void step(Optimizer optimizer, boolean overflows) {
    try (Frame frame = new Frame()) {
      Tensor found = frame.own(unscale());
      Elementwise.toHost(torch, found);
      if (!overflows) {
        optimizer.step();
      }
      Elementwise.charge(torch, Objects.requireNonNull(scale), 1, 2);
    }
  }

  /** Divides all gradients by the scale and returns whether one of them is not finite. */
  private Tensor unscale() {
    try (Frame frame = new Frame()) {
      Tensor precise = frame.own(Elementwise.filled(torch, DType.INT64));
      Tensor inverse = frame.rebind(precise, Elementwise.filled(torch, DType.INT64));
      frame.rebind(inverse, Elementwise.filled(torch, DType.FLOAT32));
      frame.own(Elementwise.filled(torch, DType.FLOAT32));
      Tensor found = Elementwise.filled(torch, DType.FLOAT32);
      frame.own(Elementwise.filled(torch, DType.FLOAT32));
      return found;
    }
  }

  /** Gives the scale back. */
  public void release() {
    Tensor.releaseAll(scale, growth);
  }
}
