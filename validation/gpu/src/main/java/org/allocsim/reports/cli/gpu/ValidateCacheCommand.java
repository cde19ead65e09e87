package org.allocsim.reports.cli.gpu;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.input.Inputs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.gpu.CachesQuestion;
import org.allocsim.simulator.device.DeviceProfile;
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
        .ask(
            new CachesQuestion(gpu.number(), profile, traffic, first, model, caches, capacityBytes),
            List.of());
  }
}
