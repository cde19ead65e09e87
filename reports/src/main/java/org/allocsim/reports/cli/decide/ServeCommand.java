package org.allocsim.reports.cli.decide;

import java.nio.file.Path;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.allocsim.analysis.Analysis;
import org.allocsim.analysis.AnalysisException;
import org.allocsim.analysis.serving.CacheKind;
import org.allocsim.analysis.serving.EngineStart;
import org.allocsim.analysis.serving.ServingBudget;
import org.allocsim.analysis.serving.ServingComparison;
import org.allocsim.analysis.serving.ServingResult;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.analysis.serving.ShareTrial;
import org.allocsim.analysis.serving.VllmRelease;
import org.allocsim.reports.answer.serving.ServeAnswer;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.DocumentOutputs;
import org.allocsim.reports.output.ExitCodes;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.output.ProgressMeter;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.format.TraceFormatException;
import org.allocsim.workloads.io.EarlyEnd;
import org.allocsim.workloads.serving.ServedModel;
import org.allocsim.workloads.source.TraceSource;
import org.allocsim.workloads.traffic.Traffic;
import org.allocsim.workloads.traffic.TrafficFiles;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim serve}: what caches of keys and values make of a server's memory. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Shows what caches of keys and values make of a language model's server.",
      "",
      "Serves recorded requests with one cache after another, and says what each made of the",
      "GPU's memory.",
      "",
      "The file holds when requests came and how long prompts and answers were: BurstGPT's or",
      "Azure's CSV, or Mooncake's JSON lines, which also say which prompts begin alike. The engine",
      "batches continuously as vLLM does; its options have vLLM's names.",
      "",
      "Caches: paged (vLLM), jenga (two levels of pages for models whose layers differ),",
      "vattention (virtual memory for each sequence), kvcached (pages that are given back)."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed: unreadable input, no memory for keys and values, unwritable output",
      "2:wrong usage",
      "3:the engine would refuse to start or run out of memory at this share of the GPU"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim serve BurstGPT_1.csv --model llama-3.1-8b --device h100",
      "  allocsim serve AzureLLMInferenceTrace_conv.csv --model gemma-3-27b --speed 4",
      "  allocsim serve BurstGPT_1.csv --model yi-6b --capacity 20GiB --other-processes 3GiB",
      "  allocsim serve BurstGPT_1.csv --model llama-3.1-8b --start"
          + " 'program:engine(max-num-seqs=64)'",
      "  allocsim serve BurstGPT_1.csv --model llama-3.1-8b --start start.pickle --shares"
          + " 0.7,0.8,0.9",
      "  allocsim serve BurstGPT_1.csv --model llama-3.1-8b --max-loras 8 --max-lora-rank 64",
      "  allocsim serve BurstGPT_1.csv --model llama-3.1-8b --speculative-model eagle"
          + " --acceptance-rate 0.6",
      "  allocsim serve conversation_trace.jsonl --model config.json --tensor-parallel-size 4"
    })
public final class ServeCommand implements Callable<Integer> {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String ALL = "all";

  @Parameters(paramLabel = "TRAFFIC", description = "File of requests, plain or compressed.")
  private String trafficName;

  @Mixin private ServedModelOptions modelOptions;

  @ArgGroup(exclusive = true)
  private @Nullable Gpu gpu;

  private static final class Gpu {
    @Option(
        names = "--device",
        paramLabel = "PROFILE",
        description =
            "The GPU: a name that 'allocsim list devices' shows, or a file that 'allocsim"
                + " calibrate' wrote (default: h100-80gb).",
        converter = ProfileConverter.class)
    private DeviceProfile profile;

