package org.allocsim.simulator.trace;

/**
 * A data loader as PyTorch's {@code DataLoader}: worker processes each prepare one batch at a time,
 * in turn, ahead of the program, which takes them in order.
 *
 * @param workers processes that prepare batches; with 0 the program itself does, when it asks
 * @param prefetch batches per worker that may be ahead of the program ({@code prefetch_factor})
 * @param batchNanos host time to prepare a batch
 * @param spreadNanos how much longer or shorter a batch may take, drawn evenly
 * @param seed of these draws
 */
public record Loader(int workers, int prefetch, long batchNanos, long spreadNanos, long seed) {
  /** Refuses what no loader can have. */
  public Loader {
    if (workers < 0 || prefetch < 1 || spreadNanos < 0 || batchNanos < spreadNanos) {
      throw new IllegalArgumentException(
          "invalid loader: %d workers, %d batches ahead, %d ± %d ns per batch"
              .formatted(workers, prefetch, batchNanos, spreadNanos));
    }
  }
}
