package org.allocsim.workloads.program.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * The numbers of tokens for which CUDA graphs are captured.
 *
 * <p><b>Source.</b> vLLM 0.12, {@code config/vllm.py}: 1, 2, 4, then every 8th below 256 and every
 * 16th from there; at most twice the sequences, 512, and the tokens of a step.
 */
final class CaptureSizes {
  private static final int MOST = 512;
  private static final int COARSE = 256;
  private static final int FINE_STEP = 8;
  private static final int COARSE_STEP = 16;

  private CaptureSizes() {}

  /**
   * The sizes, largest first: the order in which they are captured, so that smaller graphs find
   * room in what larger ones left in their shared pool.
   *
   * @param sequences sequences that run together
   * @param tokensOfSequence tokens of one in a step: 1, and one for each speculative token
   * @param stepTokens tokens that a step computes at most
   */
  static List<Integer> of(int sequences, int tokensOfSequence, int stepTokens) {
    int most = (int) Math.min(Math.min(2L * sequences * tokensOfSequence, MOST), stepTokens);
    List<Integer> sizes = new ArrayList<>();
    for (int size = 1; size < FINE_STEP && size <= most; size *= 2) {
      sizes.add(size);
    }
    for (int size = FINE_STEP; size < COARSE && size <= most; size += FINE_STEP) {
      sizes.add(size);
    }
    for (int size = COARSE; size <= most; size += COARSE_STEP) {
      sizes.add(size);
    }
    return sizes.reversed();
  }
}
