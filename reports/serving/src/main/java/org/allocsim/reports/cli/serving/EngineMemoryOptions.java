package org.allocsim.reports.cli.serving;

import org.allocsim.analysis.serving.EngineMemory;
import org.allocsim.analysis.serving.ServingBudget;
import org.allocsim.analysis.serving.VllmRelease;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.source.TraceSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that say what an engine takes besides its caches, and by whose rules. */
final class EngineMemoryOptions {
  @Option(
      names = "--start",
      paramLabel = "TRACE",
      description =
          "Recording of an engine's startup, or program:engine(...); replaces --weights,"
              + " --profile-peak and --graphs, and shows what the allocator keeps outside the"
              + " cache.")
  private String startName;

  @Option(
      names = "--weights",
      paramLabel = "SIZE",
      description =
          "Memory of weights, adapters and draft model per GPU (default: 16 bits per parameter).",
      converter = SizeConverter.class)
  private Long weightBytes;

  @Option(
      names = "--profile-peak",
      paramLabel = "SIZE",
      description = "Peak of the profiling run on top of the weights (default: an estimate).",
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
          "vLLM release whose memory budget and paged cache apply: before 0.9.1, the fraction"
              + " includes the context and other processes; since 0.21, CUDA graphs (default:"
              + " ${DEFAULT-VALUE}).")
  private String releaseName;

  @Option(
      names = "--other-processes",
      paramLabel = "SIZE",
      description = "Memory of other processes on the GPU (default: none).",
      converter = SizeConverter.class)
  private long otherBytes;

  /** The release, before any file is read. */
  VllmRelease release() {
    try {
      return VllmRelease.of(releaseName);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--vllm-version must be a release such as 0.9.1");
    }
  }

  /**
   * What was said of the engine's memory.
   *
   * @param utilization share of the GPU that it may use; null for that of the release
   */
  EngineMemory memory(@Nullable Double utilization) {
    if (startName != null && (weightBytes != null || profileBytes != null)) {
      throw Failure.usage("--start replaces --weights and --profile-peak; omit them");
    }
    if (startName != null && !TraceSource.isProgram(startName)) {
      Inputs.require(startName);
    }
    return new EngineMemory(
        release(), utilization, weightBytes, profileBytes, graphBytes, otherBytes, startName);
  }
}
