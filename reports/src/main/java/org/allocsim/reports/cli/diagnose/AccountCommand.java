package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.moment.MomentQuery;
import org.allocsim.reports.cli.option.Choices;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.ProgramOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.question.moment.AccountQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim account}: reconciles what tensors take with what the GPU shows. */
@Command(
    name = "account",
    description = "Accounts for all memory of a GPU, from requests to what nvidia-smi shows.")
public final class AccountCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(names = "--at", paramLabel = "oom|peak|end|N", converter = Choices.MomentConverter.class)
  private MomentQuery query;

  @Mixin private CardOptions gpuOptions;

  @Mixin private ProgramOptions programOptions;

  @Mixin private OutputOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    if (Jobs.isFolder(traceName)) {
      gpuOptions.requireForJob();
    }
    return programOptions
        .asking(outputOptions)
        .ask(
            new AccountQuestion(query, gpuOptions.read(programOptions.device().chosen())),
            traceName);
  }
}
