package org.allocsim.reports.cli.prove;

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
import org.allocsim.reports.question.validation.GpuQuestion;
import org.allocsim.simulator.device.DeviceProfile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim validate gpu}: allocators on a real GPU. */
@Command(
    name = "gpu",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs allocators on a real NVIDIA GPU and on the simulated one, and compares them.",
      "",
      "Each policy serves the same requests twice. Compared call by call are the driver calls,"
          + " their",
      "refusals, the free bytes after them, addresses, the stream-ordered pool, failed requests,",
      "the peak and the time in the driver. After the first call that differs only totals are",
      "compared. Nothing but memory is used: no kernels run, unless --touch fills the blocks.",
      "Everything is given back at the end, also on Ctrl-C."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim validate gpu snapshot.pickle",
      "  allocsim validate gpu a.pickle b.pickle --policies pytorch,direct,cuda-async --report out",
      "  allocsim validate gpu snapshot.pickle --policy pytorch --near-limits"
    })
final class ValidateGpuCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "TRACE",
      arity = "1..*",
      description = "Traces of any format; 'allocsim list formats' shows them.")
  private List<String> names;

  @Mixin private PolicyListOptions policyOptions = new PolicyListOptions(Program.PYTORCH);

  @Mixin private ConfListOptions confOptions;

  @Option(
      names = "--memory-limit",
      paramLabel = "SIZE",
      description = "Limit of the allocator, such as 24GiB.",
      converter = SizeConverter.class)
  private Long limitBytes;

  @Option(
      names = "--capacity",
      paramLabel = "SIZE",
      description =
          "Leave only this much memory free on the GPU and hold all else back meanwhile, so that"
              + " the driver itself refuses what goes beyond.",
      converter = SizeConverter.class)
  private Long capacityBytes;

  @Option(
      names = "--near-limits",
      description =
          "Also run each policy with just enough memory on the GPU, just enough under its own"
              + " limit, and with one page less than each.")
  private boolean nearLimits;

  @Option(names = "--touch", description = "Fill every block with zeros on its stream.")
  private boolean touch;

  @Mixin private GpuOption gpu;

  @Option(
      names = "--device",
      paramLabel = "PROFILE",
      description =
          "Costs of driver calls and places of memory to predict with, by name or from the file"
              + " of a calibration (default: the profile of such a GPU).",
      converter = ProfileConverter.class)
  private DeviceProfile profile;

  @Option(
      names = "--max-gpu-memory",
      paramLabel = "SIZE",
      description =
          "Maximum memory that may be used; requests beyond are refused (default: 90 %% of what is"
              + " free). Where the driver itself is to refuse (--capacity, --near-limits), all free"
              + " memory is taken.",
      converter = SizeConverter.class)
  private Long maxBytes;

  @Mixin private CaseTime time;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
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
