package org.allocsim.reports.cli.gpu;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.gpu.TorchQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim validate pytorch}: PyTorch's own allocator. */
@Command(
    name = "pytorch",
    description = "Runs requests on PyTorch's own allocator and compares it with the simulation.")
final class ValidatePyTorchCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", arity = "0..*")
  private List<String> names = List.of();

  @Mixin private ConfListOptions confOptions;

  @Option(names = "--memory-limit", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long limitBytes;

  @Mixin private GpuOption gpu;

  @Mixin private CaseTime time;

  @Mixin private TorchOptions torch;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    return traceOptions
        .asking(outputOptions, Conditions.RECORDED)
        .ask(
            new TorchQuestion(
                torch.runs(), gpu.number(), time.seconds(), limitBytes, confOptions.given()),
            names);
  }
}
