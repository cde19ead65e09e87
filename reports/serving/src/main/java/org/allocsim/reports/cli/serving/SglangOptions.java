package org.allocsim.reports.cli.serving;

import org.allocsim.analysis.serving.SglangSettings;
import org.allocsim.analysis.serving.kvcache.radix.EvictionPolicy;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.output.Failure;
import picocli.CommandLine.Option;

/** The options of SGLang's engine; names are SGLang's where they mean nothing else here. */
final class SglangOptions {
  @Option(
      names = "--sglang-page-size",
      paramLabel = "N",
      defaultValue = "1",
      description = "Tokens per page of sglang (default: ${DEFAULT-VALUE}).")
  private int pageTokens;

  @Option(
      names = "--radix-eviction-policy",
      paramLabel = "NAME",
      defaultValue = "lru",
      description =
          "Which prefixes sglang forgets first: lru, lfu, slru, fifo, mru, filo, priority (default:"
              + " ${DEFAULT-VALUE}; files have no priorities, so priority is lru).")
  private String policy;

  @Option(
      names = "--schedule-conservativeness",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description =
          "Factor of the room that sglang keeps for answers of running requests, at first 0.7 of"
              + " them (default: ${DEFAULT-VALUE}).")
  private double conservativeness;

  @Option(
      names = "--mem-fraction-static",
      paramLabel = "FRACTION",
      description =
          "Fraction of the free memory for sglang's weights and KV cache (default: its KV cache is"
              + " as large as that of the others).",
      converter = FractionConverter.class)
  private Double staticShare;

  /** Refuses values that make no sense, before any file is read. */
  void check() {
    EngineOptions.require(
        pageTokens >= 1 && pageTokens <= 1 << 16, "--sglang-page-size " + pageTokens, "1 to 65536");
    EngineOptions.require(
        conservativeness > 0 && conservativeness < 1e9,
        "--schedule-conservativeness",
        "a number above 0");
    eviction();
  }

  private EvictionPolicy eviction() {
    try {
      return EvictionPolicy.named(policy);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--radix-eviction-policy: " + e.getMessage());
    }
  }

  /** What SGLang's engine is told. */
  SglangSettings settings() {
    return new SglangSettings(pageTokens, eviction(), conservativeness, staticShare);
  }
}
