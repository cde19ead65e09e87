package org.allocsim.reports.cli.prove;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.ConfListOptions;
import org.allocsim.reports.cli.option.OutputOptions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.question.validation.TorchQuestion;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim validate pytorch}: PyTorch's own allocator. */
@Command(
    name = "pytorch",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Lets PyTorch's own allocator serve requests, and compares it with the simulation.",
      "",
      "It runs in processes of its own. What it did is compared event by event with what was",
      "predicted from the requests alone, and with a simulation that follows its snapshot. Without",
      "a GPU the allocator runs on a mock CUDA driver that computes nothing, which a C compiler",
      "builds."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, and nothing differs",
      "1:failed: no PyTorch, unreadable input, a case that PyTorch could not run",
      "2:wrong usage",
      "3:something differs"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim validate pytorch snapshot.pickle --conf \"max_split_size_mb:64\" --keep out",
      "  allocsim validate pytorch --random 100 --jobs 8",
      "  allocsim validate pytorch --sequences 700 --jobs 2"
    })
final class ValidatePyTorchCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "TRACE",
      arity = "0..*",
      description = "Traces of any format; 'allocsim list formats' shows them.")
  private List<String> names = List.of();

  @Mixin private ConfListOptions confOptions;

  @Option(
      names = "--memory-limit",
      paramLabel = "SIZE",
      description = "Limit of the allocator, such as 24GiB.",
      converter = SizeConverter.class)
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
