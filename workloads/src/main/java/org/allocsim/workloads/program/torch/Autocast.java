package org.allocsim.workloads.program.torch;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code torch.autocast}: products run in half precision, some functions in single precision; casts
 * of parameters are kept until the region ends.
 */
public final class Autocast {
  private final Torch torch;
  private final Map<Tensor, Tensor> casts = new LinkedHashMap<>();
  private @Nullable DType half;

  Autocast(Torch torch) {
    this.torch = torch;
  }

  /** Runs code under autocast; a null type leaves it as it is. */
  public void region(@Nullable DType type, Runnable code) {
    DType before = half;
    half = type;
    try {
      code.run();
    } finally {
      half = before;
      if (before == null) {
        casts.values().forEach(Tensor::release);
        casts.clear();
      }
    }
  }

  /** The type of products now, null outside autocast. */
  @Nullable DType type() {
    return half;
  }

  /** The operand of a product: cast to half precision under autocast. The caller owns it. */
  Tensor half(Tensor tensor) {
    if (half == null || tensor.type() == half || !tensor.type().isFloating()) {
      return tensor.retain();
    }
    boolean isKept =
        tensor.type() == DType.FLOAT32
            && tensor.requiresGradient()
            && tensor.producer() == null
            && !tensor.isView();
    if (!isKept) {
      return Elementwise.to(torch, tensor, half);
    }
    Tensor known = casts.get(tensor);
    if (known == null) {
      known = Elementwise.to(torch, tensor, half);
      casts.put(tensor, known);
    }
    return known.retain();
  }

  /** The operand of a function that needs single precision. The caller owns it. */
  Tensor full(Tensor tensor) {
    if (half == null || !tensor.type().isHalf()) {
      return tensor.retain();
    }
    return Elementwise.to(torch, tensor, DType.FLOAT32);
  }
}
