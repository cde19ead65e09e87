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
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Accounts for the memory of a GPU, from requests to what nvidia-smi shows.",
      "The lines add up to the GPU, to the byte; what nobody explains is a line of its own. Of a",
      "folder with the recordings of a job's ranks: the GPU of each rank; samples of nvidia-smi"
          + " may",
      "have all of them."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim account snapshot.pickle",
      "  allocsim account snapshot.pickle --at end --smi gpu.csv --smi apps.csv --pid 4711",
      "  allocsim account snapshot.pickle --at peak --total 24GiB --free 300MiB",
      "",
      "gpu.csv and apps.csv come from, with -l 1 to sample every second:",
      "  nvidia-smi --query-gpu=index,uuid,memory.total,memory.used,memory.free,memory.reserved \\",
      "    --format=csv > gpu.csv",
      "  nvidia-smi --query-compute-apps=gpu_uuid,pid,used_gpu_memory --format=csv > apps.csv"
    })
public final class AccountCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(
      names = "--at",
      paramLabel = "oom|peak|end|N",
      description =
          "When: at the first failed request, the peak of reserved memory, the end, or after"
              + " allocation request N, from 0 (default: oom if a request fails, else peak; the"
              + " end where there is no history).",
      converter = Choices.MomentConverter.class)
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
