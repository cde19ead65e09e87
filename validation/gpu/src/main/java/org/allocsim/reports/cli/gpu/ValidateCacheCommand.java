package org.allocsim.reports.cli.gpu;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.serving.CacheChoice;
import org.allocsim.analysis.serving.VllmRelease;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.gpu.CachesQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import org.allocsim.workloads.serving.ModelShape;
import org.allocsim.workloads.serving.ServedModel;
import org.allocsim.workloads.serving.ServedModels;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim validate cache}: the driver calls of KV caches on a real GPU. */
@Command(
    name = "cache",
    description =
        "Makes the driver calls of KV caches on a real GPU and compares them with the simulation.")
final class ValidateCacheCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRAFFIC")
  private String trafficName;

  @Option(names = "--cache", paramLabel = "NAME,...", split = ",", required = true)
  private List<String> caches;

  @Option(names = "--model", paramLabel = "MODEL", required = true)
  private String model;

  @Option(names = "--first", paramLabel = "N")
  private Integer first;

  @Option(names = "--capacity", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long capacityBytes;

  @Mixin private GpuOption gpu;

  @Option(names = "--device", paramLabel = "PROFILE", converter = ProfileConverter.class)
  private DeviceProfile profile;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    Path traffic = Inputs.require(trafficName);
    if (first != null && first < 1) {
      throw Failure.usage("--first " + first + " must be at least 1");
    }
    return new Asking(outputOptions, null, Conditions.RECORDED)
        .beside(traffic)
        .ask(question(traffic), List.of());
  }

  private CachesQuestion question(Path traffic) {
    try {
      VllmRelease newest = VllmRelease.newest();
      List<CacheChoice> kinds =
          caches.stream().map(name -> CacheChoice.named(name, newest)).toList();
      ServedModel served =
          ServedModels.named(model).served(1, ModelShape.HALF_BYTES, ModelShape.HALF_BYTES);
      return new CachesQuestion(
          gpu.number(), profile, traffic, first, served, kinds, capacityBytes);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(e.getMessage());
    }
  }
}
