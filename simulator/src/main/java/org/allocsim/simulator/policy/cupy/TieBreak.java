package org.allocsim.simulator.policy.cupy;

/**
 * Decides which of several free chunks of one size serves a request. CuPy takes the one whose
 * Python object has the lowest address (14.1 and later), which nothing that a simulation knows
 * determines.
 */
@FunctionalInterface
public interface TieBreak {
  /**
   * Chooses a chunk.
   *
   * @param addresses device addresses of the chunks in ascending order
   * @param count how many of them count, at least 2
   * @return index of the chosen chunk
   */
  int choose(long[] addresses, int count);
}
