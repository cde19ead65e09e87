package org.allocsim.simulator.policy.pytorch;

/**
 * Memory set aside for CUDA graphs or a {@code torch.cuda.MemPool}: it is released to the device
 * only after its last owner is gone.
 */
final class PrivatePool {
  final BlockPool small;
  final BlockPool large;
  final PrivatePoolOptions options;

  /** Segments and mappings that the pool holds, as PyTorch counts them. */
  long deviceAllocations;

  /** Whether the last owner is gone. */
  boolean releasable;

  PrivatePool(int number, BlockTable blocks, PrivatePoolOptions options) {
    this.options = options;
    small = new BlockPool(number, true, blocks, this);
    large = new BlockPool(number, false, blocks, this);
  }
}
