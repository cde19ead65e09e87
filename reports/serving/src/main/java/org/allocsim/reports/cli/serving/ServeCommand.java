package org.allocsim.reports.cli.serving;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.serving.CacheChoice;
import org.allocsim.analysis.serving.CacheKind;
import org.allocsim.analysis.serving.VllmRelease;
import org.allocsim.reports.cli.option.FractionConverter;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.serving.ServeQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.simulator.device.DeviceProfiles;
import org.allocsim.workloads.model.ServedModel;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim serve}: what caches of keys and values make of a server's memory. */
@Command(name = "serve", description = "Simulates KV caches of an LLM server on recorded requests.")
public final class ServeCommand implements Callable<Integer> {
  private static final String ALL = "all";

  @Parameters(paramLabel = "TRAFFIC")
  private String trafficName;

  @Mixin private ServedModelOptions modelOptions;

  @ArgGroup(exclusive = true)
  private @Nullable Gpu gpu;

  private static final class Gpu {
    @Option(names = "--device", paramLabel = "PROFILE", converter = ProfileConverter.class)
    private DeviceProfile profile;

    @Option(names = "--capacity", paramLabel = "SIZE", converter = SizeConverter.class)
    private Long capacityBytes;
  }

  @Option(
      names = "--gpu-memory-utilization",
      paramLabel = "FRACTION",
      converter = FractionConverter.class)
  private Double utilization;

  @Option(
      names = {"--utilizations", "--shares"},
      paramLabel = "FRACTION,...",
      split = ",",
      converter = FractionConverter.class)
  private List<Double> utilizations = List.of();

  @Option(names = "--cache", paramLabel = "NAME,...", split = ",", defaultValue = ALL)
  private List<String> caches;

  @Mixin private EngineOptions engineOptions;

  @Mixin private SglangOptions sglangOptions;

  @Mixin private EngineMemoryOptions memoryOptions;

  @Mixin private RequestOptions requestOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    VllmRelease release = memoryOptions.release();
    List<CacheChoice> named = choices(release);
    modelOptions.check();
    engineOptions.check();
    sglangOptions.check();
    ServeQuestion.Requests requests = requestOptions.of(trafficName);
    ServedModel model = modelOptions.model();
    List<CacheChoice> choices = servingStates(model, servingDrafts(named));
    Path file = Inputs.require(trafficName);
    return new Asking(outputOptions, null, Conditions.RECORDED)
        .beside(file)
        .ask(
            new ServeQuestion(
                requests,
                model,
                device(),
                engineOptions.settings(model, modelOptions.speculation(), sglangOptions.settings()),
                memoryOptions.memory(utilization),
                choices,
                utilizations),
            List.of());
  }

  private List<CacheChoice> choices(VllmRelease release) {
    if (caches.equals(List.of(ALL))) {
      return CacheChoice.all(release);
    }
    try {
      return caches.stream().map(name -> CacheChoice.named(name, release)).toList();
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--cache: " + e.getMessage());
    }
  }

  /** SGLang's engine is simulated without drafts. */
  private List<CacheChoice> servingDrafts(List<CacheChoice> named) {
    boolean isAsked = named.stream().anyMatch(each -> each.kind() == CacheKind.SGLANG);
    if (modelOptions.speculation().isEmpty() || !isAsked) {
      return named;
    }
    if (!caches.equals(List.of(ALL))) {
      throw Failure.usage(
          "--cache sglang does not simulate speculative decoding; omit --speculative-model or"
              + " sglang");
    }
    return named.stream().filter(each -> each.kind() != CacheKind.SGLANG).toList();
  }

  /** Only vLLM's own cache is simulated with layers that keep a state. */
  private List<CacheChoice> servingStates(ServedModel model, List<CacheChoice> named) {
    if (!model.keepsState()) {
      return named;
    }
    if (modelOptions.speculation().isPresent()) {
      throw Failure.usage(
          "--speculative-model is not simulated for a model whose layers keep a state; omit it");
    }
    for (CacheChoice each : named) {
      if (each.kind() != CacheKind.PAGED && !caches.equals(List.of(ALL))) {
        throw Failure.usage(
            "--cache %s is not simulated for a model whose layers keep a state; use paged"
                .formatted(each.label()));
      }
    }
    return named.stream().filter(each -> each.kind() == CacheKind.PAGED).toList();
  }

  private DeviceProfile device() {
    return gpu == null
        ? DeviceProfiles.defaultProfile()
        : gpu.profile != null ? gpu.profile : DeviceProfiles.ofCapacity(gpu.capacityBytes);
  }
}
