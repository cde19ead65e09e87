package org.allocsim.workloads.model;

import java.nio.file.Path;
import java.util.List;
import org.allocsim.simulator.typed.SimilarName;
import org.allocsim.workloads.format.TraceFormatException;

/** Models whose sizes are known, from the {@code config.json} that each was published with. */
public final class ServedModels {
  private static final List<ModelShape> ALL =
      List.of(
          ModelShape.dense("llama-3.1-8b", 32, 4096, 14_336, 3, 32, 8, 128, 128_256, false, 131_072)
              .adaptingVocabulary(),
          ModelShape.dense(
                  "llama-3.1-70b", 80, 8192, 28_672, 3, 64, 8, 128, 128_256, false, 131_072)
              .adaptingVocabulary(),
          ModelShape.dense(
                  "llama-4-scout", 48, 5120, 8192, 3, 40, 8, 128, 202_048, false, 10_485_760)
              .chunked(8192, 12)
              .withExperts(17, 2),
          ModelShape.dense("qwen2.5-7b", 28, 3584, 18_944, 3, 28, 4, 128, 152_064, false, 32_768),
          ModelShape.dense("qwen3-next-80b", 48, 2048, 512, 3, 16, 2, 256, 151_936, false, 262_144)
              .withExperts(513, 11)
              .withStates(new StateLayers(36, 16, 32, 128, 128, 4, ModelShape.HALF_BYTES)),
          ModelShape.dense("qwen3-8b", 36, 4096, 12_288, 3, 32, 8, 128, 151_936, false, 40_960)
              .adaptingVocabulary(),
          ModelShape.dense("yi-6b", 32, 4096, 11_008, 3, 32, 4, 128, 64_000, false, 4096)
              .adaptingVocabulary(),
          ModelShape.dense("yi-34b", 60, 7168, 20_480, 3, 56, 8, 128, 64_000, false, 4096)
              .adaptingVocabulary(),
          ModelShape.dense("opt-13b", 40, 5120, 20_480, 2, 40, 40, 128, 50_272, true, 2048),
          ModelShape.dense("mistral-7b", 32, 4096, 14_336, 3, 32, 8, 128, 32_000, false, 32_768)
              .windowed(4096, 0)
              .adaptingVocabulary(),
          ModelShape.dense("gemma-2-9b", 42, 3584, 14_336, 3, 16, 8, 256, 256_000, true, 8192)
              .windowed(4096, 21),
          ModelShape.dense("gemma-3-12b", 48, 3840, 15_360, 3, 16, 8, 256, 262_208, true, 131_072)
              .windowed(1024, 8),
          ModelShape.dense("gemma-3-27b", 62, 5376, 21_504, 3, 32, 16, 128, 262_208, true, 131_072)
              .windowed(1024, 10));

  private ServedModels() {}

  /** Names of the models. */
  public static List<String> names() {
    return ALL.stream().map(ModelShape::name).toList();
  }

  /**
   * The model of a name, or of a {@code config.json}.
   *
   * @throws IllegalArgumentException for an unknown name, with a similar one or the known ones
   * @throws TraceFormatException where the file cannot be read or lacks a size
   */
  public static ModelShape of(String nameOrFile) throws TraceFormatException {
    return nameOrFile.endsWith(".json")
        ? ModelConfig.read(Path.of(nameOrFile), nameOrFile)
        : named(nameOrFile);
  }

  /**
   * The model of a name.
   *
   * @throws IllegalArgumentException for an unknown name, with a similar one or the known ones
   */
  public static ModelShape named(String name) {
    return ALL.stream()
        .filter(model -> model.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "unknown model '%s'; %s"
                    .formatted(
                        name,
                        SimilarName.remedy(
                            name, names(), "known models are " + String.join(", ", names())))));
  }
}
