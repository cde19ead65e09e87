package org.allocsim.simulator.stats;

/** Read access to values under the keys of {@code torch.cuda.memory_stats()} (PyTorch 2.11). */
@FunctionalInterface
public interface StatsView {
  /**
   * The value under a key such as {@code "allocated_bytes.all.peak"} or {@code "num_ooms"}.
   *
   * @throws IllegalArgumentException where there is no such key
   */
  long get(String key);
}
