package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.allocsim.simulator.trace.Work.Collective.Pattern;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Optimizer;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/**
 * {@code ZeroRedundancyOptimizer} (ZeRO stage 1, PyTorch 2.11): each rank has the state of some
 * parameters and changes these; then each of them goes to all ranks.
 */
final class ShardedOptimizer implements Optimizer {
  private final Communicator communicator;
  private final List<List<Tensor>> parts;
  private final Adam own;

  ShardedOptimizer(
      Torch torch, ParallelLayout layout, Communicator communicator, List<Tensor> parameters) {
    this.communicator = communicator;
    parts = parts(parameters, layout.ranks());
    Parameters part = new Parameters(torch, DType.FLOAT32);
    parts.get(layout.rank()).forEach(part::adopt);
    own = new Adam(torch, part, true, false);
  }

  /** Whose parameter is whose: the largest first, each to the rank that has least so far. */
  static List<List<Tensor>> parts(List<Tensor> parameters, int ranks) {
    List<List<Tensor>> parts =
        Stream.generate(() -> (List<Tensor>) new ArrayList<Tensor>()).limit(ranks).toList();
    long[] elements = new long[ranks];
    parameters.stream()
        .sorted(Comparator.comparingLong(Tensor::count).reversed())
        .forEach(parameter -> {
          int least =
              IntStream.range(0, ranks)
                  .boxed()
                  .min(Comparator.comparingLong(rank -> elements[rank]))
                  .orElseThrow();
          parts.get(least).add(parameter);
          elements[least] += parameter.count();
        });
    return parts;
  }

  @Override
  public void step() {
    own.step();
    parts.forEach(part ->
        part.forEach(parameter -> communicator.start(Pattern.BROADCAST, parameter.bytes())));
    communicator.await();
  }

  @Override
  public void release() {
    own.release();
  }
}
