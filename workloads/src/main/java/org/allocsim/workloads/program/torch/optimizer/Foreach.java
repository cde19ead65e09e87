package org.allocsim.workloads.program.torch.optimizer;

import java.util.List;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;

/**
 * Operations on lists of tensors, which share kernels (PyTorch 2.11, {@code multi_tensor_apply} in
 * MultiTensorApply.cuh): a kernel takes as many tensors and as many chunks of them as fit its
 * arguments.
 */
final class Foreach {
  private static final long CHUNK_ELEMENTS = 65_536;
  private static final int MAX_CHUNKS = 320;

  /** Lists of an operation that a kernel reads and writes, less one, to the tensors it can take. */
  private static final int[] MAX_TENSORS = {110, 64, 48, 36, 30};

  private Foreach() {}

  /**
   * States the kernels of an operation.
   *
   * @param tensors one of its lists
   * @param lists how many lists it reads and writes, 1 to 5
   * @param operations for each element
   */
  static void charge(Torch torch, List<Tensor> tensors, int lists, long operations) {
    int inKernel = 0;
    int chunks = 0;
    long elements = 0;
    for (Tensor tensor : tensors) {
      long left = tensor.count();
      inKernel++;
      while (left > 0) {
        long now = Math.min(left, (MAX_CHUNKS - chunks) * CHUNK_ELEMENTS);
        chunks += (int) ((now + CHUNK_ELEMENTS - 1) / CHUNK_ELEMENTS);
        elements += now;
        left -= now;
        if (chunks == MAX_CHUNKS || (left == 0 && inKernel == MAX_TENSORS[lists - 1])) {
          launch(torch, tensor.type(), elements, lists, operations);
          inKernel = left == 0 ? 0 : 1;
          chunks = 0;
          elements = 0;
        }
      }
    }
    if (elements > 0) {
      launch(torch, tensors.getFirst().type(), elements, lists, operations);
    }
  }

  private static void launch(Torch torch, DType type, long elements, int lists, long operations) {
    torch
        .device()
        .kernel(operations * elements, (lists + 1) * elements * type.bytes(), type.precision());
  }
}
