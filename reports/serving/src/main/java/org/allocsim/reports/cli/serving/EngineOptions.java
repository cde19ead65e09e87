package org.allocsim.reports.cli.serving;

import java.util.Optional;
import org.allocsim.analysis.serving.ServingSettings;
import org.allocsim.analysis.serving.SglangSettings;
import org.allocsim.analysis.serving.Speculation;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.output.Failure;
import org.allocsim.workloads.model.ServedModel;
import picocli.CommandLine.Option;

/** The options that say how an engine batches requests and keeps its caches; names are vLLM's. */
final class EngineOptions {
  @Option(
      names = "--max-num-seqs",
      paramLabel = "N",
      defaultValue = "256",
      description = "Maximum number of concurrent sequences (default: ${DEFAULT-VALUE}).")
  private int maxSequences;

  @Option(
      names = "--max-num-batched-tokens",
      paramLabel = "N",
      defaultValue = "8192",
      description = "Maximum number of tokens per step (default: ${DEFAULT-VALUE}).")
  private int stepTokens;

  @Option(
      names = "--max-model-len",
      paramLabel = "N",
      description =
          "Maximum number of tokens of prompt plus output (default: the model's context length).")
  private Integer maxTokens;

  @Option(
      names = "--block-size",
      paramLabel = "N",
      defaultValue = "16",
      description =
          "Tokens per block or small page; layers that keep a state have"
              + " larger blocks (default: ${DEFAULT-VALUE}).")
  private int blockTokens;

  @Option(
      names = "--watermark",
      paramLabel = "FRACTION",
      description = "Fraction of the paged blocks that must stay free when a sequence starts.",
      converter = FractionConverter.class)
  private Double watermark;

  @Option(
      names = "--page-size",
      paramLabel = "SIZE",
      description = "Page size of vattention, such as 64KiB (default: 2MiB).",
      converter = SizeConverter.class)
  private long pageBytes = 2L << 20;

  /** Refuses values that make no sense, before any file is read. */
  void check() {
    require(maxSequences >= 1 && maxSequences <= 1 << 16, "--max-num-seqs", "1 to 65536");
    require(stepTokens >= 1, "--max-num-batched-tokens", "1 or more");
    require(maxTokens == null || maxTokens >= 2, "--max-model-len", "2 or more");
    require(blockTokens >= 1 && blockTokens <= 1 << 16, "--block-size", "1 to 65536");
    require(
        pageBytes >= 1 << 16 && Long.bitCount(pageBytes) == 1,
        "--page-size",
        "a power of two from 64KiB");
  }

  /** Refuses what an option does not take. */
  static void require(boolean holds, String option, String range) {
    if (!holds) {
      throw Failure.usage(option + " takes " + range);
    }
  }

  /** How the engine serves a model. */
  ServingSettings settings(
      ServedModel model, Optional<Speculation> speculation, SglangSettings sglang) {
    return new ServingSettings(
        maxSequences,
        stepTokens,
        maxTokens == null ? model.contextTokens() : maxTokens,
        model.blockTokens(blockTokens),
        watermark == null ? 0 : watermark,
        pageBytes,
        speculation,
        sglang);
  }
}
