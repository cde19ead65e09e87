package org.allocsim.workloads.program.parallel;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.allocsim.workloads.program.model.Block;
import org.allocsim.workloads.program.torch.Autograd;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Joining;
import org.allocsim.workloads.program.torch.Losses;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Views;
import org.jspecify.annotations.Nullable;

/**
 * A stage of a pipeline ({@code PipelineStage} of PyTorch 2.11). What comes from other stages has a
 * buffer for each microbatch, from the first step to the end.
 */
final class PipelineStage {
  private final EncoderJob job;
  private final Communicator communicator;
  private final List<Block> blocks;
  private final boolean isFirst;
  private final boolean isLast;
  private final int before;
  private final int after;
  private final Tensor[] arriving;
  private final Tensor[] arrivingGradients;
  private final Map<Integer, Tensor> outputs = new HashMap<>();
  private final Map<Integer, Tensor> losses = new HashMap<>();
  private final Map<Integer, Autograd.Later> later = new HashMap<>();

  /** A list of operations keeps what was sent until there is a next one. */
  private @Nullable Tensor sent;

  private @Nullable Tensor sentGradient;

  /**
   * A stage that has not run.
   *
   * @param stage counted from 0 over all ranks, which take them in turns
   * @param stages of the whole pipeline
   */
  PipelineStage(
      EncoderJob job,
      Communicator communicator,
      List<Block> blocks,
      int stage,
      int stages,
      int microbatches) {
    this.job = job;
    this.communicator = communicator;
    this.blocks = blocks;
    isFirst = stage == 0;
    isLast = stage == stages - 1;
    before = communicator.turn(stage - 1);
    after = communicator.turn(stage + 1);
    arriving = new Tensor[isFirst ? 0 : microbatches];
    arrivingGradients = new Tensor[isLast ? 0 : microbatches];
  }

  /** Finds the sizes of the result by a forward pass, then makes the buffers for what comes in. */
  void prepareForward(long... sizes) {
    Tensor input = job.torch().empty(DType.FLOAT32, sizes);
    job.torch().withoutGradients(() -> EncoderJob.forward(blocks, input).release());
    input.release();
    for (int i = 0; i < arriving.length; i++) {
      arriving[i] = job.torch().empty(DType.FLOAT32, sizes).requireGradient();
    }
  }

  /** Makes the buffers for gradients that come back. */
  void prepareBackward(long... sizes) {
    for (int i = 0; i < arrivingGradients.length; i++) {
      arrivingGradients[i] = job.torch().empty(DType.FLOAT32, sizes);
    }
  }

  /**
   * Does a step.
   *
   * @param chunk the microbatch, for the first stage
   * @param target what the last stage's result should be
   */
  void run(PipelineStep step, @Nullable Tensor chunk, @Nullable Tensor target) {
    switch (step.phase()) {
      case FORWARD -> forward(step.microbatch(), chunk, target);
      case BACKWARD -> backward(step.microbatch());
      case BACKWARD_INPUT -> backwardInput(step.microbatch());
      case BACKWARD_WEIGHT -> backwardWeight(step.microbatch());
    }
  }

  private void forward(int microbatch, @Nullable Tensor chunk, @Nullable Tensor target) {
    Tensor input = isFirst ? Objects.requireNonNull(chunk) : arriving[microbatch];
    if (!isFirst) {
      communicator.receive(input, before);
    }
    Tensor output = EncoderJob.forward(blocks, input);
    outputs.put(microbatch, output);
    if (isLast) {
      Tensor difference = Elementwise.add(job.torch(), output, Objects.requireNonNull(target));
      losses.put(microbatch, Losses.meanSquare(job.torch(), difference));
    } else {
      communicator.send(output, after);
      sent = Tensor.replaced(sent, output.retain());
    }
  }

  private void backward(int microbatch) {
    if (isLast) {
      job.autograd().backward(Objects.requireNonNull(losses.get(microbatch)));
      detachResult(microbatch);
    } else {
      Tensor gradient = arrivingGradients[microbatch];
      communicator.receive(gradient, after);
      Tensor output = Objects.requireNonNull(outputs.remove(microbatch));
      job.autograd().backward(output, gradient);
      output.release();
    }
    if (!isFirst) {
      sendGradient(arriving[microbatch]);
      arriving[microbatch].dropGradient();
    }
  }

  /**
   * Gradients for the stage before, which stay with the inputs until the next step; the first stage
   * leaves all of its work for later.
   */
  private void backwardInput(int microbatch) {
    if (isFirst) {
      return;
    }
    Tensor input = arriving[microbatch];
    if (isLast) {
      Tensor loss = Objects.requireNonNull(losses.get(microbatch));
      later.put(microbatch, job.autograd().backwardInput(loss, null, input));
      loss.detach();
      detachResult(microbatch);
    } else {
      Tensor gradient = arrivingGradients[microbatch];
      communicator.receive(gradient, after);
      Tensor output = Objects.requireNonNull(outputs.remove(microbatch));
      later.put(microbatch, job.autograd().backwardInput(output, gradient, input));
      output.release();
    }
    sendGradient(input);
  }

  /** The last stage keeps its results for the user, but not what they were computed from. */
  private void detachResult(int microbatch) {
    Objects.requireNonNull(outputs.get(microbatch)).detach();
  }

  private void backwardWeight(int microbatch) {
    if (isFirst) {
      backward(microbatch);
    } else {
      List<Tensor> parameters =
          blocks.stream().flatMap(block -> block.parameters().stream()).toList();
      Objects.requireNonNull(later.remove(microbatch)).backward(parameters);
    }
  }

  private void sendGradient(Tensor input) {
    Tensor gradient = Objects.requireNonNull(input.gradient()).retain();
    communicator.send(gradient, before);
    sentGradient = Tensor.replaced(sentGradient, gradient);
  }

  /** The end of a step: the last stage joins its results, which go with the next step. */
  void endStep() {
    communicator.await();
    Tensor.releaseAll(sent, sentGradient);
    sent = null;
    sentGradient = null;
    if (isLast) {
      Tensor[] all = new Tensor[outputs.size()];
      for (int i = 0; i < all.length; i++) {
        all[i] = Objects.requireNonNull(outputs.get(i));
      }
      job.torch().withoutGradients(() -> Joining.cat(job.torch(), 0, all).release());
    }
  }

  /** The begin of a step. */
  void forget() {
    outputs.values().forEach(Tensor::release);
    outputs.clear();
    losses.values().forEach(Tensor::release);
    losses.clear();
    for (Tensor each : arriving) {
      each.dropGradient();
    }
  }

  void release() {
    forget();
    Tensor.releaseAll(arriving);
    Tensor.releaseAll(arrivingGradients);
  }

  /** The part of a batch that is a microbatch. */
  static Tensor chunk(Tensor batch, int microbatches) {
    return Views.part(batch, batch.size(0) / microbatches, batch.size(1), batch.size(2));
  }
}
