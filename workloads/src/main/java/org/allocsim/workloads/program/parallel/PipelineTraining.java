package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** A rank of a training with pipeline parallelism. */
public final class PipelineTraining extends DescribedProgram {
  private static final long COMMUNICATION_STREAM = 1;

  /** A program; the service loader makes it. */
  public PipelineTraining() {
    super(
        "pipeline",
        "one rank of a pipeline that trains encoder layers: GPipe, 1F1B, interleaved or"
            + " zero-bubble",
        EncoderJob.options(
            new ProgramOption("schedule", "1f1b", "gpipe, 1f1b, interleaved or zero-bubble"),
            new ProgramOption(
                "stages-each",
                "1",
                "stages per rank; only interleaved and" + " zero-bubble schedules allow several"),
            new ProgramOption("microbatches", "8", "microbatches per batch")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    ParallelLayout layout = ParallelLayout.of(values);
    PipelineSchedule schedule = schedule(values, layout);
    int stagesEach = values.count("stages-each");
    int microbatches = values.count("microbatches");
    EncoderJob job = new EncoderJob(values);
    Parameters parameters = new Parameters(job.torch(), DType.FLOAT32);
    List<Block> blocks = job.layers(parameters, values.count("layers") / layout.ranks());
    List<PipelineStage> own = stages(job, layout, blocks, stagesEach, microbatches);
    Adam optimizer = new Adam(job.torch(), parameters, true, false);
    List<PipelineStep> steps = schedule.steps(layout, stagesEach, microbatches);
    job.train(
        optimizer,
        parameters,
        (step, batch) -> {
          Tensor target =
              layout.isLast()
                  ? Elementwise.filled(job.torch(), DType.FLOAT32, batch.sizes())
                  : null;
          Tensor chunk = PipelineStage.chunk(batch, microbatches);
          Tensor wanted = target == null ? null : PipelineStage.chunk(target, microbatches);
          if (step == 0) {
            own.forEach(stage -> stage.prepareForward(chunk.sizes()));
            own.forEach(stage -> stage.prepareBackward(chunk.sizes()));
          }
          own.forEach(PipelineStage::forget);
          for (PipelineStep each : steps) {
            own.get(each.stage() / layout.ranks()).run(each, chunk, wanted);
          }
          Tensor.releaseAll(wanted, target, chunk);
          own.forEach(PipelineStage::endStep);
          parameters.all().forEach(p -> Elementwise.charge(job.torch(), p, 1, 2));
        });
    own.forEach(PipelineStage::release);
    return job.end(optimizer, parameters);
  }

  /** The schedule, where the other options suit it. */
  private static PipelineSchedule schedule(ProgramValues values, ParallelLayout layout) {
    PipelineSchedule schedule =
        PipelineSchedule.of(
            values.choice("schedule", "gpipe", "1f1b", "interleaved", "zero-bubble"));
    int stagesEach = values.count("stages-each");
    int microbatches = values.count("microbatches");
    values.require(
        stagesEach == 1 || schedule.takesSeveralStages(),
        "only interleaved and zero-bubble schedules have several stages on a rank");
    values.require(
        values.count("layers") % (layout.ranks() * stagesEach) == 0,
        "stages must divide the layers");
    values.require(values.count("batch") % microbatches == 0, "microbatches must divide the batch");
    values.require(
        !schedule.takesSeveralStages()
            || PipelineSchedule.perRound(layout.ranks(), microbatches) > 0,
        "the number of ranks must divide the number of microbatches");
    return schedule;
  }

  private static List<PipelineStage> stages(
      EncoderJob job, ParallelLayout layout, List<Block> blocks, int stagesEach, int microbatches) {
    Communicator communicator = new Communicator(job.device(), layout, COMMUNICATION_STREAM);
    List<PipelineStage> own = new ArrayList<>();
    int stages = layout.ranks() * stagesEach;
    int each = blocks.size() / stagesEach;
    for (int i = 0; i < stagesEach; i++) {
      int stage = i * layout.ranks() + layout.rank();
      List<Block> part = blocks.subList(i * each, (i + 1) * each);
      own.add(new PipelineStage(job, communicator, part, stage, stages, microbatches));
    }
    return own;
  }
}
