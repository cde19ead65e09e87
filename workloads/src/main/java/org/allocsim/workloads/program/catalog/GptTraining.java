package org.allocsim.workloads.program.catalog;

import java.util.ArrayList;
import java.util.List;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.MersenneTwister;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.Gpt2;
import org.allocsim.workloads.program.torch.Autograd;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;
import org.allocsim.workloads.program.torch.optimizer.Adam;
import org.jspecify.annotations.Nullable;

/** Training of a GPT-2 of transformers with AdamW. */
public final class GptTraining extends DescribedProgram {
  /** A program; the service loader makes it. */
  public GptTraining() {
    super(
        "gpt",
        "training of a GPT-2 (transformers), batches of random lengths",
        Options.ofTraining(
            new ProgramOption("iterations", "25", "optimiser steps"),
            new ProgramOption("layers", "6", "blocks of the model"),
            new ProgramOption("width", "512", "features per token"),
            new ProgramOption("heads", "8", "attention heads"),
            new ProgramOption("vocabulary", "8000", "different tokens"),
            new ProgramOption("positions", "2048", "maximum sequence length of the model"),
            new ProgramOption("batch", "8", "sequences per batch"),
            new ProgramOption("shortest", "64", "minimum sequence length"),
            new ProgramOption("longest", "1024", "maximum sequence length"),
            new ProgramOption("amp", "none", "autocast: none, bfloat16 or float16"),
            new ProgramOption("accumulate", "1", "batches accumulated per step"),
            new ProgramOption("checkpoint", "false", "recompute blocks in the backward pass"),
            new ProgramOption("fused", "false", "fused AdamW instead of foreach"),
            new ProgramOption("set-to-none", "true", "free gradients after each step"),
            new ProgramOption("empty-cache-every", "0", "empty the cache every N steps"),
            new ProgramOption(
                "keep",
                "none",
                "what a list keeps of each batch: none, loss (after backward(), so that only the"
                    + " number remains), or graph (the loss of an extra forward pass without"
                    + " backward())"),
            new ProgramOption(
                "fails-at",
                "0",
                "step, counted from 1, that runs out of memory when its backward pass begins and"
                    + " is retried with a smaller batch; 0: none. The program does not see the"
                    + " allocator, so the step is given"),
            new ProgramOption(
                "exception",
                "released",
                "whether the retry runs after the exception is gone (released), or inside the"
                    + " except clause, where the traceback keeps the first attempt's tensors"
                    + " (held)"),
            new ProgramOption("retry-batch", "0", "sequences of the retry; 0: half of the batch")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    return new Run(values, seed).trace();
  }

  private static final class Run {
    private final int iterations;
    private final int batch;
    private final int shortest;
    private final int longest;
    private final int accumulate;
    private final boolean setToNone;
    private final int emptyEvery;
    private final int failsAt;
    private final boolean holdsException;
    private final int retryBatch;
    private final String keep;
    private final @Nullable DType amp;
    private final Evaluation evaluation;
    private final Device device;
    private final Torch torch;
    private final Autograd autograd;
    private final Batches batches;
    private final Gpt2 model;
    private final Adam optimizer;
    private final MersenneTwister random;
    private final List<Tensor> kept = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // every step begins with a batch
    private Tensor ids;

    Run(ProgramValues values, long seed) {
      iterations = values.count("iterations");
      batch = values.count("batch");
      shortest = values.count("shortest");
      longest = values.count("longest");
      accumulate = values.count("accumulate");
      setToNone = values.flag("set-to-none");
      emptyEvery = values.number("empty-cache-every", 0);
      failsAt = values.number("fails-at", 0);
      holdsException = values.choice("exception", "released", "held").equals("held");
      int retried = values.number("retry-batch", 0);
      retryBatch = retried == 0 ? Math.max(1, batch / 2) : retried;
      keep = values.choice("keep", "none", "loss", "graph");
      amp = Types.autocast(values, "amp");
      evaluation = Evaluation.of(values, batch);
      Gpt2.Shape shape =
          new Gpt2.Shape(
              values.count("layers"),
              values.count("width"),
              values.count("heads"),
              values.count("vocabulary"),
              values.count("positions"),
              values.flag("checkpoint"));
      values.require(longest >= shortest, "the maximum length is below the minimum");
      values.require(shape.positions() >= longest, "lengths exceed the number of positions");
      values.require(shape.width() % shape.heads() == 0, "heads must divide the width");
      device = Options.device(values);
      torch = new Torch(device);
      autograd = new Autograd(torch);
      batches = new Batches(values, torch, seed);
      model = new Gpt2(torch, shape);
      optimizer = new Adam(torch, model.parameters(), true, values.flag("fused"));
      random = new MersenneTwister(seed);
    }

    AllocationTrace trace() {
      for (int i = 0; i < iterations; i++) {
        device.begin("step " + i);
        for (int part = 0; part < accumulate; part++) {
          int length = longest > shortest ? random.between(shortest, longest) : shortest;
          if (i + 1 == failsAt && part == 0) {
            failAndRetry(length);
          } else {
            train(batch, length);
          }
        }
        optimizer.step();
        model.parameters().zeroGradients(setToNone);
        if (emptyEvery > 0 && (i + 1) % emptyEvery == 0) {
          device.emptyCache();
        }
        device.end("step " + i);
        model.train(false);
        evaluation.after(i, torch, this::evaluate);
        model.train(true);
      }
      ids.release();
      kept.reversed().forEach(Tensor::release);
      optimizer.release();
      model.parameters().release();
      batches.release();
      return device.trace();
    }

    private void nextBatch(int samples, int length) {
      batches.next();
      Tensor fresh = batches.toDevice(DType.INT64, samples, length);
      ids = Tensor.replaced(ids, fresh);
    }

    private Tensor loss() {
      Tensor[] loss = new Tensor[1];
      torch
          .autocast()
          .region(
              amp,
              () -> {
                Tensor whole = model.loss(ids);
                loss[0] = Elementwise.scale(torch, whole);
                whole.release();
              });
      return loss[0];
    }

    private void train(int samples, int length) {
      nextBatch(samples, length);
      if (keep.equals("graph")) {
        kept.add(loss());
      }
      Tensor loss = loss();
      autograd.backward(loss);
      if (keep.equals("loss")) {
        kept.add(loss.retain());
      }
      loss.release();
    }

    /** The forward pass was served; the first request of the backward pass is not. */
    private void failAndRetry(int length) {
      nextBatch(batch, length);
      Tensor failed = loss();
      if (holdsException) {
        train(retryBatch, length);
        failed.release();
      } else {
        failed.release();
        train(retryBatch, length);
      }
    }

    private void evaluate() {
      nextBatch(evaluation.batch(), longest);
      loss().release();
    }
  }
}
