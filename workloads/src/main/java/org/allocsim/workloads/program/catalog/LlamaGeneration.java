package org.allocsim.workloads.program.catalog;

import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.MersenneTwister;
import org.allocsim.workloads.program.Philox;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.model.GreedySearch;
import org.allocsim.workloads.program.model.Llama;
import org.allocsim.workloads.program.torch.DType;
import org.allocsim.workloads.program.torch.Elementwise;
import org.allocsim.workloads.program.torch.Tensor;
import org.allocsim.workloads.program.torch.Torch;
import org.allocsim.workloads.program.torch.memory.Device;

/** Answers of a Llama of transformers to prompts of drawn sizes. */
public final class LlamaGeneration extends DescribedProgram {
  /** A program; the service loader makes it. */
  public LlamaGeneration() {
    super(
        "llama-generate",
        "answers of a Llama (transformers) to prompts, token by token with a growing cache",
        Options.with(
            new ProgramOption("prompts", "5", "batches of prompts, run one after the other"),
            new ProgramOption("least-batch", "1", "minimum number of prompts per batch"),
            new ProgramOption("most-batch", "8", "maximum number of prompts per batch"),
            new ProgramOption("shortest", "20", "minimum prompt length"),
            new ProgramOption("longest", "700", "maximum prompt length"),
            new ProgramOption("new-tokens", "40", "tokens per answer"),
            new ProgramOption("layers", "8", "blocks of the model"),
            new ProgramOption("width", "1024", "features per token"),
            new ProgramOption("heads", "16", "attention heads"),
            new ProgramOption("inner", "2816", "features inside a feed-forward block"),
            new ProgramOption("vocabulary", "8000", "different tokens"),
            new ProgramOption(
                "device-seed", "0", "seed of the random prompt tokens, generated on the device"),
            new ProgramOption("empty-cache-every", "0", "empty the cache every N batches")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    Llama.Shape shape =
        new Llama.Shape(
            values.count("layers"),
            values.count("width"),
            values.count("heads"),
            values.count("inner"),
            values.count("vocabulary"));
    int minBatch = values.count("least-batch");
    int maxBatch = values.count("most-batch");
    int shortest = values.count("shortest");
    int longest = values.count("longest");
    int emptyEvery = values.number("empty-cache-every", 0);
    values.require(maxBatch >= minBatch, "the maximum batch is below the minimum");
    values.require(longest >= shortest, "the maximum prompt length is below the minimum");
    values.require(shape.width() % shape.heads() == 0, "heads must divide the width");
    values.require((long) maxBatch * longest <= 1056 * 256, "batches exceed 270336 tokens");

    Device device = Options.device(values);
    Torch torch = new Torch(device);
    torch.recordGradients(false);
    Llama model = new Llama(torch, shape, DType.FLOAT16);
    GreedySearch search = new GreedySearch(torch, model, shape.vocabulary());
    MersenneTwister random = new MersenneTwister(seed);
    Philox tokens = new Philox(values.number("device-seed", 0));
    int newTokens = values.count("new-tokens");
    int prompts = values.count("prompts");
    Tensor ids = null;
    for (int i = 0; i < prompts; i++) {
      device.begin("prompts " + i);
      int batch = random.between(minBatch, maxBatch);
      int length = random.between(shortest, longest);
      boolean masked = tokens.zerosOfNext(batch * length, shape.vocabulary()) > 0;
      Tensor fresh = Elementwise.filled(torch, DType.INT64, batch, length);
      ids = Tensor.replaced(ids, fresh);
      search.generate(ids, newTokens, masked);
      if (emptyEvery > 0 && (i + 1) % emptyEvery == 0) {
        device.emptyCache();
      }
      device.end("prompts " + i);
    }
    Tensor.releaseAll(ids);
    model.parameters().release();
    return device.trace();
  }
}
