package org.allocsim.analysis.idle.profile;

import org.jspecify.annotations.Nullable;

/** What a row of a profile is about; Kineto's categories, in the spelling of any release. */
public enum RowKind {
  /** The GPU runs a kernel. */
  KERNEL(true),
  /** The GPU copies. */
  COPY(true),
  /** The GPU fills memory. */
  MEMSET(true),
  /** The host calls the CUDA runtime or driver. */
  CALL(false),
  /** The host runs an operator of PyTorch. */
  OPERATOR(false),
  /** A phase that PyTorch or the program named. */
  ANNOTATION(false),
  /** The host runs a Python function. */
  PYTHON(false),
  /** The host calls the operating system. */
  SYSTEM(false),
  /** The profiler or the loading of kernels holds the host up. */
  OVERHEAD(false);

  private final boolean onGpu;

  RowKind(boolean onGpu) {
    this.onGpu = onGpu;
  }

  /** Whether it is work of the GPU. */
  public boolean isOnGpu() {
    return onGpu;
  }

  /** The kind of a category; null for one that has no time of its own. */
  static @Nullable RowKind of(String category) {
    return switch (category) {
      case "kernel", "Kernel", "concurrent_kernel" -> KERNEL;
      case "gpu_memcpy", "Memcpy" -> COPY;
      case "gpu_memset", "Memset" -> MEMSET;
      case "cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "hip_driver" -> CALL;
      case "cpu_op", "Operator" -> OPERATOR;
      case "user_annotation" -> ANNOTATION;
      case "python_function" -> PYTHON;
      case "overhead", "Overhead" -> OVERHEAD;
      default -> null;
    };
  }
}
