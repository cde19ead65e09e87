package org.allocsim.workloads.program.parallel;

import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.CustomFunction;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Optimizer;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** A rank of a training with {@code DistributedDataParallel}, or with ZeRO stage 1. */
public final class DataParallelTraining extends DescribedProgram {
  private static final long COMMUNICATION_STREAM = 1;

  /** A program; the service loader makes it. */
  public DataParallelTraining() {
    super(
        "ddp",
        "one rank training encoder layers with DistributedDataParallel",
        EncoderJob.options(
            new ProgramOption(
                "gradient-as-bucket-view", "false", "whether gradients are views of the buckets"),
            new ProgramOption(
                "zero", "0", "1: the optimizer state is sharded over the ranks (ZeRO 1)"),
            new ProgramOption("bucket-mib", "25", "bucket_cap_mb, in MiB"),
            new ProgramOption(
                "watchdog",
                "early",
                "when NCCL's watchdog, which polls every 100 ms, releases the first iteration's"
                    + " bucket: early, before the second iteration, or late, in its backward"
                    + " pass")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    ParallelLayout layout = ParallelLayout.of(values);
    EncoderJob job = new EncoderJob(values);
    Parameters parameters = new Parameters(job.torch(), DType.FLOAT32);
    List<Block> blocks = job.layers(parameters, values.count("layers"));
    Communicator communicator = new Communicator(job.device(), layout, COMMUNICATION_STREAM);
    GradientBuckets buckets =
        new GradientBuckets(
            job.torch(),
            communicator,
            parameters.all(),
            values.flag("gradient-as-bucket-view"),
            (long) values.count("bucket-mib") << 20,
            values.choice("watchdog", "early", "late").equals("late"));
    Optimizer optimizer =
        values.choice("zero", "0", "1").equals("1")
            ? new ShardedOptimizer(job.torch(), layout, communicator, parameters.all())
            : new Adam(job.torch(), parameters, true, false);
    job.train(
        optimizer,
        parameters,
        (_, batch) -> {
          buckets.beforeForward();
          Tensor scores = EncoderJob.forward(blocks.subList(0, blocks.size() - 1), batch);
          Tensor watched = CustomFunction.watched(job.torch(), scores, buckets::whenBackwardRuns);
          scores.release();
          Tensor last = blocks.getLast().forward(watched);
          watched.release();
          job.meanSquareBackward(last);
          buckets.afterBackward();
        });
    buckets.release();
    return job.end(optimizer, parameters);
  }
}
