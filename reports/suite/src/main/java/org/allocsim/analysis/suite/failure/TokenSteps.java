package org.allocsim.analysis.suite.failure;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.allocsim.analysis.suite.Requests;
import org.allocsim.simulator.trace.Work;

/**
 * Training steps whose tensors are proportional to the tokens of the batch: each layer keeps some
 * activations and uses temporaries, logits come last, the backward pass gives everything back in
 * reverse order beside a gradient.
 *
 * @param layers number of layers
 * @param keptBytes activations that each layer keeps, in bytes a token
 * @param temporaryBytes temporaries of each layer, one after the other, in bytes a token
 * @param logitsBytes tensors of the loss, all live at once, in bytes a token
 * @param kernelNanos time of each layer's kernels, forward and backward, a token; 0 for programs
 *     whose time does not matter
 * @param hostNanos time that the host takes to queue a layer's kernels, forward and backward
 */
record TokenSteps(
    int layers,
    List<Long> keptBytes,
    List<Long> temporaryBytes,
    List<Long> logitsBytes,
    long kernelNanos,
    long hostNanos) {
  /** A program whose time does not matter. */
  TokenSteps(int layers, List<Long> keptBytes, List<Long> temporaryBytes, List<Long> logitsBytes) {
    this(layers, keptBytes, temporaryBytes, logitsBytes, 0, 0);
  }

  /** Token counts of steps, drawn evenly between two bounds from a seed. */
  static long[] lengths(int steps, long low, long high, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    return random.longs(steps, low, high + 1).toArray();
  }

  /** Appends a step. */
  void step(Requests program, long tokens) {
    List<Integer> kept = new ArrayList<>();
    for (int layer = 0; layer < layers; layer++) {
      keptBytes.forEach(bytes -> kept.add(program.allocate(bytes * tokens)));
      temporaryBytes.forEach(bytes -> program.use(bytes * tokens));
      launch(program, tokens * kernelNanos / 3, hostNanos / 3);
    }
    List<Integer> loss = new ArrayList<>();
    logitsBytes.forEach(bytes -> loss.add(program.allocate(bytes * tokens)));
    program.freeAll(loss.reversed());
    int gradient = program.allocate(keptBytes.getLast() * tokens);
    for (int i = kept.size() - 1; i >= 0; i--) {
      int next = program.allocate(keptBytes.get(i % keptBytes.size()) * tokens);
      program.free(gradient);
      program.free(kept.get(i));
      gradient = next;
      if (i % keptBytes.size() == 0) {
        launch(program, tokens * kernelNanos * 2 / 3, hostNanos * 2 / 3);
      }
    }
    program.free(gradient);
  }

  private static void launch(Requests program, long nanos, long queueing) {
    if (queueing > 0) {
      program.hostWork(queueing);
    }
    if (nanos > 0) {
      program.launch(new Work.Timed(nanos));
    }
  }
}
