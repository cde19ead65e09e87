package org.allocsim.simulator.policy.pytorch;

/** Bytes that one device allocator holds from its device: segments and mapped pages. */
final class ReservedMemory {
  /** Bytes held now. */
  long bytes;
}
