package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** A rank of a training with {@code fully_shard}, which is ZeRO stage 2 or 3. */
public final class FullyShardedTraining extends DescribedProgram {
  private static final long GATHERING_STREAM = 1;
  private static final long SCATTERING_STREAM = 2;

  /** A program; the service loader makes it. */
  public FullyShardedTraining() {
    super(
        "fsdp2",
        "one rank training encoder layers, each with fully_shard (ZeRO 2 and 3)",
        EncoderJob.options(
            new ProgramOption(
                "reshard-after-forward",
                "true",
                "whether full parameters are freed between forward and backward passes (ZeRO 3)"
                    + " or kept (ZeRO 2)"),
            new ProgramOption(
                "param-dtype",
                "float32",
                "data type in which parameters are gathered: float32" + " or bfloat16"),
            new ProgramOption(
                "reduce-dtype",
                "float32",
                "data type in which gradients are reduced: float32 or" + " bfloat16")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    ParallelLayout layout = ParallelLayout.of(values);
    EncoderJob job = new EncoderJob(values);
    Torch torch = job.torch();
    ShardedGroup.Shared shared =
        new ShardedGroup.Shared(
            torch,
            layout,
            new Communicator(job.device(), layout, GATHERING_STREAM),
            new Communicator(job.device(), layout, SCATTERING_STREAM),
            EncoderJob.type(values, "param-dtype"),
            EncoderJob.type(values, "reduce-dtype"),
            values.flag("reshard-after-forward"));
    List<Block> blocks = new ArrayList<>();
    List<List<Tensor>> created = new ArrayList<>();
    int layers = values.count("layers");
    for (int i = 0; i < layers; i++) {
      Parameters made = new Parameters(torch, DType.FLOAT32);
      blocks.add(job.layer(made));
      created.add(made.all());
    }
    Parameters parameters = new Parameters(torch, DType.FLOAT32);
    List<ShardedGroup> groups = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      ShardedGroup group = new ShardedGroup(shared, blocks.get(i), created.get(i));
      groups.add(group);
      group.parameters().forEach(parameters::adopt);
    }
    Adam optimizer = new Adam(torch, parameters, true, false);
    job.train(
        optimizer,
        parameters,
        (_, batch) -> {
          job.meanSquareBackward(shared.forward(groups, batch));
          shared.afterBackward();
        });
    groups.forEach(ShardedGroup::release);
    return job.end(optimizer, parameters);
  }
}
