package org.allocsim.workloads.program.engine;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.workloads.model.Adapters;
import org.allocsim.workloads.model.LinearShape;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Products;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/**
 * A linear layer of an engine, whose weight may be turned to 8 bits once it is loaded. Then its
 * inputs are turned to 8 bits too, each time.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code model_executor/layers/quantization/fp8.py}, {@code
 * lora/layers}, {@code lora/punica_wrapper}.
 */
final class Linear {
  private final Torch torch;
  private final LinearShape shape;
  private Tensor weight;
  private final List<Tensor> adapters = new ArrayList<>();
  private int rank;

  /** A layer whose weight is on the device. */
  Linear(Torch torch, DType type, LinearShape shape) {
    this.torch = torch;
    this.shape = shape;
    weight = torch.empty(type, shape.outputs(), shape.inputs());
  }

  /**
   * Room for low-rank adapters.
   *
   * @param type type of the factors
   */
  void adapt(DType type, Adapters settings) {
    for (long count : settings.counts(shape)) {
      adapters.add(Elementwise.filled(torch, type, count));
      rank = settings.rank();
    }
  }

  /** Copies an adapter from the host to its slot. */
  void loadAdapter(int slots) {
    adapters.forEach(factor -> torch.device().copy(factor.bytes() / slots, true, true));
  }

  /** Copies the weight from the host. */
  void load() {
    torch.device().copy(weight.bytes(), true, false);
  }

  /**
   * {@code process_weights_after_loading}: the copy of 8 bits is there before the original goes.
   */
  void quantize() {
    Tensor small = torch.empty(DType.UINT8, weight.sizes());
    Elementwise.charge(torch, weight, 1, 2);
    weight = Tensor.replaced(weight, small);
  }

  /** The product; the input stays with the caller. */
  Tensor apply(Tensor input) {
    Tensor out = product(input);
    if (rank > 0) {
      // What the first factors make of the input, in 32 bits.
      Tensor shrunk =
          Elementwise.filled(torch, DType.FLOAT32, shape.parts().size(), input.size(0), rank);
      Elementwise.charge(torch, out, 2L * rank, 2);
      shrunk.release();
    }
    return out;
  }

  private Tensor product(Tensor input) {
    if (weight.type() != DType.UINT8) {
      return Products.linear(torch, input, weight, null);
    }
    Tensor small = torch.empty(DType.UINT8, input.sizes());
    Tensor scale = torch.empty(DType.FLOAT32, 1);
    Elementwise.charge(torch, input, 1, 2);
    Tensor out = torch.empty(input.type(), input.size(0), shape.outputs());
    torch
        .device()
        .kernel(
            2 * input.count() * shape.outputs(),
            small.bytes() + weight.bytes() + out.bytes(),
            input.type().precision());
    small.release();
    scale.release();
    return out;
  }

  /** Bytes of the weight. */
  long bytes() {
    return weight.bytes();
  }

  /** Bytes of each of its tensors. */
  List<Long> tensorBytes() {
    List<Long> all = new ArrayList<>();
    all.add(weight.bytes());
    adapters.forEach(factor -> all.add(factor.bytes()));
    return all;
  }

  void release() {
    weight.release();
    adapters.forEach(Tensor::release);
  }
}
