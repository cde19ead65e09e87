package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** A rank of a training with tensor parallelism. */
public final class TensorParallelTraining extends DescribedProgram {
  private static final long COMMUNICATION_STREAM = 1;

  /** A program; the service loader makes it. */
  public TensorParallelTraining() {
    super(
        "tensor-parallel",
        "one rank training feed-forward and attention blocks whose linear layers are split among"
            + " ranks",
        EncoderJob.options(
            new ProgramOption(
                "sequence-parallel",
                "false",
                "whether tokens are also split between the linear"
                    + " layers (sequence parallelism)"),
            new ProgramOption(
                "attention", "false", "whether each block starts with attention, split by heads"),
            new ProgramOption(
                "dtype", "float32", "data type of parameters and activations, or" + " bfloat16"),
            new ProgramOption(
                "foreach", "true", "whether AdamW updates all parameters at once" + " (foreach)")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    ParallelLayout layout = ParallelLayout.of(values);
    boolean splitsTokens = values.flag("sequence-parallel");
    long inner = values.count("inner");
    int tokens = values.count("tokens");
    values.require(
        inner % layout.ranks() == 0, "the inner features must be divisible by the number of ranks");
    values.require(!splitsTokens || tokens % layout.ranks() == 0, "ranks must divide the tokens");
    boolean attends = values.flag("attention");
    int heads = values.count("heads");
    values.require(!attends || heads % layout.ranks() == 0, "ranks must divide the heads");
    DType type = EncoderJob.type(values, "dtype");
    EncoderJob job = new EncoderJob(values, splitsTokens ? tokens / layout.ranks() : tokens, type);
    Communicator communicator = new Communicator(job.device(), layout, COMMUNICATION_STREAM);
    TensorSplit split = new TensorSplit(job.torch(), layout, communicator, type, splitsTokens);
    List<SplitBlock> blocks = new ArrayList<>();
    int layers = values.count("layers");
    for (int i = 0; i < layers; i++) {
      if (attends) {
        blocks.add(new SplitAttention(split, values.count("width"), heads));
      }
      blocks.add(new SplitLinears(split, values.count("width"), inner));
    }
    Parameters parameters = new Parameters(job.torch(), type);
    for (SplitBlock block : blocks) {
      block.split();
      block.parameters().forEach(parameters::adopt);
    }
    Adam.Style style = values.flag("foreach") ? Adam.Style.FOREACH : Adam.Style.SINGLE;
    Adam optimizer = new Adam(job.torch(), parameters, true, style);
    job.train(
        optimizer,
        parameters,
        (_, batch) -> job.meanSquareBackward(EncoderJob.forward(blocks, batch)));
    return job.end(optimizer, parameters);
  }
}
