package org.allocsim.analysis.leak;

/** What memory does over a program's iterations. */
public enum LeakVerdict {
  /** Live memory grows from iteration to iteration and goes on growing. */
  LEAK,
  /** Live memory does not grow, but what the allocator reserves beyond it does. */
  FRAGMENTATION,
  /** Memory grew after the warm-up and has stopped, or grew with larger batches only. */
  PLATEAU,
  /** Nothing grew after the warm-up. */
  NONE;

  /** Whether the program will run out of memory if it runs long enough. */
  public boolean isHarmful() {
    return this == LEAK || this == FRAGMENTATION;
  }
}