    @Option(
        names = "--capacity",
        paramLabel = "SIZE",
        description = "A GPU on which this much memory is free, such as 16GiB; as fast as an H100.",
        converter = SizeConverter.class)
    private Long capacityBytes;
  }

  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "SHARE",
      description =
          "Share of the GPU that the engine may use (default: that of the release, 0.92 from 0.21"
              + " on, 0.9 before).",
      converter = FractionConverter.class)
  private Double utilization;

  @Option(
      names = "--shares",
      paramLabel = "SHARE,...",
      split = ",",
      description =
          "Serve at each of these shares too, and at the largest safe one, with the first cache.",
      converter = FractionConverter.class)
  private List<Double> shares = List.of();

  @Option(
      names = "--cache",
      paramLabel = "NAME,...",
      split = ",",
      defaultValue = ALL,
      description = "Caches to try: paged, jenga, vattention, kvcached (default: all).")
  private List<String> caches;

  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      defaultValue = "256",
      description = "Sequences that may run together (default: ${DEFAULT-VALUE}).")
  private int mostSequences;

  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      defaultValue = "8192",
      description = "Tokens that a step may compute (default: ${DEFAULT-VALUE}).")
  private int stepTokens;

  @Option(
      names = "--max-model-len",
      paramLabel = "N",
      description = "Tokens that prompt and answer may have (default: what the model knows).")
  private Integer mostTokens;

  @Option(
      names = "--block-size",
      paramLabel = "N",
      defaultValue = "16",
      description = "Tokens of a block or a small page (default: ${DEFAULT-VALUE}).")
  private int blockTokens;

  @Option(
      names = "--watermark",
      paramLabel = "SHARE",
      description = "Share of the paged blocks that must stay free where a sequence begins.",
      converter = FractionConverter.class)
  private Double watermark;

  @Option(
      names = "--page-size",
      paramLabel = "SIZE",
      description = "Pages of vattention, such as 64KiB (default: 2MiB).",
      converter = SizeConverter.class)
  private long pageBytes = 2L << 20;

  @Option(
      names = "--start",
      paramLabel = "TRACE",
      description =
          "Recording of an engine's start, or program:engine(...): it says what --weights,"
              + " --profile-peak and --graphs say, and what the allocator keeps beside the cache.")
  private String startName;

  @Option(
      names = "--weights",
      paramLabel = "SIZE",
      description = "Memory of weights, adapters and draft on a GPU (default: 16 bits each).",
      converter = SizeConverter.class)
  private Long weightBytes;

  @Option(
      names = "--profile-peak",
      paramLabel = "SIZE",
      description = "Peak of the profiling run above the weights (default: an estimate).",
      converter = SizeConverter.class)
  private Long profileBytes;

  @Option(
      names = "--graphs",
      paramLabel = "SIZE",
      description = "Memory of CUDA graphs (default: 512MiB).",
      converter = SizeConverter.class)
  private long graphBytes = ServingBudget.GRAPH_BYTES;

  @Option(
      names = "--vllm-version",
      paramLabel = "VERSION",
      defaultValue = VllmRelease.NEWEST,
      description =
          "Release whose budget to take: before 0.9.1 the context and other processes come out of"
              + " the share, from 0.21 on CUDA graphs do (default: ${DEFAULT-VALUE}).")
  private String releaseName;

  @Option(
      names = "--other-processes",
      paramLabel = "SIZE",
      description = "Memory of other processes on the GPU (default: none).",
      converter = SizeConverter.class)
  private long otherBytes;

  @Option(
      names = "--speed",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description = "Requests come so many times as fast (default: ${DEFAULT-VALUE}).")
  private double speed;

  @Option(names = "--first", paramLabel = "N", description = "Serve the first requests only.")
  private Integer first;

  @Option(
      names = "--repeat",
      paramLabel = "N",
      defaultValue = "1",
      description = "Serve the requests so many times, one time after the other.")
  private int times;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() {
    List<CacheKind> kinds = kinds();
    modelOptions.check();
    VllmRelease release = release();
    DeviceProfile device = device();
    require(mostSequences >= 1 && mostSequences <= 1 << 16, "--max-num-seqs", "1 to 65536");
    require(stepTokens >= 1, "--max-num-batched-tokens", "1 or more");
    require(mostTokens == null || mostTokens >= 2, "--max-model-len", "2 or more");
    require(blockTokens >= 1 && blockTokens <= 1 << 16, "--block-size", "1 to 65536");
    require(
        pageBytes >= 1 << 16 && Long.bitCount(pageBytes) == 1,
        "--page-size",
        "a power of two from 64KiB");
    require(speed > 0 && speed < 1e9, "--speed", "a number above 0");
    require(times >= 1, "--repeat", "1 or more");
    require(first == null || first >= 1, "--first", "1 or more");
    ServedModel model = modelOptions.model();
    Path file = Inputs.require(trafficName);
    try (DocumentOutputs outputs = outputOptions.open(file)) {
      long startNanos = System.nanoTime();
      ServingSettings settings =
          new ServingSettings(
              mostSequences,
              stepTokens,
              mostTokens == null ? model.contextTokens() : mostTokens,
              blockTokens,
              watermark == null ? 0 : watermark,
              pageBytes,
              modelOptions.speculation());
      ServingBudget budget = budget(model, settings, device, release);
      Traffic traffic = traffic(file);
      EarlyEnd.begin();
      List<ServingResult> results = serve(traffic, model, device, settings, kinds, budget);
      List<ShareTrial> trials = trials(traffic, model, device, settings, kinds.getFirst(), budget);
      double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
      ServeAnswer answer =
          new ServeAnswer(
              trafficName,
              traffic,
              model,
              device.name(),
              settings,
              budget,
              results,
              trials,
              seconds);
      outputs.write(answer.document());
      return answer.isSafe() ? ExitCodes.DONE : ExitCodes.CHECK_DID_NOT_HOLD;
    }
  }

  private static void require(boolean holds, String option, String range) {
    if (!holds) {
      throw Failure.usage(option + " takes " + range);
    }
  }

  private List<CacheKind> kinds() {
    if (caches.equals(List.of(ALL))) {
      return List.of(CacheKind.values());
    }
    try {
      return caches.stream().map(CacheKind::named).toList();
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--cache: " + e.getMessage());
    }
  }

  private VllmRelease release() {
    try {
      return VllmRelease.of(releaseName);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--vllm-version takes a release such as 0.9.1");
    }
  }

  private DeviceProfile device() {
    if (gpu == null) {
      return DeviceProfiles.defaultProfile();
    }
    return gpu.profile != null ? gpu.profile : DeviceProfiles.ofCapacity(gpu.capacityBytes);
  }

  private ServingBudget budget(
      ServedModel model, ServingSettings settings, DeviceProfile device, VllmRelease release) {
    double share = utilization == null ? release.defaultUtilization() : utilization;
    ServingBudget budget =
        ServingBudget.of(
            device,
            share,
            weightBytes == null ? settings.weightBytes(model) : weightBytes,
            profileBytes == null
                ? ServingBudget.profileBytes(model, stepTokens, mostSequences)
                : profileBytes,
            graphBytes,
            otherBytes,
            release);
    if (startName != null) {
      budget = budget.of(start(device));
    }
    if (budget.largestCacheBytes() <= 0) {
      throw new Failure(
          "%s: weights, the profiling run, graphs, the context and other processes take more than %s has at any --gpu-memory-utilization;"
                  .formatted(model.name(), device.name())
              + " take a larger GPU or more of them, or give less to the others");
    }
    if (budget.cacheBytes() <= 0) {
      throw new Failure(
          "%s: %s of %s leaves no memory for keys and values after %s (vLLM %s); take a larger"
                  .formatted(model.name(), share, device.name(), release.rule(), release.name())
              + " --gpu-memory-utilization, a larger GPU, or more of them");
    }
    return budget;
  }

  private EngineStart start(DeviceProfile device) {
    require(
        weightBytes == null && profileBytes == null,
        "--start",
        "the place of --weights and --profile-peak");
    if (!TraceSource.isProgram(startName)) {
      Inputs.require(startName);
    }
    try {
      return EngineStart.of(Analysis.open(startName).on(device));
    } catch (AnalysisException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  private List<ShareTrial> trials(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      CacheKind kind,
      ServingBudget budget) {
    if (shares.isEmpty()) {
      return List.of();
    }
    SortedSet<Double> all = new TreeSet<>(shares);
    all.add(budget.largestUtilization());
    if (EarlyEnd.isAsked()) {
      return List.of();
    }
    all.removeIf(share -> budget.at(share).cacheBytes() <= 0);
    try {
      return ShareTrial.run(traffic, model, device, settings, kind, budget, List.copyOf(all));
    } catch (IllegalArgumentException e) {
      throw new Failure(e.getMessage(), e);
    }
  }

  private Traffic traffic(Path file) {
    try (ProgressMeter progress = ProgressMeter.ofBytes("reading")) {
      Traffic traffic = TrafficFiles.read(file, progress::update);
      if (first != null) {
        traffic = traffic.first(first);
      }
      return traffic.repeated(times).faster(speed);
    } catch (TraceFormatException e) {
      throw new Failure(e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(
          "--repeat " + times + " at --speed " + speed + " makes " + e.getMessage());
    }
  }

  private List<ServingResult> serve(
      Traffic traffic,
      ServedModel model,
      DeviceProfile device,
      ServingSettings settings,
      List<CacheKind> kinds,
      ServingBudget budget) {
    try (ProgressMeter progress = ProgressMeter.of("serving", "requests")) {
      return ServingComparison.run(
          traffic, model, device, settings, kinds, budget.cacheBytes(), progress::update);
    } catch (IllegalArgumentException e) {
      throw new Failure(trafficName + ": " + e.getMessage(), e);
    }
  }
}
