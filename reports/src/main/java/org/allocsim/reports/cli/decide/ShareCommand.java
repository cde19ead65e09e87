package org.allocsim.reports.cli.decide;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.SizeConverter;
import org.allocsim.reports.cli.option.TenantOption;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.AskedTrace;
import org.allocsim.reports.question.tuning.ShareQuestion;
import org.allocsim.reports.question.tuning.SharedProcess;
import org.allocsim.simulator.run.AfterOom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim share}: several processes on one GPU. */
@Command(
    name = "share",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Runs several processes on one GPU: which fails first, and who holds the memory.",
      "",
      "Each process has its own trace, allocator, limit and context; what all hold is taken from",
      "one memory. Requests come in the order of their times. Recordings that were made at the"
          + " same",
      "time keep their clocks; other traces start together, or when start says. A trace without",
      "times takes as long as the longest other.",
      "",
      "After a comma, a trace may have settings of its own:",
      "",
      "  name=TEXT              what to call the process (default: the file's name)",
      "  policy=ID(...)         its allocator (default: PyTorch's)",
      "  conf=SETTINGS          settings of PyTorch's allocator (default: the recorded ones)",
      "  memory-limit=SIZE      its allocator's limit, or memory-fraction=F",
      "  mps-limit=SIZE         its limit as a client of Multi-Process Service",
      "  context=SIZE           context of the process",
      "  other=SIZE             what else it holds: NCCL, libraries, modules",
      "  start=SECONDS          when it starts",
      "  end=exit|hold          whether it gives everything back after its last request (default:",
      "                         hold)"
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done, every request is served",
      "1:failed: unreadable input, unwritable output",
      "2:wrong usage",
      "3:a request fails, or there is no room for a context"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  allocsim share trainer.pickle engine.pickle --device h200",
      "  allocsim share train.pickle,conf=expandable_segments:True eval.pickle,start=30,end=exit",
      "  allocsim share a.pickle,memory-fraction=0.5 b.pickle --device 'h100-80gb 3g.40gb'",
      "  allocsim share a.pickle,other=1.2GiB b.pickle --smallest --limits --json share.json"
    })
public final class ShareCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "TRACE[,SETTING=VALUE...]",
      arity = "1..*",
      description =
          TraceOptions.TRACE
              + " Of a folder with the recordings of a job's ranks, each is a process.")
  private List<String> texts;

  @Option(
      names = "--context",
      paramLabel = "SIZE",
      description =
          "Context of each process that has no setting of its own (default: what a bare context"
              + " takes on the GPU).",
      converter = SizeConverter.class)
  private Long contextBytes;

  @Option(
      names = "--mps",
      description =
          "The processes are clients of Multi-Process Service: contexts are smaller, and its server"
              + " has one; sizes as measured on an H200.")
  private boolean mps;

  @Option(
      names = "--mps-limit",
      paramLabel = "SIZE",
      description =
          "Device memory that the driver lets each client have, as"
              + " set_default_device_pinned_mem_limit and CUDA_MPS_PINNED_DEVICE_MEM_LIMIT do; a"
              + " client may have a lower limit of its own, no higher one.",
      converter = SizeConverter.class)
  private Long mpsLimitBytes;

  @Option(
      names = "--after-oom",
      paramLabel = "stop|continue",
      description =
          "What a process does after a request that fails: stop ends it, and it gives everything"
              + " back; continue goes on as if the program had caught the error (default:"
              + " continue).")
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Option(names = "--smallest", description = "Look for the smallest GPU on which all run.")
  private boolean findsSmallest;

  @Option(
      names = "--limits",
      description =
          "Look for the lowest and the highest limit of each process's allocator with which all"
              + " run.")
  private boolean findsLimits;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or leave it out");
    if (outputOptions.isByEvent()) {
      throw Failure.usage("--figure: the processes' events have no order but time; leave axis out");
    }
    List<TenantOption> options = options();
    ShareQuestion question =
        new ShareQuestion(
            options.stream().map(this::process).toList(),
            deviceOptions.chosen(),
            mps,
            afterOom,
            findsSmallest,
            findsLimits);
    return traceOptions
        .asking(outputOptions, deviceOptions.conditions())
        .askAbout(question, options.stream().map(this::trace).toList());
  }

  private List<TenantOption> options() {
    List<TenantOption> options = new ArrayList<>();
    for (String text : texts) {
      TenantOption option = TenantOption.parse(text);
      if (!Jobs.isFolder(option.trace())) {
        options.add(option);
        continue;
      }
      for (Path file : Jobs.recordings(option.trace())) {
        options.add(new TenantOption(file.toString(), option.values()));
      }
    }
    return options;
  }

  private SharedProcess process(TenantOption option) {
    Long own = option.bytes("mps-limit").orElse(mpsLimitBytes);
    return new SharedProcess(
        option.value("name").orElse(null),
        option.policy().orElse(null),
        option.bytes("context").orElse(contextBytes),
        option.bytes("other").orElse(0L),
        option.startNanos().orElse(null),
        option.exits(),
        own == null || mpsLimitBytes == null ? own : Long.valueOf(Math.min(own, mpsLimitBytes)));
  }

  private AskedTrace trace(TenantOption option) {
    Conditions conditions = deviceOptions.conditions().under(option.value("conf").orElse(null));
    if (option.bytes("memory-limit").isPresent()) {
      conditions = conditions.within(new Conditions.Limit.Size(option.bytes("memory-limit").get()));
    } else if (option.fraction().isPresent()) {
      conditions = conditions.within(new Conditions.Limit.Fraction(option.fraction().get()));
    }
    return traceOptions.asked(option.trace(), conditions);
  }
}
