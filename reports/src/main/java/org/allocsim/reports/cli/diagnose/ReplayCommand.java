package org.allocsim.reports.cli.diagnose;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.allocsim.analysis.program.Conditions;
import org.allocsim.analysis.program.Program;
import org.allocsim.reports.answer.replay.CacheInsertion;
import org.allocsim.reports.chart.ChartFile;
import org.allocsim.reports.cli.option.DeviceOptions;
import org.allocsim.reports.cli.option.FigureOptions;
import org.allocsim.reports.cli.option.TraceOptions;
import org.allocsim.reports.input.Addresses;
import org.allocsim.reports.input.Jobs;
import org.allocsim.reports.output.Failure;
import org.allocsim.reports.question.Asking;
import org.allocsim.reports.question.replay.RepeatedReplayQuestion;
import org.allocsim.reports.question.replay.ReplayQuestion;
import org.allocsim.simulator.policy.PolicyChoice;
import org.allocsim.simulator.policy.pytorch.PyTorchVersion;
import org.allocsim.simulator.run.AfterOom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code allocsim replay}: one policy on one recorded program. */
@Command(
    name = "replay",
    description = "Replays a recorded program on one allocator and shows the result.")
public final class ReplayCommand implements Callable<Integer> {
  @Parameters(paramLabel = "TRACE", description = TraceOptions.TRACE_OR_JOB)
  private String traceName;

  @Option(
      names = "--policy",
      paramLabel = "ID",
      defaultValue = Program.PYTORCH,
      converter = PolicyChoiceConverter.class)
  private PolicyChoice policy;

  @Mixin private TraceOptions traceOptions;

  @Option(names = "--conf", paramLabel = "CONF")
  private String conf;

  @Mixin private DeviceOptions deviceOptions;

  @Option(names = "--addresses", paramLabel = "recorded|modelled")
  private Addresses addresses;

  @Option(names = "--after-oom", paramLabel = "stop|continue")
  private AfterOom afterOom = AfterOom.CONTINUE;

  @Option(
      names = "--insert",
      paramLabel = "empty_cache@PLACE",
      converter = CacheInsertionConverter.class)
  private CacheInsertion insertion;

  @Option(names = "--repeat", paramLabel = "N")
  private Long repeat;

  @Option(names = "--check")
  private boolean check;

  @Option(names = "--events", paramLabel = "FILE")
  private String eventsName;

  @Mixin private FigureOptions outputOptions;

  @Option(
      names = "--chart",
      paramLabel = "FILE",
      description = "Draw memory over time; the name ends in " + ChartFile.EXTENSIONS + ".")
  private String chartName;

  @Option(names = "--charts", paramLabel = "DIR")
  private String chartsName;

  @Override
  public Integer call() throws IOException {
    FigureOptions.format(chartName);
    outputOptions.requireCharts(
        chartName != null || chartsName != null,
        "--chart FILE, --charts DIR or --report DIR, or omit it");
    ReplayQuestion question = question();
    if (repeat != null && repeat < 1) {
      throw Failure.usage("--repeat " + repeat + " must be at least 1");
    }
    boolean isRepeated = repeat != null && repeat > 1;
    if (isRepeated && !question.isPlain()) {
      throw Failure.usage(
          "--repeat cannot be combined with --addresses recorded, --insert, --check, --events,"
              + " --chart or --charts; omit them");
    }
    if (repeat != null && Jobs.isFolder(traceName)) {
      throw ReplayQuestion.refusedForJob(traceName);
    }
    Asking asking = traceOptions.asking(outputOptions, conditions());
    return isRepeated
        ? asking.ask(new RepeatedReplayQuestion(question.policy(), afterOom, repeat), traceName)
        : asking.ask(question, traceName);
  }

  /** What is asked. */
  public ReplayQuestion question() {
    return new ReplayQuestion(
        isPyTorch() ? null : policy,
        addresses,
        afterOom,
        insertion,
        check,
        new ReplayQuestion.Files(eventsName, chartName, chartsName, outputOptions.isByEvent()));
  }

  private boolean isPyTorch() {
    return policy.provider().spec().id().equals(Program.PYTORCH);
  }

  /** What the options ask for; policy pytorch may name settings and release itself. */
  public Conditions conditions() {
    Conditions conditions = deviceOptions.conditions();
    if (!isPyTorch()) {
      if (conf != null) {
        throw Failure.usage("--conf needs policy pytorch; omit it");
      }
      return conditions;
    }
    String inPolicy = policy.options().get(Program.CONF_OPTION);
    if (conf != null && inPolicy != null) {
      throw Failure.usage("--conf and --policy both give settings; omit one of them");
    }
    String release = policy.options().get(Program.VERSION_OPTION);
    return (release == null ? conditions : conditions.by(version(release)))
        .under(conf == null ? inPolicy : conf);
  }

  private static PyTorchVersion version(String name) {
    try {
      return PyTorchVersion.of(name);
    } catch (IllegalArgumentException e) {
      throw Failure.usage("--policy: " + e.getMessage());
    }
  }
}
