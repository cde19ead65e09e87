package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** A rank of a training with {@code FullyShardedDataParallel}. */
public final class FlatShardedTraining extends DescribedProgram {
  private static final long COMMUNICATION_STREAM = 1;
  private static final long UNSHARD_STREAM = 2;
  private static final long REDUCING_STREAM = 3;

  /** A program; the service loader makes it. */
  public FlatShardedTraining() {
    super(
        "fsdp1",
        "one rank training encoder layers, each wrapped in FullyShardedDataParallel",
        EncoderJob.options());
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    ParallelLayout layout = ParallelLayout.of(values);
    EncoderJob job = new EncoderJob(values);
    Torch torch = job.torch();
    FlatShard.Shared shared =
        new FlatShard.Shared(
            torch,
            layout,
            UNSHARD_STREAM,
            new Communicator(job.device(), layout, COMMUNICATION_STREAM),
            REDUCING_STREAM);
    Parameters parameters = new Parameters(torch, DType.FLOAT32);
    List<FlatShard> blocks = new ArrayList<>();
    int layers = values.count("layers");
    for (int i = 0; i < layers; i++) {
      Block block = job.layer(new Parameters(torch, DType.FLOAT32));
      FlatShard sharded = new FlatShard(shared, block);
      blocks.add(sharded);
      sharded.parameters().forEach(parameters::adopt);
    }
    Adam optimizer = new Adam(torch, parameters, true, false);
    job.train(
        optimizer,
        parameters,
        (step, batch) -> {
          if (step == 0) {
            blocks.forEach(FlatShard::prepare);
          }
          job.meanSquareBackward(EncoderJob.forward(blocks, batch));
          shared.afterBackward();
        });
    blocks.forEach(FlatShard::release);
    return job.end(optimizer, parameters);
  }
}
