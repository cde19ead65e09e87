package org.allocsim.validation.gpu;

/**
 * Stands for what a program does between two calls of the driver: it uses the processor's caches
 * for other things.
 */
public final class ProgramWork {
  private static final int BYTES = 8 << 20;

  /**
   * With so many the pool's calls take as long as in programs of PyTorch: with 700 blocks 1.3 µs
   * each (2.11 with cudaMallocAsync, training of encoders, H200), while right after one another 1.1
   * µs, and 2.3 µs where 2 000 places change.
   */
  private static final int PLACES = 250;

  private final byte[] memory = new byte[BYTES];
  private int state = 1;

  /** Changes some bytes here and there. */
  public void run() {
    for (int place = 0; place < PLACES; place++) {
      state = state * 1_664_525 + 1_013_904_223;
      memory[state >>> 9]++;
    }
  }
}
