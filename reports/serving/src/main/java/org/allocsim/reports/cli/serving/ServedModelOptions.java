package org.allocsim.reports.cli.serving;

import java.util.List;
import java.util.Optional;
import org.allocsim.analysis.serving.Speculation;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.model.AdapterTarget;
import org.allocsim.workloads.model.Adapters;
import org.allocsim.workloads.model.Draft;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.model.ServedModel;
import org.allocsim.workloads.model.ServedModels;
import picocli.CommandLine.Option;

/** The options that say what a server loads: a model, adapters, and what guesses for it. */
final class ServedModelOptions {
  private static final int EIGHT_BITS = 1;
  private static final int MAX_GUESSES = 64;

  @Option(
      names = "--model",
      paramLabel = "MODEL",
      required = true,
      description = "A known model, such as llama-3.1-8b, or a model's published config.json.")
  private String modelName;

  @Option(
      names = "--tensor-parallel-size",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Number of GPUs that share each layer; one is shown (default: ${DEFAULT-VALUE}).")
  private int gpus;

  @Option(names = "--fp8-kv-cache", description = "Store the KV cache in 8 bits instead of 16.")
  private boolean hasSmallValues;

  @Option(
      names = "--max-loras",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Maximum number of concurrent LoRA adapters; memory for all is allocated at startup"
              + " (default: ${DEFAULT-VALUE}).")
  private int slots;

  @Option(
      names = "--max-lora-rank",
      paramLabel = "N",
      defaultValue = "16",
      description = "Maximum LoRA rank (default: ${DEFAULT-VALUE}).")
  private int rank;

  @Option(
      names = "--lora-target-modules",
      paramLabel = "MODULE,...",
      split = ",",
      description = "Modules with LoRA adapters, such as qkv_proj,o_proj (default: all).")
  private List<String> targets = List.of();

  @Option(
      names = "--speculative-model",
      paramLabel = "MODEL",
      description =
          "Speculative decoding: eagle for a head of one layer, or a draft model as for --model"
              + " (default: none).")
  private String draftName;

  @Option(
      names = "--num-speculative-tokens",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of draft tokens per step (default: ${DEFAULT-VALUE}).")
  private int guesses;

  @Option(
      names = "--acceptance-rate",
      paramLabel = "FRACTION",
      description =
          "Fraction of draft tokens accepted if all before them were; required with"
              + " --speculative-model.",
      converter = FractionConverter.class)
  private Double acceptance;

  /** Refuses values that make no sense, before any file is read. */
  void check() {
    require(gpus >= 1, "--tensor-parallel-size %d must be at least 1".formatted(gpus));
    require(slots >= 0 && slots <= 1 << 16, "--max-loras %d must be 0 to 65536".formatted(slots));
    require(rank >= 1 && rank <= 1 << 16, "--max-lora-rank %d must be 1 to 65536".formatted(rank));
    require(
        guesses >= 1 && guesses <= MAX_GUESSES,
        "--num-speculative-tokens " + guesses + " must be 1 to " + MAX_GUESSES);
    require(
        (draftName == null) == (acceptance == null),
        "--speculative-model and --acceptance-rate need each other: give both or neither");
  }

  private static void require(boolean holds, String sentence) {
    if (!holds) {
      throw Failure.usage(sentence);
    }
  }

  /** One GPU's part of the model, with its adapters. */
  ServedModel model() {
    ModelShape shape = shape();
    try {
      return shape
          .served(gpus, ModelShape.HALF_BYTES, valueBytes())
          .withAdapters(adapters().parameters(shape, gpus) * ModelShape.HALF_BYTES);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--model: " + e.getMessage());
    }
  }

  private Adapters adapters() {
    try {
      return new Adapters(
          slots, rank, targets.isEmpty() ? AdapterTarget.all() : AdapterTarget.named(targets));
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--lora-target-modules: " + e.getMessage());
    }
  }

  /** How tokens are guessed, if they are. */
  Optional<Speculation> speculation() {
    if (draftName == null) {
      return Optional.empty();
    }
    requireFile(draftName);
    try {
      Draft draft = Draft.named(draftName, shape(), guesses);
      ServedModel served = draft.served(gpus, ModelShape.HALF_BYTES, valueBytes());
      return Optional.of(new Speculation(served, draft.isHead(), guesses, acceptance));
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--speculative-model: " + e.getMessage());
    }
  }

  private ModelShape shape() {
    requireFile(modelName);
    try {
      return ServedModels.of(modelName);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--model: " + e.getMessage());
    }
  }

  private static void requireFile(String name) {
    if (name.endsWith(".json")) {
      Inputs.require(name);
    }
  }

  private int valueBytes() {
    return hasSmallValues ? EIGHT_BITS : ModelShape.HALF_BYTES;
  }
}
