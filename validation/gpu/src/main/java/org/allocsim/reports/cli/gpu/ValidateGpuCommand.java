package org.allocsim.reports.cli.gpu;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.ProfileConverter;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.gpu.GpuQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim validate gpu}: allocators on a real GPU. */
@Command(
    name = "gpu",
    description = "Runs allocators on a real NVIDIA GPU and on a simulated one, and compares them.")
final class ValidateGpuCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", arity = "1..*")
  private List<String> names;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Mixin private ConfListOptions confOptions;

  @Option(names = "--memory-limit", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long limitBytes;

  @Option(names = "--capacity", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long capacityBytes;

  @Option(names = "--near-limits")
  private boolean nearLimits;

  @Option(names = "--touch")
  private boolean touch;

  @Mixin private GpuOption gpu;

  @Option(names = "--device", paramLabel = "PROFILE", converter = ProfileConverter.class)
  private DeviceProfile profile;

  @Option(names = "--max-gpu-memory", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long maxBytes;

  @Mixin private CaseTime time;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or omit it");
    outputOptions.requireNoTime();
    return traceOptions
        .asking(outputOptions, Conditions.RECORDED)
        .ask(
            new GpuQuestion(
                gpu.number(),
                profile,
                policyOptions.choices(),
                confOptions.choices(),
                limitBytes,
                capacityBytes,
                maxBytes,
                time.seconds(),
                nearLimits,
                touch),
            names);
  }
}
