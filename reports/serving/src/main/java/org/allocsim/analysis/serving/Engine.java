package org.allocsim.analysis.serving;

import org.allocsim.analysis.serving.kvcache.CacheLayout;

/** Serves requests with a cache. */
interface Engine {
  /** What the cache takes from the device before it serves. */
  CacheLayout layout();

  /**
   * Serves all requests, or those until the process is asked to end.
   *
   * @throws IllegalArgumentException with the cause, where it takes too much work
   */
  ServingResult run(Progress progress);

  /** The same without anybody who hears of progress. */
  default ServingResult run() {
    return run((_, _) -> {});
  }

  /** Hears how many requests are over, served or refused. */
  @FunctionalInterface
  interface Progress {
    /** So many requests of those of the traffic are over. */
    void over(int requests, int total);
  }
}
