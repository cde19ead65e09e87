package org.allocsim.simulator.policy.bfc;

/**
 * How XLA divides a BFC pool between ordinary and collective buffers ({@code
 * xla_gpu_enable_allocator_spatial_partitioning}).
 *
 * <p>Collective buffers are the requests of private pools. Each end takes from the gap in the
 * middle or from holes of its own, so the places of collective buffers are the same in all ranks.
 *
 * @param collectiveIsLow whether collective buffers grow up from the low end and ordinary ones down
 *     from the high end, rather than the other way round
 * @param ordinaryCutsGap whether ordinary buffers are always cut from the gap exactly, rather than
 *     by BFC's rule for holes
 * @param collectiveCutsHoles whether collective buffers are always cut from holes exactly
 * @param prefersHighHoles whether ordinary buffers take the highest of equally large holes
 */
record Partition(
    boolean collectiveIsLow,
    boolean ordinaryCutsGap,
    boolean collectiveCutsHoles,
    boolean prefersHighHoles) {
  /** Pull request 43912 of June 2026, openxla/xla 00df9ee. */
  static final Partition COLLECTIVE_HIGH = new Partition(false, true, false, false);

  /** Pull request 48834 of September 2026. */
  static final Partition COLLECTIVE_LOW = new Partition(true, false, true, true);
}
