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
import org.allocsim.reports.question.tuning.ColocateQuestion;
import org.allocsim.reports.question.tuning.SharedProcess;
import org.allocsim.simulator.run.AfterOom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim colocate}: several processes on one GPU. */
@Command(
    name = "colocate",
    description =
        "Simulates several processes on one GPU: which fails first, and who holds the memory.")
public final class ColocateCommand implements Callable<Integer> {
  @Parameters(
      paramLabel = "TRACE[,SETTING=VALUE...]",
      arity = "1..*",
      description =
          TraceOptions.TRACE + " In a folder with one recording per rank, each rank is a process.")
  private List<String> texts;

  @Option(names = "--context", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long contextBytes;

  @Option(names = "--mps")
  private boolean mps;

  @Option(names = "--mps-limit", paramLabel = "SIZE", converter = SizeConverter.class)
  private Long mpsLimitBytes;

  @Option(names = "--after-oom", paramLabel = "stop|continue")
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Option(names = "--smallest")
  private boolean findsSmallest;

  @Option(names = "--limits")
  private boolean findsLimits;

  @Mixin private DeviceOptions deviceOptions;

  @Mixin private TraceOptions traceOptions;

  @Mixin private FigureOptions outputOptions;

  @Override
  public Integer call() throws IOException {
    outputOptions.requireCharts(false, "--report DIR, or omit it");
    if (outputOptions.isByEvent()) {
      throw Failure.usage(
          "--figure: events of several processes are ordered by time only; omit axis");
    }
    List<TenantOption> options = options();
    ColocateQuestion question =
        new ColocateQuestion(
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
