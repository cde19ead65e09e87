package org.allocsim.workloads.program.catalog;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.allocsim.simulator.trace.AllocationTrace;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.model.AdapterTarget;
import org.allocsim.workloads.model.Adapters;
import org.allocsim.workloads.model.Draft;
import org.allocsim.workloads.model.ModelShape;
import org.allocsim.workloads.model.ServedModels;
import org.allocsim.workloads.profile.ShippedProfiles;
import org.allocsim.workloads.program.DescribedProgram;
import org.allocsim.workloads.program.ProgramOption;
import org.allocsim.workloads.program.ProgramOptionException;
import org.allocsim.workloads.program.ProgramValues;
import org.allocsim.workloads.program.engine.Engine;
import org.allocsim.workloads.program.engine.EngineSettings;
import org.allocsim.workloads.program.torch.DType;

/** The start of an inference engine and some of its steps; options have vLLM's names. */
public final class InferenceEngine extends DescribedProgram {
  private static final long MIB = 1L << 20;
  private static final String NONE = "none";
  private static final String FP8 = "fp8";
  private static final String MODEL = "model";
  private static final String TARGETS = "lora-target-modules";
  private static final String DRAFT = "speculative-model";
  private static final String DEVICE = "device";
  private static final String GPUS = "tensor-parallel-size";
  private static final String SHARE = "gpu-memory-utilization";

  /** A program; the service loader makes it. */
  public InferenceEngine() {
    super(
        "engine",
        "the start of an inference engine (vLLM): weights, profiling run, cache, CUDA graphs;"
            + " then steps, sleeping and waking",
        Options.with(
            new ProgramOption(MODEL, "llama-3.1-8b", "a known model, or a config.json"),
            new ProgramOption(DEVICE, "h100-80gb", "the GPU whose memory the cache uses"),
            new ProgramOption(SHARE, "0.9", "fraction of the GPU that the engine may use"),
            new ProgramOption("max-num-seqs", "256", "maximum number of concurrent sequences"),
            new ProgramOption(
                "max-num-batched-tokens", "8192", "maximum number of tokens per" + " step"),
            new ProgramOption(
                "max-model-len", "0", "maximum sequence length; 0: that of the model"),
            new ProgramOption("block-size", "16", "tokens per block of the cache"),
            new ProgramOption(GPUS, "1", "GPUs that share each layer"),
            new ProgramOption("dtype", "bfloat16", "weights: bfloat16, float16 or float32"),
            new ProgramOption(
                "quantization", NONE, "fp8 quantizes linear layers to 8 bits after loading"),
            new ProgramOption("kv-cache-dtype", "auto", "auto, or fp8 for an 8-bit KV cache"),
            new ProgramOption("enforce-eager", "false", "no compilation and no CUDA graphs"),
            new ProgramOption(
                "non-torch",
                "128",
                "MiB that the process uses outside PyTorch during profiling; see vLLM's log"),
            new ProgramOption("max-loras", "0", "maximum number of concurrent low-rank adapters"),
            new ProgramOption("max-lora-rank", "16", "maximum rank of the adapters"),
            new ProgramOption(TARGETS, "all", "modules with adapters, such as qkv_proj+o_proj"),
            new ProgramOption(DRAFT, NONE, "draft model: none, eagle (one layer) or a known model"),
            new ProgramOption("num-speculative-tokens", "3", "number of draft tokens"),
            new ProgramOption("steps", "8", "steps after startup and after each sleep"),
            new ProgramOption("top-p", "true", "whether steps sort logits for top-k or top-p"),
            new ProgramOption("sleep", "0", "0: sleep mode is off; otherwise level 1 or 2"),
            new ProgramOption("sleeps", "1", "number of sleeps, if sleep mode is on"),
            new ProgramOption("wake", "at-once", "at-once, or stages: weights first")));
  }

  @Override
  public AllocationTrace generate(ProgramValues values, long seed) {
    try {
      return new Engine(settings(values), Options.device(values), seed).run();
    } catch (TraceFormatException e) {
      throw new ProgramOptionException(e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new ProgramOptionException("program " + id() + ": " + e.getMessage());
    }
  }

  private static EngineSettings settings(ProgramValues values) throws TraceFormatException {
    ModelShape model = ServedModels.of(values.text(MODEL));
    values.require(
        model.states().count() == 0, "models whose layers keep a state are not simulated");
    int gpus = values.count(GPUS);
    // Refuses numbers of GPUs that cannot share the model.
    model.served(gpus, 1, 1);
    int maxTokens = values.number("max-model-len", 0);
    int sleepLevel = values.number("sleep", 0);
    values.require(sleepLevel <= 2, "the sleep levels are 0, 1 and 2");
    int slots = values.number("max-loras", 0);
    return new EngineSettings(
        model,
        gpus,
        switch (values.choice("dtype", "bfloat16", "float16", "float32")) {
          case "float16" -> DType.FLOAT16;
          case "float32" -> DType.FLOAT32;
          default -> DType.BFLOAT16;
        },
        values.choice("quantization", NONE, FP8).equals(FP8),
        values.choice("kv-cache-dtype", "auto", FP8).equals(FP8),
        new EngineSettings.Schedule(
            values.count("max-num-seqs"),
            values.count("max-num-batched-tokens"),
            maxTokens == 0 ? model.contextTokens() : maxTokens,
            values.count("block-size")),
        ShippedProfiles.named(values.text(DEVICE)),
        share(values.text(SHARE)),
        values.number("non-torch", 0) * MIB,
        values.flag("enforce-eager"),
        new EngineSettings.Course(
            values.number("steps", 0),
            sleepLevel == 0 ? 0 : values.number("sleeps", 0),
            sleepLevel,
            values.choice("wake", "at-once", "stages").equals("stages"),
            values.flag("top-p")),
        slots == 0
            ? Optional.empty()
            : Optional.of(new Adapters(slots, values.count("max-lora-rank"), targets(values))),
        draft(values, model));
  }

  private static Set<AdapterTarget> targets(ProgramValues values) {
    String names = values.text(TARGETS);
    return names.equals("all")
        ? AdapterTarget.all()
        : AdapterTarget.named(List.of(names.split("[+]")));
  }

  private static Optional<Draft> draft(ProgramValues values, ModelShape model)
      throws TraceFormatException {
    String name = values.text(DRAFT);
    if (name.equals(NONE)) {
      return Optional.empty();
    }
    return Optional.of(Draft.named(name, model, values.count("num-speculative-tokens")));
  }

  private static double share(String text) {
    try {
      double share = Double.parseDouble(text);
      if (share > 0 && share <= 1) {
        return share;
      }
    } catch (NumberFormatException _) {
      // Refused below, with what the option takes.
    }
    throw new ProgramOptionException(
        "option %s of program engine must be above 0 and at most 1, not '%s'"
            .formatted(SHARE, text));
  }
}
