package org.allocsim.reports.cli.gpu;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.PolicyListOptions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TenantOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.gpu.TogetherQuestion;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.MemoryLimit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim validate together}: several processes on a real GPU. */
@Command(
    name = "together",
    description = "Runs several processes concurrently on a real GPU and compares with 'colocate'.")
final class ValidateTogetherCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE[,SETTING=VALUE...]", arity = "1..*")
  private List<String> texts;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Option(names = "--memory-limit", paramLabel = "SIZE", converter = SizeConverter.class)
  private long limitBytes = MemoryLimit.NONE;

  @Option(names = "--capacity", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long capacityBytes;

  @Mixin private GpuOption gpu;

  @Mixin private TraceOptions traceOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    List<TenantOption> options = texts.stream().map(TenantOption::parse).toList();
    PolicyChoice usual = policyOptions.choices().getFirst();
    TogetherQuestion question =
        new TogetherQuestion(
            gpu.number(),
            options.stream()
                .map(each ->
                    new TogetherQuestion.Member(
                        each.policy().orElse(usual), each.bytes("memory-limit").orElse(limitBytes)))
                .toList(),
            capacityBytes);
    return traceOptions
        .asking(outputOptions, Conditions.RECORDED)
        .ask(question, options.stream().map(TenantOption::trace).toList());
  }
}
