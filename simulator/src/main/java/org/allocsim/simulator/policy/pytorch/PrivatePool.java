package org.allocsim.simulator.policy.pytorch;

/**
 * Memory set aside for CUDA graphs or a {@code torch.cuda.MemPool}: it is released to the device
 * only after its last owner is gone.
 */
final class PrivatePool {
  final int number;
  final BlockPool small;
  final BlockPool large;
  final PrivatePoolOptions options;

  /** Segments and mappings that the pool holds, as PyTorch counts them. */
  long deviceAllocations;

  /** Whether the last owner is gone. */
  boolean releasable;

  /** Its identity as PyTorch hashes it, while {@link GivenUpPools} holds it by that. */
  long hash;

  /** Whether it is held by its hash. */
  boolean isHashed;

  /**
   * A pool that holds nothing.
   *
   * @param defaultSmall reports small blocks as this one shall
   * @param defaultLarge reports large ones
   */
  PrivatePool(
      int number, PrivatePoolOptions options, BlockPool defaultSmall, BlockPool defaultLarge) {
    this.number = number;
    this.options = options;
    FreeLists lists = new FreeLists();
    small = new BlockPool(number, true, this, false, false, defaultSmall.effects, lists);
    large = new BlockPool(number, false, this, false, false, defaultLarge.effects, lists);
  }

  /** The pool of small or of large blocks. */
  BlockPool kind(boolean wantsSmall) {
    return wantsSmall ? small : large;
  }
}
