package org.allocsim.workloads.program.parallel;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramProvider;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.allocsim.workloads.program.torch.optimizer.Parameters;

/** A rank of a training with pipeline parallelism. */
public final class PipelineTraining implements ProgramProvider {
  private static final long COMMUNICATION_STREAM = 1;

  @Override
  public String id() {
    return "pipeline";
  }

  @Override
  public String summary() {
    return "a rank of a pipeline that trains encoder layers: GPipe, 1F1B, interleaved or"
        + " zero-bubble";
  }

  @Override
  public List<ProgramOption> options() {
    return EncoderJob.options(
        new ProgramOption("schedule", "1f1b", "gpipe, 1f1b, interleaved or zero-bubble"),
        new ProgramOption("stages-each", "1", "stages of each rank; the last two take several"),
        new ProgramOption("microbatches", "8", "parts of a batch"));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    ParallelLayout layout = ParallelLayout.of(values);
    PipelineSchedule schedule =
        PipelineSchedule.of(
            values.choice("schedule", "gpipe", "1f1b", "interleaved", "zero-bubble"));
    int stagesEach = values.count("stages-each");
    int microbatches = values.count("microbatches");
    int layers = values.count("layers");
    int batch = values.count("batch");
    int stages = layout.ranks() * stagesEach;
    values.require(
        stagesEach == 1 || schedule.takesSeveralStages(),
        "only interleaved and zero-bubble schedules have several stages on a rank");
    values.require(layers % stages == 0, "stages must divide the layers");
    values.require(batch % microbatches == 0, "microbatches must divide the batch");
    values.require(
        !schedule.takesSeveralStages()
            || PipelineSchedule.perRound(layout.ranks(), microbatches) > 0,
        "rounds of as many microbatches as there are ranks must divide the microbatches");
    EncoderJob job = new EncoderJob(values);
    Parameters parameters = new Parameters(job.torch(), DType.FLOAT32);
    List<Block> blocks = job.layers(parameters, layers / layout.ranks());
    Communicator communicator = new Communicator(job.device(), COMMUNICATION_STREAM);
    List<PipelineStage> own = new ArrayList<>();
    int each = layers / stages;
    for (int i = 0; i < stagesEach; i++) {
      int stage = i * layout.ranks() + layout.rank();
      List<Block> part = blocks.subList(i * each, (i + 1) * each);
      own.add(
          new PipelineStage(
              job, communicator, part, stage == 0, stage == stages - 1, microbatches));
    }
    Adam optimizer = new Adam(job.torch(), parameters, true, false);
    List<PipelineStep> steps = schedule.steps(layout, stagesEach, microbatches);
    for (int i = 0; i < job.iterations(); i++) {
      job.device().begin("step " + i);
      Tensor input = job.nextBatch();
      Tensor target =
          layout.isLast() ? Elementwise.filled(job.torch(), DType.FLOAT32, input.sizes()) : null;
      if (i == 0) {
        for (PipelineStage stage : own) {
          stage.prepare(batch / microbatches, values.count("tokens"), values.count("width"));
        }
      }
      own.forEach(PipelineStage::forget);
      Tensor chunk = PipelineStage.chunk(input, microbatches);
      Tensor wanted = target == null ? null : PipelineStage.chunk(target, microbatches);
      for (PipelineStep step : steps) {
        PipelineStage stage = own.get(step.stage() / layout.ranks());
        switch (step.phase()) {
          case FORWARD -> stage.forward(step.microbatch(), chunk, wanted);
          case BACKWARD -> stage.backward(step.microbatch());
          case BACKWARD_INPUT -> stage.backwardInput(step.microbatch());
          case BACKWARD_WEIGHT -> stage.backwardWeight(step.microbatch());
        }
      }
      Tensor.releaseAll(wanted, target, chunk);
      own.forEach(PipelineStage::endStep);
      parameters.all().forEach(p -> Elementwise.charge(job.torch(), p, 1, 2));
      optimizer.step();
      parameters.zeroGradients(true);
      job.device().end("step " + i);
    }
    own.forEach(PipelineStage::release);
    return job.end(optimizer, parameters);
  }
}
